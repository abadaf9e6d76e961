// Package store holds the state of the cluster that Events lead to, and makes Snapshots of it.
//
// The Rules of a Store decide what is a problem. The Store keeps the time: when each problem began and ended, and how
// often it came back. It uses only the times of Events, so a replay gives the same findings, whenever Snapshots are
// taken.
//
// A Store may be used from any goroutine. Strings from a node or from SLURM are made safe to display once, when an
// Event is applied.
//
// # Nodes that fail
//
// A node without a session loses its numbers 20 s after its last report. A Snapshot keeps the last numbers in
// Node.Past, apart from the current ones, so that totals need not look at the state of a node. Outputs that show one
// node at a time ask for Node.AsSeen, and show its time. The Store makes a Past once per failure, without a copy of a
// history, and frees it with the node: when the node's last job has ended.
//
// If at least two nodes of running jobs were watched and none has reported for three intervals, the cause is this host
// or the network. One Silence then replaces the problems of the single nodes (silences), also of nodes that take up to
// 30 s to come back. A node with a known reason, such as a refused login, keeps its own problem.
//
// # Processes and ranks
//
// A probe lists the processes on its GPUs in the first report after each Hello, then once a minute, and in each report
// while a page shows them. The Store keeps the last list for at most three minutes, with the time of its arrival
// (Node.ListedAt): an old list never looks new. It also remembers where each rank of a running job was last listed
// (Node.Ranks). tally.Ranks makes the rank table from both, and distinguishes a rank that is gone from a rank whose
// node is silent. A rank missing from two lists, while at least as many ranks of its program run, is a problem
// (cluster.Peers.Gone).
//
// A job may run several programs with the same ranks, such as two torchruns of four. cluster.Programs tells them apart,
// for the table and for the rule. With each rank, a probe sends a hash of what the launcher gives to all ranks of a
// program: address, port and run of torchrun, the namespace of PMIx, the step of SLURM. Without such values, the parent
// process counts. Different parents alone prove nothing: after a restart, or with one launcher per node, one program
// has several parents. Two programs count as two only if processes of the same rank, launched differently, have run at
// the same time.
package store

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// Store has the state that results from the Events of a Source.
type Store struct {
	poll  time.Duration
	span  time.Duration // that graphs show; 0: the usual one
	rules cluster.Rules
	room  int // of histories

	mu    sync.Mutex // protects the following
	disc  cluster.Discovery
	teams []*jobCommon            // the jobs of disc
	jobs  map[string][]*jobCommon // the same by node name
	under map[string]string       // the switches in disc, by node name; replaced, never changed
	nodes map[string]*nodeRecord  // by cleaned name
	paces map[string]*jobPace     // by the ID of jobs of disc
	power []progress.PowerPast    // memory for the next measurement
	quiet silences
	marks []cluster.Mark // by their arrival; replaced, never changed

	stacks map[string]*rankstacks.Verdict // by the ID of the job; likewise
	asks   []string                       // the jobs in stacks, by when they were asked; likewise

	progress map[string]*cluster.JobProgress // by the ID of jobs of disc
	pasts    map[string]progress.Past        // of progress; likewise
}

// New returns an empty Store. poll is the polling interval of the nodes, passed on in Snapshots.
func New(poll time.Duration, rules cluster.Rules) *Store {
	return &Store{poll: poll, rules: rules, nodes: map[string]*nodeRecord{}, paces: map[string]*jobPace{},
		progress: map[string]*cluster.JobProgress{}, pasts: map[string]progress.Past{}}
}

// Show sets the time that graphs show; 0: the usual one. It is called before the first Event.
func (s *Store) Show(span time.Duration) { s.span = span }

// Apply applies one Event. It drops an Event that makes no sense, such as a report of a node without a Hello.
func (s *Store) Apply(e cluster.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Node = clean.Node(e.Node)
	switch {
	case e.Discovery != nil:
		s.storeJobs(e.At, clean.Discovery(e.Discovery))
	case e.Mark != nil:
		s.addMark(clean.Mark(*e.Mark))
	case e.Stacks != nil:
		s.keepStacks(clean.Stacks(e.Stacks))
	case e.Progress != nil:
		s.keepProgress(e.At, clean.Progress(e.Progress))
	case e.Node == "":
	case e.Gone:
		delete(s.nodes, e.Node)
	default:
		n := s.nodes[e.Node]
		if n == nil {
			n = newNodeRecord(e.Node, e.At, s.poll)
			n.span, n.room, n.Switch = s.span, s.room, s.under[e.Node]
			s.nodes[e.Node] = n
		}
		n.jobs = s.jobs[e.Node]
		s.renewTeams(n.jobs, e.At)
		if e.Report != nil && n.Hello != nil {
			s.quiet.noteReport(n, s.nodes, e.At, s.rules)
		}
		n.take(e, s.rules)
		if e.Hello != nil {
			for _, t := range n.jobs {
				t.met = true
			}
		}
		if e.Report != nil && n.Hello != nil {
			s.comparePeers(n, e.At)
		}
	}
}

func (s *Store) addMark(m cluster.Mark) {
	s.marks = append(slices.Clone(s.marks[max(len(s.marks)+1-cluster.KeptMarks, 0):]), m)
}

// keepStacks stores what the ranks of a job do. It stays as long as the job exists and at most the kept number of jobs
// were asked later.
func (s *Store) keepStacks(d *rankstacks.Verdict) {
	ended := func(id string) bool {
		return !slices.ContainsFunc(s.disc.Jobs, func(j cluster.Job) bool { return j.ID == id })
	}
	if ended(d.Job) {
		return
	}
	asks := slices.DeleteFunc(slices.Clone(s.asks), func(id string) bool { return id == d.Job || ended(id) })
	s.asks = append(asks[max(len(asks)+1-cluster.KeptStacks, 0):], d.Job)
	was := s.stacks
	s.stacks = make(map[string]*rankstacks.Verdict, len(s.asks))
	for _, id := range s.asks {
		s.stacks[id] = was[id]
	}
	s.stacks[d.Job] = d
	for id, p := range s.paces {
		if s.stacks[id] == nil {
			p.coupled = nil
		}
	}
}

// knownProgress returns how far the program of a job is; nil: its log has not said it.
func (s *Store) knownProgress(job string) *cluster.JobProgress {
	if p := s.progress[job]; p != nil && p.IsKnown() {
		return p
	}
	return nil
}

// renewProgress gives the teams how far their programs are.
func (s *Store) renewProgress() {
	for _, t := range s.teams {
		t.progress = s.knownProgress(t.ID)
	}
}

// keepProgress stores how far the program of a job is, as long as the job exists, unless too many have one.
func (s *Store) keepProgress(at time.Time, p *cluster.JobProgress) {
	if s.progress[p.Job] == nil && len(s.progress) == cluster.KeptProgress {
		return
	}
	if slices.ContainsFunc(s.disc.Jobs, func(j cluster.Job) bool { return j.ID == p.Job }) {
		s.progress[p.Job] = p
		s.renewProgress()
		bin := history.BinWidth(s.poll, s.span)
		s.pasts[p.Job] = s.pasts[p.Job].AddPoint(at, &p.Progress, p.Silence != nil, bin,
			time.Duration(history.Len(s.poll, s.span))*bin)
	}
}

// storeJobs stores the jobs that SLURM has named, and compares their GPUs with the GPUs in the last report of each
// node.
func (s *Store) storeJobs(at time.Time, d cluster.Discovery) {
	s.disc, s.teams, s.jobs, s.under = d, teamsOf(&d), make(map[string][]*jobCommon, len(s.nodes)), switchesOf(&d)
	for _, t := range s.teams {
		for _, node := range t.Nodes {
			s.jobs[node] = append(s.jobs[node], t)
		}
	}
	s.renewTeams(s.teams, at)
	s.renewProgress()
	ended := func(id string) bool {
		return !slices.ContainsFunc(d.Jobs, func(j cluster.Job) bool { return j.ID == id })
	}
	maps.DeleteFunc(s.paces, func(id string, _ *jobPace) bool { return ended(id) })
	maps.DeleteFunc(s.progress, func(id string, _ *cluster.JobProgress) bool { return ended(id) })
	maps.DeleteFunc(s.pasts, func(id string, _ progress.Past) bool { return ended(id) })
	for name, n := range s.nodes {
		n.jobs, n.Switch = s.jobs[name], s.under[name]
		n.forgetRanks()
		n.compareWithJobs(at, s.rules)
	}
}

// switchesOf returns the switch of each node. A node has only one: the first that lists it.
func switchesOf(d *cluster.Discovery) map[string]string {
	if len(d.Switches) == 0 {
		return nil
	}
	under := map[string]string{}
	for i := range d.Switches {
		for _, node := range d.Switches[i].Nodes {
			if under[node] == "" {
				under[node] = d.Switches[i].Name
			}
		}
	}
	return under
}

// Snapshot returns the state, with ages up to now.
func (s *Store) Snapshot(now time.Time) *cluster.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := &cluster.Snapshot{At: now, Poll: s.poll, Span: s.span, Marks: s.marks, Stacks: s.stacks, Discovery: s.disc,
		Nodes: make(map[string]*cluster.Node, len(s.nodes))}
	views, some := make([]cluster.Node, len(s.nodes)), false
	for name, n := range s.nodes {
		v := &views[len(snap.Nodes)]
		n.viewAt(v, now)
		snap.Nodes[name], some = v, some || v.State == cluster.NodeReporting
	}
	hush := s.quiet.asOf(s.nodes, snap, some, s.rules)
	for i, job := range s.disc.Jobs {
		v := cluster.JobView{Job: job, Common: s.teams[i].common}
		told := notices{job: job.ID, since: job.Start, hush: hush}
		for _, name := range job.Nodes {
			n := s.nodes[name]
			if n == nil {
				n = newNodeRecord(name, s.disc.Answered, s.poll)
				n.Switch = s.under[name]
				snap.Nodes[name] = &cluster.Node{}
				n.viewAt(snap.Nodes[name], now)
			}
			countNode(&v, snap.Nodes[name], n.out, n.instances)
			told.addSpells(&job, snap.Nodes[name], &n.troubles, s.rules, now)
		}
		v.Progress, v.Steps = s.knownProgress(job.ID), s.pasts[job.ID]
		if p := s.paces[job.ID]; p != nil {
			told.addPeers(p, snap.Nodes, now)
			if p.isLive(now) {
				v.Roles, v.Progress = p.roles, p.step.addTo(v.Progress, job.ID)
			}
		}
		hush.addNotices(&told, &job)
		v.Findings, v.Cleared = told.jobFindings()
		snap.Jobs = append(snap.Jobs, v)
	}
	snap.NotChecked = s.notChecked(snap)
	return snap
}

// notChecked are the kinds of problems that cannot have been found yet, mostly because one of the job's reporting nodes
// has not reported for long enough.
func (s *Store) notChecked(snap *cluster.Snapshot) []cluster.NotChecked {
	const none = time.Duration(math.MaxInt64)
	shortest := none
	for name := range s.jobs {
		if n := snap.Nodes[name]; n.State == cluster.NodeReporting {
			shortest = min(shortest, n.Watched())
		}
	}
	if shortest == none {
		return nil
	}
	var all []cluster.NotChecked
	add := func(job string, found []cluster.Condition) {
		for _, c := range found {
			all = append(all, cluster.NotChecked{Kind: c.Kind, Takes: c.After, Why: c.Unchecked, Job: job})
		}
	}
	add("", s.rules(cluster.Subject{Scope: cluster.ScopeWatch, Watched: shortest, Poll: s.poll}))
	for i := range snap.Jobs {
		if p := s.paces[snap.Jobs[i].ID]; p != nil {
			add(snap.Jobs[i].ID, s.rules(cluster.Subject{Scope: cluster.ScopeJobWatch, Job: &snap.Jobs[i].Job,
				Peers: &cluster.Peers{Pace: &p.pace}}))
		}
	}
	return all
}

// countNode adds a node of the job. out is the number of its lost or hung GPUs, which do not count as seen. MIG
// instances do not count as GPUs.
func countNode(v *cluster.JobView, n *cluster.Node, out, instances int) {
	own, seen := 0, 0
	share := v.Share(n)
	for i := range n.GPUs {
		if g := &n.GPUs[i]; share.Has(&g.Number) && (instances == 0 || !g.Instance()) {
			own++
			if out == 0 || g.Reports() { // reading every GPU of a large cluster would take longer than the rest
				seen++
			}
		}
	}
	if count, known := v.GPUsOn(n.Name); known {
		v.GPUs += count
	} else {
		v.GPUs += own
	}
	if n.State == cluster.NodeReporting {
		v.Reporting++
		v.GPUsSeen += seen
	}
}

// Node returns one node with ages up to now, in the form that a Snapshot has; nil: no Event has mentioned it. Node
// costs far less than Snapshot.
func (s *Store) Node(name string, now time.Time) *cluster.Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nodes[clean.Node(name)]
	if n == nil {
		return nil
	}
	v := &cluster.Node{}
	n.viewAt(v, now)
	return v
}

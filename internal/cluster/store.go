// Package cluster is the domain of nvnodetop: jobs, nodes, GPUs and processes, and since when something is wrong with them.
//
// Every input is a stream of Events, whatever Source they come from: the real cluster, the demo, a recording. The Store applies them
// in the order of arrival and hands out Snapshots, immutable pictures of all that is known. Every output is a function of a Snapshot.
//
// What is wrong, and how that is said, is known to the Rules that a Store is given. The Store keeps the time: since when each thing has held,
// when it ended, how often it came back. It keeps that by the times of Events alone, so a replay finds the same, whenever it is looked at.
//
// Store may be called from any goroutine. A Snapshot and all it points to is never changed after it was made, so it may be read from
// any number of goroutines. Time is data: nothing here reads the clock; Events carry the time of their arrival, and the caller says
// what time a Snapshot is for. Strings that came from a node or from SLURM are made fit for a screen once, when an Event enters.
package cluster

import (
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Store keeps what the Events of a Source add up to.
type Store struct {
	poll  time.Duration
	rules Rules

	mu    sync.Mutex // protects the following
	disc  Discovery
	jobs  map[string][]*Job      // of disc, by node
	nodes map[string]*nodeRecord // by the name that is fit for a screen
}

// NewStore returns a Store that knows nothing yet. poll is the pace asked of the nodes, told to those who draw; rules say what is wrong.
func NewStore(poll time.Duration, rules Rules) *Store {
	return &Store{poll: poll, rules: rules, nodes: map[string]*nodeRecord{}}
}

// Apply takes one Event in. An Event that makes no sense (a report of a node that never said hello) is dropped.
func (s *Store) Apply(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Node = cleanNode(e.Node)
	switch {
	case e.Discovery != nil:
		s.discovered(cleanDiscovery(e.Discovery))
	case e.Node == "":
	case e.Gone:
		delete(s.nodes, e.Node)
	default:
		n := s.nodes[e.Node]
		if n == nil {
			n = newNodeRecord(e.Node, e.At, s.poll)
			s.nodes[e.Node] = n
		}
		n.jobs = s.jobs[e.Node]
		n.take(e, s.rules)
	}
}

// discovered takes the jobs in. What that means for a node is found out with the node's next report.
func (s *Store) discovered(d Discovery) {
	s.disc, s.jobs = d, make(map[string][]*Job, len(s.nodes))
	for i := range d.Jobs {
		for _, node := range d.Jobs[i].Nodes {
			s.jobs[node] = append(s.jobs[node], &d.Jobs[i])
		}
	}
}

// Snapshot is all that is known, with ages counted to now.
func (s *Store) Snapshot(now time.Time) *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := &Snapshot{At: now, Poll: s.poll, Discovery: s.disc, Nodes: make(map[string]*Node, len(s.nodes))}
	for name, n := range s.nodes {
		snap.Nodes[name] = n.view(now)
	}
	for _, job := range s.disc.Jobs {
		v := JobView{Job: job}
		told := notices{job: job.ID, since: job.Start}
		for _, name := range job.Nodes {
			n := s.nodes[name]
			if n == nil {
				n = newNodeRecord(name, s.disc.Answered, s.poll)
				snap.Nodes[name] = n.view(now)
			}
			v.count(snap.Nodes[name], n.out)
			told.add(&job, snap.Nodes[name], &n.troubles, s.rules, now)
		}
		v.Findings, v.Cleared = told.findings()
		snap.Jobs = append(snap.Jobs, v)
	}
	return snap
}

// count adds a node of the job, on which out GPUs do not report.
func (v *JobView) count(n *Node, out int) {
	own, seen := 0, 0
	for i := range n.GPUs {
		if g := &n.GPUs[i]; v.Owns(n, g) {
			own++
			if out == 0 || g.reports() { // to look at each GPU of a large cluster takes longer than the rest
				seen++
			}
		}
	}
	if minors, known := v.Minors[n.Name]; known {
		v.GPUs += len(minors)
	} else {
		v.GPUs += own
	}
	if n.State == NodeReporting {
		v.Reporting++
		v.GPUsSeen += seen
	}
}

// nodeRecord is what the Store keeps of one node. What it hands out is never changed afterwards: slices are replaced, not written to,
// and histories only grow behind what was handed out.
type nodeRecord struct {
	Node // as the last Event left it; view adds what depends on the moment

	// What each Snapshot looks at comes first: of a thousand nodes, the rest is not in the processor's cache.
	out       int       // GPUs that do not report
	reporting time.Time // since when reports come in this session; zero: they do not
	troubles  troubles
	began     time.Time // of the current attempt; zero: none is under way
	downSince time.Time // of the first failure in a row

	poll      time.Duration
	jobs      []*Job       // on the node, as of the last Event
	seen      time.Time    // when it was first heard of
	lastSteps []reach.Step // of the attempt that failed last
	clock     binClock
	known     map[string]History // by GPU.Key: what histories go on from
	memory    memory
}

const maxAttempts = 8

// keepNumbers is how long after the last report a node that lost its session still shows its numbers, dimmed: a connection that comes
// back soon does not take the screen away. Later the failure takes their place.
const keepNumbers = 20 * time.Second

func newNodeRecord(name string, at time.Time, poll time.Duration) *nodeRecord {
	return &nodeRecord{Node: Node{Name: name, Interval: 3 * time.Second}, poll: poll, seen: at, troubles: troubles{whole: place{node: name, number: NoNumber}}}
}

// take applies an Event, and keeps the time of what held until it and of what holds from then on.
func (n *nodeRecord) take(e Event, rules Rules) {
	n.troubles.reached(rules, n.view(e.At), e.At)
	n.apply(e)
	after := n.view(e.At)
	n.troubles.reached(rules, after, e.At)
	if e.Report != nil && n.Hello != nil {
		n.troubles.reported(rules, after, n.jobs, e.At)
	}
}

func (n *nodeRecord) apply(e Event) {
	switch {
	case e.Try != nil:
		n.try(e.At, e.Try)
	case e.Step != nil:
		n.step(e.At, *e.Step)
	case e.Hello != nil:
		n.Hello = cleanHello(e.Hello)
	case e.Report != nil && n.Hello != nil:
		n.sample(e.At, e.Report)
	case e.Down != nil:
		n.down(e.At, e.Down)
	}
}

func (n *nodeRecord) try(at time.Time, t *Try) {
	n.began, n.Tries, n.Steps, n.RetryAt = at, n.Tries+1, nil, time.Time{}
	n.Stages = t.Stages
	n.Interval = max(t.Interval, time.Millisecond)
}

func (n *nodeRecord) step(at time.Time, s reach.Step) {
	s.At, s.Text = at, clean(s.Text, maxName)
	n.Steps = slices.Clone(n.Steps)
	if i := slices.IndexFunc(n.Steps, func(o reach.Step) bool { return o.Stage == s.Stage }); i >= 0 {
		n.Steps[i] = s
	} else {
		n.Steps = append(n.Steps, s)
	}
}

func (n *nodeRecord) down(at time.Time, d *Down) {
	if n.Failure == nil {
		n.downSince = at
	}
	n.Failure, n.RetryAt = cleanFailure(&d.Failure), d.Retry
	took := time.Duration(0)
	if !n.began.IsZero() {
		took = at.Sub(n.began)
	}
	n.Attempts = append([]Attempt{{At: at, Summary: n.Failure.Summary(), Took: took}}, n.Attempts[:min(len(n.Attempts), maxAttempts-1)]...)
	n.lastSteps, n.began, n.reporting = n.Steps, time.Time{}, time.Time{}
}

func (n *nodeRecord) sample(at time.Time, r *wire.Report) {
	if n.reporting.IsZero() {
		n.reporting, n.Failure, n.Tries, n.Attempts = at, nil, 0, nil
		n.clock = binClock{}
	}
	n.Arrived, n.Host, n.GPUs = at, r.Host, n.mergeGPUs(at, r)
	n.out = 0
	for i := range n.GPUs {
		if !n.GPUs[i].reports() {
			n.out++
		}
	}
	n.Took = time.Duration(cleanSpan(r.TookMS)) * time.Millisecond
	n.Listed, n.Processes, n.Faults = r.Listed, cleanProcesses(r.Processes), cleanFaults(r.Faults)
}

// view is the node as it is at now.
func (n *nodeRecord) view(now time.Time) *Node {
	v := n.Node
	v.State, v.Since = n.state(now)
	if v.State == NodeFailed {
		v.Steps = n.lastSteps
	}
	if !n.Arrived.IsZero() {
		v.Age = max(now.Sub(n.Arrived), 0)
	}
	if !v.hasNumbers() {
		v.Host, v.GPUs, v.Listed, v.Processes, v.Faults = wire.Host{}, nil, false, nil, nil
	}
	return &v
}

func (n *Node) hasNumbers() bool { return n.State == NodeReporting || n.State == NodeStale }

// maxTook limits how long a slow driver makes the Store wait for a report. A node that says more is not believed.
const maxTook = time.Minute

// patience is how long no report may come before numbers are stale: a driver that answers slowly answers late.
func (n *Node) patience() time.Duration { return 3 * max(n.Interval, min(n.Took, maxTook)) }

func (n *nodeRecord) state(now time.Time) (NodeState, time.Time) {
	age := now.Sub(n.Arrived)
	switch {
	case !n.reporting.IsZero() && age <= n.patience():
		return NodeReporting, n.reporting
	case !n.reporting.IsZero(), !n.Arrived.IsZero() && age <= max(keepNumbers, n.patience()):
		return NodeStale, n.Arrived
	case n.Failure != nil:
		if !n.Arrived.IsZero() {
			return NodeFailed, n.Arrived
		}
		return NodeFailed, n.downSince
	case !n.began.IsZero():
		return NodeConnecting, n.began
	}
	return NodeConnecting, n.seen
}

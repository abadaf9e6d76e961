package tally

import (
	"cmp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Rank returns the rank of the processes on a GPU; nil if it is unknown or they have several. Only the user's own
// processes have ranks.
func Rank(n *cluster.Node, g *cluster.GPU) *wire.Rank {
	var rank *wire.Rank
	for i := range n.Processes {
		p := &n.Processes[i]
		switch {
		case p.GPU != g.Index || p.Rank == nil:
		case rank == nil:
			rank = p.Rank
		case !SameRank(rank, p.Rank):
			return nil
		}
	}
	return rank
}

// RankState is the known state of a rank.
type RankState int

// The states of a rank, as of the last list of processes of each node.
const (
	RankRuns   RankState = iota // its process is on a GPU
	RankGone                    // its process has left its GPU, while others of the program still run
	RankUnseen                  // no process has it, although all nodes list the processes on all GPUs of the job
	// its node does not respond or does not list the processes on its GPU; without a Node: this is so on some node
	RankUnknown
)

// RankRow is a process of a job on one GPU, or a rank without a process.
type RankRow struct {
	Rank     *wire.Rank // nil: the process has no known rank
	State    RankState
	Node     string        // "": the rank was never seen
	GPU      *cluster.GPU  // nil: not among the GPUs of the node now, or at its failure
	Number   int           // of the GPU; cluster.NoNumber: unknown
	Process  *wire.Process // nil: gone, never seen, or on a node that shows no data
	LastSeen time.Time     // time of its last listing by the node; zero: never

	// Program numbers the programs with ranks of a job from 1 on, if there are several. 0: there is only one, or the
	// process has no rank.
	Program int

	of    cluster.Program
	place int // place of the node in the job
}

// maxWorld is the largest number of ranks for which missing ranks of a program get rows.
const maxWorld = 1 << 14

// Ranks returns the processes of a job on all nodes, and the ranks without a process, by program and rank. Processes
// without a rank come last. The time distinguishes two programs of the same size that ran one after the other.
func Ranks(s *cluster.Snapshot, job *cluster.JobView) []RankRow {
	t := rankTable{s: s, job: job, whole: true}
	t.roll = cluster.NewRoll(t.eachSeenRank)
	t.reserveRows()
	for place, name := range job.Nodes {
		t.addNode(place, Node(s, name))
	}
	t.addAbsent()
	t.addUnseen()
	order := func(a, b RankRow) int {
		return cmp.Or(compareRanks(&a, &b), cmp.Compare(a.place, b.place), cmp.Compare(uint(a.Number), uint(b.Number)))
	}
	if !slices.IsSortedFunc(t.rows, order) { // usually they come in order
		slices.SortStableFunc(t.rows, order)
	}
	t.numberPrograms()
	return t.rows
}

// Missing returns how many ranks of the job's largest program run, and how many it must have, if some are known to be
// missing. It says nothing while a program may still be starting.
func Missing(s *cluster.Snapshot, job *cluster.JobView) (runs, world int, known bool) {
	if job.Start.IsZero() || s.At.Sub(job.Start) < startsWithin {
		return 0, 0, false
	}
	for _, r := range Ranks(s, job) {
		if r.Rank == nil || r.Rank.World == nil || r.Program > 1 {
			continue
		}
		switch world = *r.Rank.World; r.State {
		case RankRuns:
			runs++
		case RankGone, RankUnseen:
			known = true
		case RankUnknown:
			return 0, 0, false
		}
	}
	return runs, world, known && runs > 0 && runs < world
}

// startsWithin is the time after the start of a job in which some of its ranks may not be on their GPUs yet.
const startsWithin = 2 * time.Minute

// reserveRows makes room for all rows at once: growing the table later would copy all rows.
func (t *rankTable) reserveRows() {
	count := 0
	for _, name := range t.job.Nodes {
		n := Node(t.s, name)
		count += max(len(n.Processes), len(n.Ranks))
	}
	const unseen = 1 << 6
	t.rows = make([]RankRow, 0, count+unseen)
}

// eachSeenRank yields the ranks of the job that its nodes remember.
func (t *rankTable) eachSeenRank(yield func(*cluster.SeenRank) bool) {
	for _, name := range t.job.Nodes {
		n := Node(t.s, name)
		for i := range n.Ranks {
			if r := &n.Ranks[i]; r.Job == t.job.ID && !yield(r) {
				return
			}
		}
	}
}

// numberPrograms gives the programs numbers in the order of the rows, if there are several.
func (t *rankTable) numberPrograms() {
	programs, last := 0, cluster.Program{}
	for i := range t.rows {
		if r := &t.rows[i]; r.Rank != nil {
			if programs == 0 || r.of != last {
				programs++
			}
			r.Program, last = programs, r.of
		}
	}
	for i := range t.rows {
		if programs == 1 {
			t.rows[i].Program = 0
		}
	}
}

// compareRanks orders by program, the largest first, and by rank; processes without a rank come last.
func compareRanks(a, b *RankRow) int {
	switch {
	case a.Rank == nil && b.Rank == nil:
		return 0
	case a.Rank == nil:
		return 1
	case b.Rank == nil:
		return -1
	}
	p, q := a.of, b.of
	return cmp.Or(cmp.Compare(q.World, p.World), cmp.Compare(p.From, q.From), cmp.Compare(p.Nth, q.Nth),
		cmp.Compare(a.Rank.Rank, b.Rank.Rank))
}

// rankTable is a table of ranks under construction.
type rankTable struct {
	s      *cluster.Snapshot
	job    *cluster.JobView
	rows   []RankRow
	roll   *cluster.Roll // a rank with a row counts as taken
	absent []RankRow     // seen ranks without a process now
	whole  bool          // all nodes report, and list all GPUs of the job
	silent []string      // nodes that do not report

	unlisted []unlistedGPU // GPUs of the job on other nodes
}

// addNode adds the processes of a node, and keeps its other ranks for later.
func (t *rankTable) addNode(place int, n *cluster.Node) {
	if count, known := t.job.GPUsOn(n.Name); known && count == 0 {
		return // no GPU there
	}
	state := RankRuns
	if n.State != cluster.NodeReporting {
		state, t.silent = RankUnknown, append(t.silent, n.Name)
	}
	t.whole = t.whole && n.State == cluster.NodeReporting && n.Listed
	for i := range n.GPUs {
		g := &n.GPUs[i]
		if listsProcesses(n, g) || !t.job.Owns(n, g) {
			continue
		}
		if t.whole = false; n.State == cluster.NodeReporting && n.Listed {
			t.unlisted = append(t.unlisted, unlistedGPU{n.Name, g})
		}
	}
	for i := range n.Processes {
		if p := &n.Processes[i]; t.job.Runs(n, p) {
			t.addProcess(place, n, p, state)
		}
	}
	for i := range n.Ranks {
		if r := &n.Ranks[i]; r.Job == t.job.ID {
			t.addSeen(place, n, r)
		}
	}
}

func (t *rankTable) addProcess(place int, n *cluster.Node, p *wire.Process, state RankState) {
	row := RankRow{Rank: p.Rank, State: state, Node: n.Name, Number: cluster.NoNumber, Process: p, LastSeen: n.ListedAt,
		place: place}
	row.findGPU(n, func(g *cluster.GPU) bool { return g.Index == p.GPU })
	if p.Rank != nil {
		row.of = t.roll.OfProcess(n, p)
		t.roll.Take(row.idOfRank())
	}
	t.rows = append(t.rows, row)
}

// idOfRank returns the rank of a row that has one.
func (r *RankRow) idOfRank() cluster.RankID { return cluster.RankID{Program: r.of, Rank: r.Rank.Rank} }

// findGPU sets the GPU of a row; for a failed node, from its past. It copies no GPU, since they are large.
func (r *RankRow) findGPU(n *cluster.Node, is func(g *cluster.GPU) bool) {
	gpus := n.GPUs
	if n.Past != nil {
		gpus = n.Past.GPUs
	}
	for i := range gpus {
		if g := &gpus[i]; is(g) {
			r.GPU, r.Number = g, g.Number
			return
		}
	}
}

// addSeen notes the start of a rank's process if it may still run. Otherwise it keeps the rank as an absent one.
func (t *rankTable) addSeen(place int, n *cluster.Node, r *cluster.SeenRank) {
	of := t.roll.Of(r)
	if n.Listed && r.Seen.Equal(n.ListedAt) { // it runs
		t.roll.GoesOn(of, r.Began)
		return
	}
	row := RankRow{Rank: &r.Rank, State: RankUnknown, Node: n.Name, Number: r.Number, LastSeen: r.Seen, of: of,
		place: place}
	row.findGPU(n, func(g *cluster.GPU) bool { return g.Key == r.Key })
	if n.State == cluster.NodeReporting && row.GPU != nil && listsProcesses(n, row.GPU) {
		row.State = RankGone
	} else {
		t.roll.GoesOn(of, r.Began)
	}
	t.absent = append(t.absent, row)
}

// listsProcesses reports whether the node's list has the processes on a GPU.
func listsProcesses(n *cluster.Node, g *cluster.GPU) bool {
	return n.Listed && g.Unlisted == "" && Lost(g) == "" && !g.Hung()
}

// addAbsent adds the seen ranks that have no process now, each at its last place. It leaves out the ranks of a program
// that is over: all its ranks are gone, or its running ranks began after these were last seen.
func (t *rankTable) addAbsent() {
	slices.SortStableFunc(t.absent, func(a, b RankRow) int { return b.LastSeen.Compare(a.LastSeen) })
	for _, row := range t.absent {
		if id := row.idOfRank(); t.roll.Misses(id, row.LastSeen) {
			t.roll.Take(id)
			t.rows = append(t.rows, row)
		}
	}
}

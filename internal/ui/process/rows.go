package process

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// listingKey has everything that the rows depend on.
type listingKey struct {
	scope          Scope
	job, node, gpu string
	mine           bool
}

// listing has the rows of a Snapshot.
type listing struct {
	of     listingKey
	rows   []table.ProcessRow // by job, node, GPU and PID
	nodes  int                // number of nodes in the scope
	listed int                // number of these nodes that have listed their processes

	found  []table.ProcessRow // the processes of one node; rows are large, so their indexes are sorted instead
	places []int32
}

func (x *scoping) currentQuestion(s *part.Scene) listingKey {
	q := listingKey{scope: x.effectiveScope(s), mine: s.Mine}
	switch q.scope {
	case OfGPU:
		q.job, q.node, q.gpu = s.Job.ID, s.Node.Name, x.gpu
	case OfNode:
		q.job, q.node = s.Job.ID, s.Node.Name
	case OfJob:
		q.job = s.Job.ID
	}
	return q
}

// currentListing returns the listing of the scene, which is made once. The rows of the next Snapshot reuse its memory,
// since there are thousands of rows.
func (x *scoping) currentListing(s *part.Scene) *listing {
	q := x.currentQuestion(s)
	return part.Again(s, q, func(before *listing) *listing {
		l := &listing{of: q}
		if before != nil {
			l.rows, l.found, l.places = before.rows[:0], before.found, before.places
			clear(before.rows) // old rows must not keep strings alive
		}
		l.addRows(s)
		clear(l.found[:cap(l.found)])
		return l
	})
}

func keyOf(r *table.ProcessRow) nav.Process {
	w := r.Process.Process
	return nav.Process{Node: r.Node.Name, ProcessID: wire.ProcessID{PID: w.PID, StartTicks: w.StartTicks}, GPU: w.GPU}
}

// addRows adds the rows of the scope.
func (l *listing) addRows(s *part.Scene) {
	switch l.of.scope {
	case OfJobs, OfNodes:
		l.addJobs(s)
	case OfJob:
		l.reserveRows(s, slices.Values(s.Job.Nodes))
		for _, name := range s.Job.Nodes {
			l.addNode(s, s.NodeOf(name), []*cluster.JobView{s.Job}, false)
		}
	default:
		l.addNode(s, s.NodeOf(s.Node.Name), []*cluster.JobView{s.Job}, true)
	}
}

// addJobs adds the processes of all jobs, each node once.
func (l *listing) addJobs(s *part.Scene) {
	on := map[string][]*cluster.JobView{}
	for i := range s.Snap.Jobs {
		for _, name := range s.Snap.Jobs[i].Nodes {
			on[name] = append(on[name], &s.Snap.Jobs[i])
		}
	}
	l.reserveRows(s, maps.Keys(on))
	for i := range s.Snap.Jobs {
		for _, name := range s.Snap.Jobs[i].Nodes {
			if jobs := on[name]; jobs != nil {
				l.addNode(s, s.NodeOf(name), jobs, false)
				on[name] = nil
			}
		}
	}
}

// reserveRows makes room for the processes of nodes in advance: growing later would copy all rows.
func (l *listing) reserveRows(s *part.Scene, nodes iter.Seq[string]) {
	count := 0
	for name := range nodes {
		count += len(s.NodeOf(name).Processes)
	}
	l.rows = slices.Grow(l.rows, count)
}

// ownedGPU is a GPU of a node, and its owner.
type ownedGPU struct {
	gpu   *cluster.GPU
	owner *cluster.JobView // the job, of those in the scope; nil: none of them
	hides bool             // --only hides it
}

// addNode adds the processes of a node: all of them, or those of the jobs and those of others on the jobs' GPUs.
// Processes of others are not hidden if the scope asks for them.
func (l *listing) addNode(s *part.Scene, n *cluster.Node, jobs []*cluster.JobView, all bool) {
	l.nodes++
	if n.Listed {
		l.listed++
	}
	slots := slotsOf(n, jobs, s.Only)
	l.found, l.places = l.found[:0], l.places[:0]
	for i := range n.Processes {
		r, hidden := rowOf(s, n, &n.Processes[i], slots, jobs)
		inGPU := l.of.scope != OfGPU || isWantedGPU(r.On, n.GPUWith(l.of.gpu))
		if !hidden && inGPU && (all && !l.of.mine || l.of.scope == OfNodes || r.Own) {
			l.places = append(l.places, int32(len(l.found)))
			l.found = append(l.found, r)
		}
	}
	slices.SortFunc(l.places, func(i, k int32) int { return byPlace(&l.found[i], &l.found[k]) })
	l.rows = slices.Grow(l.rows, len(l.places))
	for _, at := range l.places {
		l.rows = append(l.rows, l.found[at])
	}
}

// byPlace orders the processes of a node: the job's first, by GPU and PID.
func byPlace(a, b *table.ProcessRow) int {
	switch {
	case a.Own != b.Own:
		return compareBools(b.Own, a.Own)
	case a.Number != b.Number:
		return cmp.Compare(uint(a.Number), uint(b.Number))
	case a.PID != b.PID:
		return cmp.Compare(a.PID, b.PID)
	}
	return cmp.Compare(a.GPU, b.GPU)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// isWantedGPU reports whether a GPU is the wanted one, or an instance of it.
func isWantedGPU(g, want *cluster.GPU) bool {
	return g != nil && (g.Key == want.Key || g.Instance() && !want.Instance() && g.Number == want.Number)
}

func slotsOf(n *cluster.Node, jobs []*cluster.JobView, only tally.Only) []ownedGPU {
	slots := make([]ownedGPU, len(n.GPUs))
	for i := range n.GPUs {
		slots[i].gpu, slots[i].hides = &n.GPUs[i], !only.Shows(&n.GPUs[i])
	}
	for k := len(jobs) - 1; k >= 0; k-- { // the first job decides
		share := jobs[k].Share(n)
		for i := range slots {
			if share.Has(&slots[i].gpu.Number) {
				slots[i].owner = jobs[k]
			}
		}
	}
	return slots
}

// rowOf returns the row of a process. Its job comes from its cgroup or environment, otherwise from its GPU.
func rowOf(s *part.Scene, n *cluster.Node, w *wire.Process, slots []ownedGPU,
	jobs []*cluster.JobView) (r table.ProcessRow,
	hidden bool) {
	r = table.ProcessRow{Process: tally.Process{Process: w, Number: w.GPU, Own: true}, Node: n}
	var job *cluster.JobView
	for i := range slots {
		if g := slots[i].gpu; g.Index == w.GPU {
			r.On, r.Number, job, hidden = g, g.Number, slots[i].owner, slots[i].hides
			r.Own = job != nil
		}
	}
	for _, j := range jobs {
		if w.Job != "" && w.Job == j.Number {
			job, r.Own = j, true
		}
	}
	if job != nil {
		r.Job = job.ID
	}
	r.Ghost = !r.Own || !tally.Mine(s.Snap, w)
	return r, hidden
}

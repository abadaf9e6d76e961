package rows

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// UserRow has the resources of a user on the GPUs of the nodes, according to their lists of processes.
type UserRow struct {
	User               string // "": unknown
	Mine               bool   // the user is the owner of the jobs
	Nodes, GPUs, Procs int
	Memory             float64  // bytes of GPU memory; NaN: unknown for all processes
	Power              float64  // watts of the GPUs that only this user uses; NaN: there are none, or unknown
	Longest            *int64   // run time of the oldest process in seconds; nil: unknown
	Command            string   // of that process
	Jobs               []string // IDs, for jobs of this user as squeue prints them
}

// physicalGPU is a GPU of a node with its MIG instances.
type physicalGPU struct {
	number int
	key    string // of a GPU without a number

	watts   float64 // NaN: unknown
	holders int     // number of its users, including those of hidden instances
}

// gpuOrInstance is a GPU of a node, or an instance.
type gpuOrInstance struct {
	index  int
	hidden bool
	place  int // in node.places
}

// gpuShare is one user on one place of a node.
type gpuShare struct {
	of    *rowBuilder
	place int
	shown bool // one of the GPUs of the place is shown
}

// rowBuilder is a Row under construction.
type rowBuilder struct {
	row   UserRow
	watts float64
	jobs  map[string]bool
	last  struct{ node, job string }
}

// nodeUsers has the users on one node. It uses lists, since there are few of each.
type nodeUsers struct {
	places []physicalGPU
	gpus   []gpuOrInstance
	holds  []gpuShare
	procs  map[wire.ProcessID]bool // the shown ones; a process may be on several GPUs
}

// UsersOf returns the users that have processes on the shown GPUs of the jobs' nodes, or on no known GPU, by name.
func UsersOf(s *cluster.Snapshot, only tally.Only) []UserRow {
	sums := map[string]*rowBuilder{}
	ids := map[string]string{}
	for i := range s.Jobs {
		ids[s.Jobs[i].Number] = s.Jobs[i].ID
	}
	sumOf := func(user string) *rowBuilder {
		if sums[user] == nil {
			sums[user] = &rowBuilder{row: UserRow{User: user, Memory: math.NaN(), Power: math.NaN()},
				jobs: map[string]bool{}}
		}
		return sums[user]
	}
	here := nodeUsers{procs: map[wire.ProcessID]bool{}}
	for _, name := range slices.Sorted(maps.Keys(s.Nodes)) {
		n := s.Nodes[name]
		here.enterNode(n, only)
		var u *rowBuilder
		for i := range n.Processes {
			p := &n.Processes[i]
			if u == nil || u.row.User != p.User {
				u = sumOf(p.User)
			}
			if here.holdsShown(u, p) {
				u.addProcess(s, n, p, cmp.Or(ids[p.Job], p.Job))
			}
		}
		here.addNodeGPUs()
	}
	rows := make([]UserRow, 0, len(sums))
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if u := sums[name]; u.row.Procs > 0 {
			rows = append(rows, u.finishRow())
		}
	}
	return rows
}

// enterNode begins with the GPUs of a node.
func (u *nodeUsers) enterNode(n *cluster.Node, only tally.Only) {
	u.places, u.gpus, u.holds = u.places[:0], u.gpus[:0], u.holds[:0]
	clear(u.procs)
	for i := range n.GPUs {
		g := &n.GPUs[i]
		at := u.placeOf(g)
		u.gpus = append(u.gpus, gpuOrInstance{index: g.Index, hidden: !only.Shows(g), place: at})
		if !g.Instance() {
			u.places[at].watts = g.Float(metric.Power)
		}
	}
}

// placeOf returns the place of a GPU.
func (u *nodeUsers) placeOf(g *cluster.GPU) int {
	is := physicalGPU{number: g.Number, watts: math.NaN()}
	if g.Number == cluster.NoNumber {
		is.key = g.Key
	}
	for at := range u.places {
		if p := &u.places[at]; p.number == is.number && p.key == is.key {
			return at
		}
	}
	u.places = append(u.places, is)
	return len(u.places) - 1
}

// holdsShown notes a user's process on one of the node's GPUs, and reports whether that GPU is shown.
func (u *nodeUsers) holdsShown(of *rowBuilder, p *wire.Process) bool {
	at := slices.IndexFunc(u.gpus, func(g gpuOrInstance) bool { return g.index == p.GPU })
	shown := at < 0 || !u.gpus[at].hidden
	if at >= 0 {
		u.addHold(of, u.gpus[at].place, shown)
	}
	if id := (wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks}); shown && !u.procs[id] {
		u.procs[id] = true
		of.row.Procs++
	}
	return shown
}

func (u *nodeUsers) addHold(of *rowBuilder, place int, shown bool) {
	for i := range u.holds {
		if h := &u.holds[i]; h.of == of && h.place == place {
			h.shown = h.shown || shown
			return
		}
	}
	u.holds = append(u.holds, gpuShare{of, place, shown})
	u.places[place].holders++
}

// addNodeGPUs adds the GPUs of the node to the sums.
func (u *nodeUsers) addNodeGPUs() {
	for _, h := range u.holds {
		if !h.shown {
			continue
		}
		h.of.row.GPUs++
		if at := &u.places[h.place]; !math.IsNaN(at.watts) && at.holders == 1 {
			h.of.watts, h.of.row.Power = h.of.watts+at.watts, 0
		}
	}
}

// addProcess adds a process that is on one of the node's GPUs.
func (u *rowBuilder) addProcess(s *cluster.Snapshot, n *cluster.Node, p *wire.Process, job string) {
	if u.row.Nodes == 0 || u.last.node != n.Name {
		u.row.Nodes, u.last.node = u.row.Nodes+1, n.Name
	}
	u.row.Mine = u.row.Mine || tally.Mine(s, p)
	if job != u.last.job && job != "" {
		u.jobs[job], u.last.job = true, job
	}
	if p.GPUMemory != nil {
		if math.IsNaN(u.row.Memory) {
			u.row.Memory = 0
		}
		u.row.Memory += float64(*p.GPUMemory)
	}
	if p.ElapsedSec != nil && (u.row.Longest == nil || *p.ElapsedSec > *u.row.Longest) {
		u.row.Longest, u.row.Command = p.ElapsedSec, cmp.Or(p.Command, p.Name)
	}
}

func (u *rowBuilder) finishRow() UserRow {
	r := u.row
	r.Jobs = slices.SortedFunc(maps.Keys(u.jobs),
		func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if !math.IsNaN(r.Power) {
		r.Power = math.Round(u.watts) // the GPUs come in any order, which must not show
	}
	return r
}

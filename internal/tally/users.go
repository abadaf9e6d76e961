package tally

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// UserRow has the resources of a user on the GPUs of the nodes, according to their lists of processes.
type UserRow struct {
	User               string // "": unknown
	Mine               bool   // the owner of the jobs
	Nodes, GPUs, Procs int
	Memory             float64  // bytes of GPU memory; NaN: unknown for all processes
	Power              float64  // watts of the GPUs that only this user uses; NaN: there are none, or it is unknown
	Longest            *int64   // run time of the oldest process in seconds; nil: unknown
	Command            string   // of that process
	Jobs               []string // IDs, for jobs of this user as squeue prints them
}

// userPlace is a GPU of a node with its MIG instances.
type userPlace struct {
	gpu int
	key string
}

// userHold is a user on a GPU of a node.
type userHold struct {
	user string
	at   userPlace
}

// userProcess is a process of a user on a node.
type userProcess struct {
	user string
	id   wire.ProcessID
}

// userSum is a UserRow under construction.
type userSum struct {
	row   UserRow
	watts float64
	jobs  map[string]bool
	last  string // the last node
}

// userNode has the users on one node.
type userNode struct {
	at      map[int]userPlace // by index
	hidden  map[int]bool      // likewise
	watts   map[userPlace]float64
	holders map[userPlace]int // number of users of each GPU, even of hidden instances
	holds   map[userHold]bool // whether one of them is shown
	procs   map[userProcess]bool
}

// Users returns the users with processes on the shown GPUs of the jobs' nodes, or on no known GPU, by name.
func Users(s *cluster.Snapshot, only Only) []UserRow {
	sums := map[string]*userSum{}
	ids := map[string]string{}
	for i := range s.Jobs {
		ids[s.Jobs[i].Number] = s.Jobs[i].ID
	}
	here := userNode{map[int]userPlace{}, map[int]bool{}, map[userPlace]float64{}, map[userPlace]int{},
		map[userHold]bool{}, map[userProcess]bool{}}
	for _, name := range slices.Sorted(maps.Keys(s.Nodes)) {
		n := s.Nodes[name]
		here.enter(n, only)
		for i := range n.Processes {
			p := &n.Processes[i]
			if !here.holdsShown(p) {
				continue
			}
			u := sums[p.User]
			if u == nil {
				u = &userSum{row: UserRow{User: p.User, Memory: math.NaN(), Power: math.NaN()}, jobs: map[string]bool{}}
				sums[p.User] = u
			}
			u.add(n, p, Mine(s, p), cmp.Or(ids[p.Job], p.Job))
		}
		here.leave(sums)
	}
	rows := make([]UserRow, 0, len(sums))
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		rows = append(rows, sums[name].finish())
	}
	return rows
}

// enter begins with the GPUs of a node.
func (u *userNode) enter(n *cluster.Node, only Only) {
	clear(u.at)
	clear(u.hidden)
	clear(u.watts)
	clear(u.holders)
	clear(u.holds)
	clear(u.procs)
	for i := range n.GPUs {
		g := &n.GPUs[i]
		at := placeOfGPU(g)
		u.at[g.Index], u.hidden[g.Index] = at, !only.Shows(g)
		if w, known := g.Get(metric.Power); known && !g.Instance() {
			u.watts[at] = w
		}
	}
}

// holdsShown notes a process on one of its GPUs, and reports whether that GPU is shown.
func (u *userNode) holdsShown(p *wire.Process) bool {
	shown := !u.hidden[p.GPU]
	if at, known := u.at[p.GPU]; known {
		hold := userHold{p.User, at}
		was, there := u.holds[hold]
		u.holds[hold] = was || shown
		if !there {
			u.holders[at]++
		}
	}
	if shown {
		u.procs[userProcess{p.User, idOfProcess(p)}] = true
	}
	return shown
}

// leave adds the users of the node to the sums.
func (u *userNode) leave(sums map[string]*userSum) {
	for hold, shown := range u.holds {
		if !shown {
			continue
		}
		sum := sums[hold.user]
		sum.row.GPUs++
		if w, has := u.watts[hold.at]; has && u.holders[hold.at] == 1 {
			sum.watts, sum.row.Power = sum.watts+w, 0
		}
	}
	for p := range u.procs {
		sums[p.user].row.Procs++
	}
}

func placeOfGPU(g *cluster.GPU) userPlace {
	if g.Number == cluster.NoNumber {
		return userPlace{gpu: g.Number, key: g.Key}
	}
	return userPlace{gpu: g.Number}
}

// add adds a process on one of its GPUs.
func (u *userSum) add(n *cluster.Node, p *wire.Process, mine bool, job string) {
	if u.row.Nodes == 0 || u.last != n.Name {
		u.row.Nodes, u.last = u.row.Nodes+1, n.Name
	}
	u.row.Mine = u.row.Mine || mine
	if job != "" {
		u.jobs[job] = true
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

// finish completes the row.
func (u *userSum) finish() UserRow {
	r := u.row
	r.Jobs = slices.SortedFunc(maps.Keys(u.jobs),
		func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if !math.IsNaN(r.Power) {
		r.Power = math.Round(u.watts) // the GPUs come in any order, which must not show
	}
	return r
}

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

// UserRow is what a user holds on the GPUs of the nodes, as their lists of processes say.
type UserRow struct {
	User               string // "": not known
	Mine               bool   // the user whose jobs these are
	Nodes, GPUs, Procs int
	Memory             float64  // bytes of GPU memory; NaN: of no process known
	Power              float64  // watts of the GPUs that this user alone uses; NaN: there are none, or it is not known
	Longest            *int64   // seconds that the process has run which has run longest; nil: not known
	Command            string   // of that process
	Jobs               []string // IDs, as squeue prints them where they are jobs of this user
}

// userPlace is a GPU with its MIG instances, or a process.
type userPlace struct {
	node string
	id   wire.ProcessID
	gpu  int
	key  string
}

// userHold is a user on a GPU.
type userHold struct {
	at   userPlace
	user string
}

// userSum is a UserRow while it is made.
type userSum struct {
	row         UserRow
	nodes, jobs map[string]bool
	gpus, procs map[userPlace]bool
}

// Users are the users who have processes on those GPUs of the nodes of jobs that are to be shown, or on none that is known, by name.
func Users(s *cluster.Snapshot, only Only) []UserRow {
	sums := map[string]*userSum{}
	most := 8 * len(s.Nodes)
	holders := make(map[userPlace]int, most) // how many users each GPU has, also those of its instances that are hidden
	holds := make(map[userHold]bool, most)
	watts := make(map[userPlace]float64, most)
	ids := map[string]string{}
	for i := range s.Jobs {
		ids[s.Jobs[i].Number] = s.Jobs[i].ID
	}
	for _, name := range slices.Sorted(maps.Keys(s.Nodes)) {
		n := s.Nodes[name]
		gpus := make(map[int]userPlace, len(n.GPUs)) // by index
		hidden := map[int]bool{}
		for i := range n.GPUs {
			g := &n.GPUs[i]
			at := placeOfGPU(n, g)
			gpus[g.Index], hidden[g.Index] = at, !only.Shows(g)
			if w, known := g.Get(metric.Power); known && !g.Instance() {
				watts[at] = w
			}
		}
		for i := range n.Processes {
			p := &n.Processes[i]
			at, known := gpus[p.GPU]
			if hold := (userHold{at, p.User}); known && !holds[hold] {
				holds[hold] = true
				holders[at]++
			}
			if hidden[p.GPU] {
				continue
			}
			u := sums[p.User]
			if u == nil {
				u = &userSum{UserRow{User: p.User, Memory: math.NaN(), Power: math.NaN()}, map[string]bool{}, map[string]bool{}, map[userPlace]bool{}, map[userPlace]bool{}}
				sums[p.User] = u
			}
			if known {
				u.gpus[at] = true
			}
			u.add(n, p, Mine(s, p), cmp.Or(ids[p.Job], p.Job))
		}
	}
	rows := make([]UserRow, 0, len(sums))
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		rows = append(rows, sums[name].finish(holders, watts))
	}
	return rows
}

func placeOfGPU(n *cluster.Node, g *cluster.GPU) userPlace {
	if g.Number == cluster.NoNumber {
		return userPlace{node: n.Name, gpu: g.Number, key: g.Key}
	}
	return userPlace{node: n.Name, gpu: g.Number}
}

// add adds a process on one of its GPUs.
func (u *userSum) add(n *cluster.Node, p *wire.Process, mine bool, job string) {
	u.nodes[n.Name] = true
	u.procs[userPlace{node: n.Name, id: idOfProcess(p)}] = true
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
func (u *userSum) finish(holders map[userPlace]int, watts map[userPlace]float64) UserRow {
	r := u.row
	r.Nodes, r.GPUs, r.Procs = len(u.nodes), len(u.gpus), len(u.procs)
	r.Jobs = slices.SortedFunc(maps.Keys(u.jobs), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	sum, known := 0.0, false
	for at := range u.gpus {
		if w, has := watts[at]; has && holders[at] == 1 {
			sum, known = sum+w, true
		}
	}
	if known {
		r.Power = math.Round(sum) // the GPUs come in any order, which must not be seen
	}
	return r
}

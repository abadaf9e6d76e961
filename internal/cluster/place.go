package cluster

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// memory is what a node's last Hello said whose GPUs all had names and numbers. A GPU that loses both later is known by it.
type memory struct {
	job   string // Hello.Job: in the cgroup of another job there are other GPUs
	cards []wire.Card
}

// place gives each GPU its Number, and those that have lost their names what is remembered of them. A number that nothing proves stays
// NoNumber: a lost GPU must not be taken for another one.
func (n *nodeRecord) place(gpus []GPU) {
	n.remembered(gpus)
	var without []*GPU
	for i := range gpus {
		g := &gpus[i]
		if g.Number = NoNumber; g.Card.Minor != nil {
			g.Number = *g.Card.Minor
		} else {
			without = append(without, g)
		}
	}
	if len(without) > 0 && !n.placeByJobs(gpus, without) {
		n.placeByIndex(gpus, without)
	}
}

// remembered gives the cards back to GPUs that have lost theirs, and keeps the cards when all are there.
func (n *nodeRecord) remembered(gpus []GPU) {
	if n.memory.job != n.Hello.Job {
		n.memory = memory{job: n.Hello.Job}
	}
	var bare []*GPU
	for i := range gpus {
		if c := &gpus[i].Card; c.UUID == "" || c.Minor == nil {
			bare = append(bare, &gpus[i])
		}
	}
	if len(bare) == 0 && len(gpus) > 0 {
		n.memory.cards = n.Hello.GPUs
	}
	for _, g := range bare {
		if i := n.memory.find(gpus, g, len(bare)); i >= 0 {
			index, lost, id := g.Card.Index, g.Card.Lost, g.Card.LostID
			g.Card = n.memory.cards[i]
			g.Card.Index, g.Card.Lost, g.Card.LostID = index, lost, id
		}
	}
}

// find is the place of the remembered card of a bare GPU: by its UUID or its bus, as the only one that is absent, or by its index where all others
// have kept theirs. It is -1 when none of them says so.
func (m *memory) find(gpus []GPU, bare *GPU, bares int) int {
	if i := slices.IndexFunc(m.cards, func(c wire.Card) bool { return c.UUID == bare.Card.UUID }); i >= 0 {
		return i
	}
	var absent []int
	moved := false
	for i, c := range m.cards {
		at := slices.IndexFunc(gpus, func(g GPU) bool { return g.Card.UUID == c.UUID })
		if at < 0 {
			absent = append(absent, i)
		} else if gpus[at].Card.Index != c.Index {
			moved = true
		}
	}
	for _, i := range absent {
		switch c := m.cards[i]; {
		case bare.Card.PCIBus != "":
			if c.PCIBus == bare.Card.PCIBus {
				return i
			}
		case len(absent) == 1 && bares == 1, !moved && c.Index == bare.Card.Index:
			return i
		}
	}
	return -1
}

// placeByJobs places GPUs where the probe sees only those of one job: they are the ones that the job lacks.
func (n *nodeRecord) placeByJobs(gpus []GPU, without []*GPU) bool {
	view := Node{Name: n.Name, Hello: n.Hello, GPUs: gpus}
	var lacks []int
	found := 0
	for _, job := range n.jobs {
		minors := job.Minors[n.Name]
		if len(minors) == 0 || n.Hello.Job != "" && n.Hello.Job != job.Number || !job.onlyIts(&view) {
			continue
		}
		free := slices.DeleteFunc(slices.Clone(minors), view.has)
		if len(free) == len(without) {
			lacks, found = free, found+1
		}
	}
	if found != 1 {
		return false
	}
	slices.Sort(lacks)
	for i, g := range without {
		g.Number = lacks[i]
	}
	return true
}

// placeByIndex places GPUs by NVML's index where the probe sees the whole node and all other GPUs have their index as number.
func (n *nodeRecord) placeByIndex(gpus []GPU, without []*GPU) {
	whole := n.Hello.Job == "" || slices.ContainsFunc(n.jobs, func(j *Job) bool {
		minors, known := j.Minors[n.Name]
		return j.Number == n.Hello.Job && known && len(gpus) > len(minors)
	})
	if !whole || slices.ContainsFunc(gpus, func(g GPU) bool { return g.Number != NoNumber && g.Number != g.Card.Index }) {
		return
	}
	for _, g := range without {
		g.Number = g.Card.Index
	}
}

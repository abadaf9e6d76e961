package store

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// cardMemory has the cards of a node's last Hello in which every GPU had a UUID and a number. It identifies GPUs that
// later lose these.
type cardMemory struct {
	job   string // Hello.Job, or its SLUID; the cgroup of another job has other GPUs
	cards []wire.Card
}

// numbering has what proves the numbers of a node's GPUs: what the probe sees, and what SLURM gave to jobs.
type numbering struct {
	node  string
	hello *wire.Hello
	jobs  []*jobCommon // on the node
}

func (n *nodeRecord) newNumbering() numbering { return numbering{n.Name, n.Hello, n.jobs} }

// numberGPUs sets the Number of each GPU. Without proof it stays NoNumber: a lost GPU must not be mistaken for another
// one.
func (n numbering) numberGPUs(gpus []cluster.GPU) {
	var without []*cluster.GPU
	for i := range gpus {
		g := &gpus[i]
		if g.Number = cluster.NoNumber; g.Card.Minor != nil {
			g.Number = *g.Card.Minor
		} else if !g.Instance() {
			without = append(without, g)
		}
	}
	if len(without) == 0 {
		return
	}
	if whole := wholeGPUs(gpus); !n.byJobs(whole, without) {
		n.byIndex(whole, without)
	}
}

// wholeGPUs returns the GPUs without MIG instances, which SLURM does not number as GPUs.
func wholeGPUs(gpus []cluster.GPU) []cluster.GPU {
	return slices.DeleteFunc(slices.Clone(gpus), func(g cluster.GPU) bool { return g.Instance() })
}

// restoreCards gives back to GPUs the cards that they have lost. If the cards of the Hello are complete, it stores
// them.
func (m *cardMemory) restoreCards(h *wire.Hello, gpus []cluster.GPU) {
	if job := h.Job + h.SLUID; m.job != job {
		*m = cardMemory{job: job}
	}
	var bare []*cluster.GPU
	for i := range gpus {
		if c := gpus[i].Card; c.Instance == nil && (c.UUID == "" || c.Minor == nil) {
			bare = append(bare, &gpus[i])
		}
	}
	if len(bare) == 0 && len(gpus) > 0 {
		m.cards = h.GPUs
	}
	for _, g := range bare {
		if i := m.findCard(gpus, g, len(bare)); i >= 0 {
			card := m.cards[i]
			card.Index, card.Lost, card.LostID = g.Card.Index, g.Card.Lost, g.Card.LostID
			g.Card = &card
		}
	}
}

// findCard returns the position of the stored card of a bare GPU: by UUID, by PCI bus, as the only absent one, or by
// index if all others kept theirs. It returns -1 if none of these identifies it.
func (m *cardMemory) findCard(gpus []cluster.GPU, bare *cluster.GPU, bares int) int {
	if i := slices.IndexFunc(m.cards, func(c wire.Card) bool { return c.UUID == bare.Card.UUID }); i >= 0 {
		return i
	}
	var absent []int
	moved := false
	for i, c := range m.cards {
		if c.Instance != nil {
			continue
		}
		at := slices.IndexFunc(gpus, func(g cluster.GPU) bool { return g.Card.UUID == c.UUID })
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

// byJobs numbers GPUs if the probe sees only the GPUs of one job: they get the numbers that the job lacks.
func (n numbering) byJobs(gpus []cluster.GPU, without []*cluster.GPU) bool {
	view := cluster.Node{Name: n.node, Hello: n.hello, GPUs: gpus}
	view.LayOut()
	var lacks []int
	found := 0
	for _, job := range n.jobs {
		minors := job.Minors[n.node]
		if len(minors) == 0 || !job.Share(&view).Known || n.hello.Adopted() && n.hello.Job != job.Number ||
			!job.SeesOnlyIts(&view) {
			continue
		}
		free := slices.DeleteFunc(slices.Clone(minors), view.HasGPU)
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

// byIndex numbers GPUs by their index if the probe sees the whole node and the number of every other GPU is its index.
func (n numbering) byIndex(gpus []cluster.GPU, without []*cluster.GPU) {
	whole := !n.hello.Adopted() || slices.ContainsFunc(n.jobs, func(j *jobCommon) bool {
		minors, known := j.Minors[n.node]
		return j.Number == n.hello.Job && known && len(gpus) > len(minors)
	})
	view := cluster.Node{GPUs: gpus}
	if !whole || view.AnyGPU(func(g *cluster.GPU) bool {
		return g.Number != cluster.NoNumber &&
			g.Number != g.Card.Index
	}) {
		return
	}
	for _, g := range without {
		g.Number = g.Card.Index
	}
}

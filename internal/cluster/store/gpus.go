package store

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// mergeGPUs continues the history of the node and returns its GPUs after a report, each with its card and its continued
// history.
func (n *nodeRecord) mergeGPUs(at time.Time, r *wire.Report) []cluster.GPU {
	var bin int64
	if !r.OffBeat {
		bin = n.clock.Bin(at, r.MonoMS, history.BinWidth(n.poll, n.span))
		n.History.Reserve(n.room)
		n.History.AddNode(bin, history.Len(n.poll, n.span), r.Host.Float)
	}
	out := make([]cluster.GPU, len(n.Hello.GPUs))
	for i := range out {
		card := &n.Hello.GPUs[i]
		fillGPU(&out[i], card, sampleOf(r, card.Index, i))
	}
	n.memory.restoreCards(n.Hello, out)
	n.newNumbering().numberGPUs(out)
	for i := range out {
		g := &out[i]
		g.Key = gpuKey(g.Card, out[:i])
		g.History = n.known[g.Key]
		g.History.Reserve(n.room)
	}
	cluster.Grow(out, n.GPUs, at, r)
	for i := range out {
		if g := &out[i]; !r.OffBeat {
			g.History.AddGPU(bin, history.Len(n.poll, n.span), newNumbers(g), n.meanPower(g))
		}
	}
	n.keepHistories(out)
	sortGPUs(out)
	return out
}

// sampleOf returns the sample of the GPU with this index, which is probably at position likely; nil: there is none.
func sampleOf(r *wire.Report, index, likely int) *wire.GPU {
	if likely < len(r.GPUs) && r.GPUs[likely].Index == index {
		return &r.GPUs[likely]
	}
	for i := range r.GPUs {
		if r.GPUs[i].Index == index {
			return &r.GPUs[i]
		}
	}
	return nil
}

func sortGPUs(gpus []cluster.GPU) {
	for i := 1; i < len(gpus); i++ {
		if uint(gpus[i].Number) < uint(gpus[i-1].Number) { // NoNumber goes last
			slices.SortStableFunc(gpus, func(a, b cluster.GPU) int {
				return cmp.Compare(uint(a.Number),
					uint(b.Number))
			})
			return
		}
	}
}

// newNumbers returns the values of the sample; none if the sample repeats an earlier one.
func newNumbers(g *cluster.GPU) func(metric.ID) float64 {
	if g.Repeated {
		return new(metric.Values).Float
	}
	return g.Values.Float
}

// fillGPU fills the empty g with a GPU's card and its sample; nil: there is no sample.
func fillGPU(g *cluster.GPU, card *wire.Card, sample *wire.GPU) {
	if sample == nil {
		sample = &wire.GPU{Index: card.Index}
	}
	g.Card, g.GPU = clean.Parts(card, clean.GPU(sample))
	if g.Lost == "" && card.Lost != "" {
		lost := *g.GPU
		lost.Lost, lost.LostID = card.Lost, card.LostID
		g.GPU = &lost
	}
}

// keepHistories stores the histories of GPUs. Histories of GPUs that are not listed are kept too, unless there are too
// many: the driver may be unloaded, and the GPUs may come back.
func (n *nodeRecord) keepHistories(gpus []cluster.GPU) {
	for i := range gpus {
		n.known[gpus[i].Key] = gpus[i].History
	}
	if len(n.known) > 2*clean.MaxGPUs {
		maps.DeleteFunc(n.known, func(key string, _ history.History) bool {
			return cluster.GPUWith(gpus, key, 0) == nil
		})
	}
}

// gpuKey returns the GPU's UUID, or a substitute if the GPU has no UUID or shares it with another GPU.
func gpuKey(c *wire.Card, taken []cluster.GPU) string {
	if c.UUID != "" && cluster.GPUWith(taken, c.UUID, 0) == nil {
		return c.UUID
	}
	return "index:" + strconv.Itoa(c.Index)
}

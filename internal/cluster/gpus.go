package cluster

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// mergeGPUs returns the node's GPUs after a report, each with its card and its continued history.
func (n *nodeRecord) mergeGPUs(at time.Time, r *wire.Report) []GPU {
	var bin int64
	if !r.OffBeat {
		bin = n.clock.bin(at, r.MonoMS, BinWidth(n.poll))
	}
	out := make([]GPU, len(n.Hello.GPUs))
	for i, card := range n.Hello.GPUs {
		out[i] = newGPU(card, sampleOf(r, card.Index, i))
	}
	n.place(out)
	for i := range out {
		g := &out[i]
		g.Key = gpuKey(g.Card, out[:i])
		g.History = n.known[g.Key]
		if !r.OffBeat {
			g.History.Add(bin, HistoryLen(n.poll), newNumbers(g))
		}
	}
	grow(out, n.GPUs, at, r)
	n.keep(out)
	sortGPUs(out)
	return out
}

// sampleOf returns the sample of the GPU with this index, which is probably at likely; nil: there is none.
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

func sortGPUs(gpus []GPU) {
	slices.SortStableFunc(gpus, func(a, b GPU) int {
		return cmp.Compare(uint(a.Number), uint(b.Number)) // NoNumber goes last
	})
}

// newNumbers returns the values of the sample; none if they are repeated from an earlier one.
func newNumbers(g *GPU) func(metric.ID) float64 {
	if g.Repeated {
		return new(metric.Values).Float
	}
	return g.Values.Float
}

// newGPU returns a GPU with its sample; nil: there is no sample.
func newGPU(card wire.Card, sample *wire.GPU) GPU {
	g := GPU{Card: card, GPU: wire.GPU{Index: card.Index, Lost: card.Lost}}
	if sample == nil {
		g.LostID = card.LostID
		return g
	}
	if g.GPU = cleanGPU(*sample); g.Lost == "" {
		g.Lost, g.LostID = card.Lost, card.LostID
	}
	return g
}

// keep stores the histories of GPUs. Those of others stay (the driver may be unloaded, and they may come back), unless there are too many.
func (n *nodeRecord) keep(gpus []GPU) {
	for i := range gpus {
		n.known[gpus[i].Key] = gpus[i].History
	}
	if len(n.known) > 2*maxGPUs {
		maps.DeleteFunc(n.known, func(key string, _ History) bool { return !has(gpus, key) })
	}
}

// gpuKey returns the GPU's UUID, or a substitute if it has none or shares it with another GPU.
func gpuKey(c wire.Card, taken []GPU) string {
	if c.UUID != "" && !has(taken, c.UUID) {
		return c.UUID
	}
	return "index:" + strconv.Itoa(c.Index)
}

func has(gpus []GPU, key string) bool {
	for i := range gpus {
		if gpus[i].Key == key {
			return true
		}
	}
	return false
}

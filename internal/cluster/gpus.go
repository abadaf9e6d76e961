package cluster

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// mergeGPUs returns the node's GPUs after a report, each with its card and its continued history.
func (n *nodeRecord) mergeGPUs(at time.Time, r *wire.Report) []GPU {
	samples := make(map[int]*wire.GPU, len(r.GPUs))
	for i := range r.GPUs {
		samples[r.GPUs[i].Index] = &r.GPUs[i]
	}
	var bin int64
	if !r.OffBeat {
		bin = n.clock.bin(at, r.MonoMS, BinWidth(n.poll))
	}
	out := make([]GPU, len(n.Hello.GPUs))
	for i, card := range n.Hello.GPUs {
		out[i] = newGPU(card, samples[card.Index])
	}
	n.place(out)
	known := make(map[string]History, len(out))
	for i := range out {
		g := &out[i]
		g.Key = gpuKey(g.Card, known)
		g.History = n.known[g.Key]
		if !r.OffBeat {
			g.History.Add(bin, HistoryLen(n.poll), newNumbers(g))
		}
		known[g.Key] = g.History
	}
	n.keepAbsent(known)
	sortGPUs(out)
	return out
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

// keepAbsent keeps the histories of GPUs that are not in this report (the driver may be unloaded): they may come back.
func (n *nodeRecord) keepAbsent(known map[string]History) {
	for key, history := range n.known {
		if _, present := known[key]; !present && len(known) < maxGPUs {
			known[key] = history
		}
	}
	n.known = known
}

// gpuKey returns the GPU's UUID, or a substitute if it has none or shares it with another GPU.
func gpuKey(c wire.Card, taken map[string]History) string {
	if _, twice := taken[c.UUID]; c.UUID != "" && !twice {
		return c.UUID
	}
	return "index:" + strconv.Itoa(c.Index)
}

package trend

import (
	"hash/maphash"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// Past has the samples of the GPUs of a job; there may be thousands of GPUs. Samples of bins that are over do not
// change: they are computed once, in blocks, and the Past of the next Snapshot takes them over. A Snapshot costs its
// new bins only. A Past belongs to one goroutine.
type Past struct {
	GPUs   []*cluster.GPU
	who    uint64 // the GPUs
	edge   int64
	oldest int64
	kept   map[block]known
	last   map[Samples][]float32 // of the block at the edge
	states map[int64]uint64      // of the blocks
	counts map[metric.ID]int
}

// blockBins is how many bins a block has.
const (
	blockShift = 3
	blockBins  = 1 << blockShift
)

// block is some samples of the bins from at*blockBins on.
type block struct {
	of Samples
	at int64
}

// blockOf is the place of the block that a bin is in.
func blockOf(bin int64) int64 { return bin >> blockShift }

// known is what a block had when its histories were in a state.
type known struct {
	state   uint64
	samples []float32
}

var seed = maphash.MakeSeed()

// NewPast returns the Past of GPUs, which takes over that of the Snapshot before; nil: there is none.
func NewPast(gpus []*cluster.GPU, before *Past) *Past {
	p := &Past{GPUs: gpus, edge: Edge(gpus...), oldest: Oldest(gpus...),
		kept: map[block]known{}, last: map[Samples][]float32{},
		states: map[int64]uint64{}, counts: map[metric.ID]int{}}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, g := range gpus {
		h.WriteString(g.Key)
		h.WriteByte(0)
	}
	if p.who = h.Sum64(); before == nil || before.who != p.who {
		return p
	}
	for b, k := range before.kept {
		if b.at >= blockOf(p.oldest) {
			p.kept[b] = k
		}
	}
	return p
}

// Samples are the newest n samples.
func (p *Past) Samples(of Samples, n int) []float32 {
	first := max(p.edge-int64(n)+1, p.oldest)
	p.complete(of, first)
	all := make([]float32, n, 2*n+2*blockBins)
	gaps(all)
	for at := blockOf(first); at < blockOf(p.edge+1); at++ {
		all = append(all, p.kept[block{of, at}].samples...)
	}
	if p.last[of] == nil {
		p.last[of] = p.read(of, blockOf(p.edge+1)*blockBins, p.edge)
	}
	all = append(all, p.last[of]...)
	return all[len(all)-n:]
}

// complete works out the blocks that are over and not known, from that with the first bin on.
func (p *Past) complete(of Samples, first int64) {
	end := blockOf(p.edge + 1)
	for at := blockOf(first); at < end; at++ {
		from := at
		for at < end && !p.knows(block{of, at}) {
			at++
		}
		if from == at {
			continue
		}
		all := p.read(of, from*blockBins, at*blockBins-1)
		for b := from; b < at; b++ {
			p.kept[block{of, b}] = known{p.state(block{of, b}), all[(b-from)*blockBins : (b-from+1)*blockBins]}
		}
	}
}

func (p *Past) knows(b block) bool {
	k, there := p.kept[b]
	return there && k.state == p.state(b)
}

// read works out samples from one bin up to another. A sum also needs the bins before: see window.added.
func (p *Past) read(of Samples, first, last int64) []float32 {
	return of.in(&window{p.GPUs, last, int(last-first) + 1 + edgeLag})[edgeLag:]
}

// state says on what the samples of a block depend, beside the bins of it that are over: which GPUs may still send
// samples of it, which have not its first bins, and for a sum how many count now.
func (p *Past) state(b block) uint64 {
	state, there := p.states[b.at]
	if !there {
		state = p.stateOf(b.at)
		p.states[b.at] = state
	}
	if b.of.Sum == metric.Add && !b.of.Median && b.of.Reasons == 0 {
		return mixed(state, p.count(b.of.ID))
	}
	return state
}

// count is how many of the GPUs report a metric now.
func (p *Past) count(id metric.ID) int {
	n, there := p.counts[id]
	if !there {
		n = reporting(p.GPUs, id)
		p.counts[id] = n
	}
	return n
}

func (p *Past) stateOf(at int64) uint64 {
	first, last := at*blockBins-edgeLag, (at+1)*blockBins-1
	state := p.who
	for i, g := range p.GPUs {
		if newest, _ := g.History.Newest(); newest <= last {
			state = mixed(mixed(state, i), int(newest))
		}
		if oldest, _ := g.History.Oldest(); oldest > first {
			state = mixed(mixed(state, -i), int(oldest))
		}
	}
	return state
}

// mixed is a state with one more number in it, as in FNV.
func mixed(state uint64, n int) uint64 { return (state ^ uint64(n)) * 1099511628211 }

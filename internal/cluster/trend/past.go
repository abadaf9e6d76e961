package trend

import (
	"hash/maphash"
	"iter"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Past has the samples of the GPUs of a job, of which there may be thousands. Samples of finished bins do not change:
// they are computed once, in blocks, and the Past of the next Snapshot takes them over. It also keeps the samples of
// each GPU without a new report: a GPU of a Snapshot never changes. A Past belongs to one goroutine.
type Past struct {
	GPUs   []*cluster.GPU
	Edge   int64 // the newest bin that all reporting GPUs have
	Oldest int64 // the oldest bin of any of them

	who    uint64     // a hash of the GPUs
	ends   []binRange // of their histories
	kept   map[block]blockSamples
	last   map[Samples][]float32      // samples of the block at the edge
	rows   map[metric.ID]*edgeSamples // likewise
	states map[int64]uint64           // of the blocks
}

// edgeSamples are the samples of one metric at the edge, for all GPUs.
type edgeSamples struct {
	first   int64 // bin
	samples []float32
	reports []bool // the metric is known now
}

const (
	blockShift = 3
	blockBins  = 1 << blockShift // number of bins of a block
	rowBins    = edgeLag + blockBins
)

// block is some samples, of the bins from at*blockBins on.
type block struct {
	of Samples
	at int64
}

// blockOf returns the index of the block that a bin is in.
func blockOf(bin int64) int64 { return bin >> blockShift }

// blockSamples is the content of a block in one state of its histories.
type blockSamples struct {
	state   uint64
	samples []float32
}

var seed = maphash.MakeSeed()

// NewPast returns the Past of GPUs. It takes over the Past of an earlier Snapshot, which nobody may use any more; nil:
// there is none.
func NewPast(gpus []*cluster.GPU, before *Past) *Past {
	p := &Past{GPUs: gpus, kept: map[block]blockSamples{}, last: map[Samples][]float32{},
		rows:   map[metric.ID]*edgeSamples{},
		states: map[int64]uint64{}}
	changed, same := p.takeOver(before)
	if !same {
		p.who = whoOf(gpus)
	}
	p.Edge, p.Oldest = edgeBin(p.ends), oldestBin(p.ends)
	if !same {
		return p
	}
	p.who = before.who
	for id, r := range before.rows {
		if r.first == p.firstBin() {
			p.rows[id] = r
			for _, i := range changed {
				r.readRow(i, gpus[i], id)
			}
		}
	}
	for b, k := range before.kept {
		if b.at >= blockOf(p.Oldest) {
			p.kept[b] = k
		}
	}
	return p
}

// takeOver fills the ends of the histories. same reports whether the GPUs are those of before. changed are the
// positions of those that have changed since.
func (p *Past) takeOver(before *Past) (changed []int, same bool) {
	if same = before != nil && len(before.GPUs) == len(p.GPUs); same {
		p.ends = before.ends
	} else {
		p.ends = make([]binRange, len(p.GPUs))
	}
	for i, g := range p.GPUs {
		if before != nil && len(before.GPUs) == len(p.GPUs) {
			if before.GPUs[i] == g {
				continue
			}
			same = same && before.GPUs[i].Key == g.Key
		}
		changed = append(changed, i)
		p.ends[i] = endOf(g)
	}
	return changed, same
}

// whoOf returns a hash that says which GPUs these are.
func whoOf(gpus []*cluster.GPU) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, g := range gpus {
		h.WriteString(g.Key)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// firstBin is the first bin of the rows: the first of the block at the edge, minus the bins before it that a sum needs.
func (p *Past) firstBin() int64 { return blockOf(p.Edge+1)*blockBins - edgeLag }

// readRow reads the samples of the GPU at a place.
func (r *edgeSamples) readRow(i int, g *cluster.GPU, id metric.ID) {
	row := r.samples[i*rowBins:][:rowBins]
	copy(row, g.History.Tail(row[:0:rowBins], id, r.first+rowBins-1, rowBins))
	_, r.reports[i] = g.Get(id)
}

// rowsOf returns the rows of a metric.
func (p *Past) rowsOf(id metric.ID) *edgeSamples {
	r := p.rows[id]
	if r == nil {
		r = &edgeSamples{p.firstBin(), make([]float32, len(p.GPUs)*rowBins), make([]bool, len(p.GPUs))}
		for i, g := range p.GPUs {
			r.readRow(i, g, id)
		}
		p.rows[id] = r
	}
	return r
}

// eachRow yields the n samples of each GPU from the first bin of the rows on.
func (p *Past) eachRow(id metric.ID, n int) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		r := p.rowsOf(id)
		for i := range p.GPUs {
			if !yield(r.samples[i*rowBins:][:n]) {
				return
			}
		}
	}
}

// Samples are the newest n samples.
func (p *Past) Samples(of Samples, n int) []float32 {
	first := max(p.Edge-int64(n)+1, p.Oldest)
	p.completeBlocks(of, first)
	all := make([]float32, n, 2*n+2*blockBins)
	fillGaps(all)
	for at := blockOf(first); at < blockOf(p.Edge+1); at++ {
		all = append(all, p.kept[block{of, at}].samples...)
	}
	if p.last[of] == nil {
		p.last[of] = of.samplesIn(&window{p.GPUs, p.Edge, int(p.Edge-p.firstBin()) + 1, p}, p.reportingCount(of))[edgeLag:]
	}
	all = append(all, p.last[of]...)
	return all[len(all)-n:]
}

// completeBlocks computes the blocks that are finished but not known yet, from the block with the first bin on.
func (p *Past) completeBlocks(of Samples, first int64) {
	end := blockOf(p.Edge + 1)
	for at := blockOf(first); at < end; at++ {
		from := at
		for at < end && !p.knowsBlock(block{of, at}) {
			at++
		}
		if from == at {
			continue
		}
		all := p.computeSamples(of, from*blockBins, at*blockBins-1)
		for b := from; b < at; b++ {
			p.kept[block{of, b}] = blockSamples{p.blockState(block{of, b}), all[(b-from)*blockBins : (b-from+1)*blockBins]}
		}
	}
}

func (p *Past) knowsBlock(b block) bool {
	k, there := p.kept[b]
	return there && k.state == p.blockState(b)
}

// computeSamples computes samples from one bin up to another. A sum also needs the bins before: see window.sumSeries.
func (p *Past) computeSamples(of Samples, first, last int64) []float32 {
	w := &window{gpus: p.GPUs, newest: last, n: int(last-first) + 1 + edgeLag}
	return of.samplesIn(w, p.reportingCount(of))[edgeLag:]
}

// blockState returns a hash of what the samples of a block depend on, besides its finished bins: which GPUs may still
// send samples of it, which GPUs lack its first bins, and for a sum how many GPUs count now.
func (p *Past) blockState(b block) uint64 {
	state, there := p.states[b.at]
	if !there {
		state = p.stateOf(b.at)
		p.states[b.at] = state
	}
	if b.of.areSums() {
		return mixState(state, p.reportingCount(b.of))
	}
	return state
}

// reportingCount returns how many of the GPUs report the metric of a sum now.
func (p *Past) reportingCount(of Samples) (n int) {
	if !of.areSums() {
		return 0
	}
	for _, is := range p.rowsOf(of.ID).reports {
		if is {
			n++
		}
	}
	return n
}

func (p *Past) stateOf(at int64) uint64 {
	first, last := at*blockBins-edgeLag, (at+1)*blockBins-1
	state := p.who
	for i := range p.ends {
		if newest := p.ends[i].newest; newest <= last {
			state = mixState(mixState(state, i), int(newest))
		}
		if oldest := p.ends[i].oldest; oldest > first {
			state = mixState(mixState(state, -i), int(oldest))
		}
	}
	return state
}

// mixState returns the state with one more number mixed in, as in FNV.
func mixState(state uint64, n int) uint64 { return (state ^ uint64(n)) * 1099511628211 }

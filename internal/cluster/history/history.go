// Package history keeps the past of a GPU's metrics: one value for each bin of time, in little memory. It also tracks
// how counters have grown, and predicts when memory will be full.
package history

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Usual is the time that the graphs of a history show, unless the user wants another.
const Usual = 10 * time.Minute

// A history has a fifth more than its graphs show, at least leastBins and at most mostBins. A longer history has wider
// bins, so that it takes no more memory.
const leastBins, mostBins = 60, 720

// keptTime is how long a history keeps its bins, if its graphs show this span; 0: the usual span.
func keptTime(span time.Duration) time.Duration {
	if span == 0 {
		span = Usual
	}
	return span + span/5
}

// BinWidth is the duration of one bin, at this polling interval and for graphs that show this span; 0: the usual span.
// It is the interval, or whole seconds.
func BinWidth(poll, span time.Duration) time.Duration {
	return max(poll, (keptTime(span)/mostBins + time.Second - 1).Truncate(time.Second))
}

// Len is the number of bins in such a history.
func Len(poll, span time.Duration) int {
	return max(int(keptTime(span)/BinWidth(poll, span)), leastBins)
}

// Gap is a bin without a value.
var Gap = float32(math.NaN())

// History has the past values of the kept metrics of one GPU or node, in bins of time. Bins are numbered from the
// epoch, so the bins of different nodes line up: bin n begins n widths after the epoch. A bin holds the mean of its
// samples; for a metric in bits, it holds all bits that any sample had. A metric that has never had a value takes no
// memory.
//
// A copy of a History never changes when samples are added to the original: new values are written only behind the part
// that copies share.
type History struct {
	newest int64
	bins   int         // number of bins, up to newest; 0: there is no sample yet
	room   int         // number of future bins, if not an eighth of the kept ones
	from   int         // where the oldest bin is in the rows of past
	past   *olderBins  // the bins before the newest; nil: there is none
	lines  []newestBin // one per metric that has had a value; replaced, never modified
}

// olderBins has the bins before the newest in rows, one row per line. With a slice per line, thousands of histories
// would be half slice headers.
type olderBins struct {
	values []packedFloat
	width  int // of a row
	end    int // how far rows may be written: what follows belongs to another History
}

// newestBin is the newest bin of one metric.
type newestBin struct {
	sum  float32 // of the samples; for bits, all bits that they had
	n    uint16
	id   metric.ID
	bits bool
}

// maxBits are the bits that fit into a short without noShort. NVML uses nine.
const maxBits = 1<<15 - 1

// newestValue returns the value of the newest bin.
func (l *newestBin) newestValue() float32 {
	switch {
	case l.n == 0:
		return Gap
	case l.bits:
		return l.sum
	}
	return l.sum / float32(l.n)
}

// newestStored returns the stored value of the newest bin.
func (l *newestBin) newestStored() packedFloat {
	if l.bits && l.n > 0 {
		return packedFloat(l.sum)
	}
	return toShort(l.newestValue())
}

// writeFloats writes the values of bins before the newest.
func (l *newestBin) writeFloats(to []float32, bins []packedFloat) {
	for i, s := range bins[:len(to)] {
		if l.bits && s != noShort {
			to[i] = float32(s)
		} else {
			to[i] = s.toFloat()
		}
	}
}

func (l *newestBin) addValue(v float64) {
	switch {
	case v != v || l.n == math.MaxUint16:
		return
	case l.bits:
		l.sum = float32(uint64(l.sum) | uint64(v)&maxBits)
	default:
		l.sum += float32(v)
	}
	l.n++
}

// closeBins closes the newest bin of each line. Together with the next bin, at most length bins are kept.
func (h *History) closeBins(length int) {
	if h.past == nil || h.from+h.bins-1 == h.past.end {
		h.growLines(length)
	}
	for i := range h.lines {
		l := &h.lines[i]
		h.past.values[i*h.past.width+h.from+h.bins-1] = l.newestStored()
		l.sum, l.n = 0, 0
	}
	if h.bins < length {
		h.bins++
	} else {
		h.from++
	}
}

// growLines copies the past to where there is room for more bins and for every line. In the end, the spare room is an
// eighth of the bins. It costs memory for the life of the history, and a copy whenever it is full.
func (h *History) growLines(length int) {
	bins := h.bins - 1
	p := &olderBins{width: min(length+max(length/8, h.room), bins+max(bins/4, 16))}
	p.values, p.end = make([]packedFloat, len(h.lines)*p.width), p.width
	for i := range h.lines {
		row := p.values[i*p.width:][:bins]
		if h.past != nil && i*h.past.width < len(h.past.values) {
			copy(row, h.row(i))
			continue
		}
		for k := range row {
			row[k] = noShort
		}
	}
	h.past, h.from = p, 0
}

// row returns the bins of a line before the newest, oldest first.
func (h *History) row(line int) []packedFloat {
	if h.past == nil {
		return nil
	}
	return h.past.values[line*h.past.width+h.from:][:h.bins-1]
}

// Newest returns the number of the newest bin; false if there is none.
func (h *History) Newest() (bin int64, ok bool) { return h.newest, h.bins > 0 }

// Oldest returns the number of the oldest bin; false if there is none.
func (h *History) Oldest() (bin int64, ok bool) { return h.newest - int64(h.bins) + 1, h.bins > 0 }

// Has reports whether a metric has ever had a value.
func (h *History) Has(id metric.ID) bool { return h.lineIndex(id) >= 0 }

// lineIndex returns the index of a metric's line, -1 if it has never had a value.
func (h *History) lineIndex(id metric.ID) int {
	for i := range h.lines {
		if h.lines[i].id == id {
			return i
		}
	}
	return -1
}

// Reserve makes room for a number of future bins; 0: for an eighth of the kept bins.
func (h *History) Reserve(room int) { h.room = room }

// Add adds a sample to a bin, and keeps at most length bins; NaN is an unknown value. Skipped bins become gaps. A
// sample for the bin before the newest goes into the newest bin. A sample for an earlier bin means that the numbers of
// all bins were too high: Add renumbers them.
func (h *History) Add(bin int64, length int, sample func(metric.ID) float64) {
	h.addSample(metric.Kept, bin, length, sample)
}

// MeanPower is the line of the mean power since the sample before, in W. It is that of the energy counter, which no
// graph shows.
const MeanPower = metric.Energy

// AddGPU is Add for the history of a GPU, with its mean power; NaN: unknown.
func (h *History) AddGPU(bin int64, length int, sample func(metric.ID) float64, meanPower float64) {
	h.addSample(metric.Kept, bin, length, sample)
	h.addValue(MeanPower, meanPower)
	h.addRows(length)
}

// AddNode is Add for the history of a node.
func (h *History) AddNode(bin int64, length int, sample func(metric.ID) float64) {
	h.addSample(metric.KeptOfNode, bin, length, sample)
}

func (h *History) addSample(kept []metric.ID, bin int64, length int, sample func(metric.ID) float64) {
	shut := 0
	switch {
	case h.bins == 0:
		h.newest, h.bins = bin, 1
	case bin > h.newest:
		shut = int(min(bin-h.newest, int64(length)))
		h.newest = bin
	case bin < h.newest-1:
		shut, h.newest = 1, bin
	}
	h.lines = slices.Clone(h.lines)
	for range shut {
		h.closeBins(length)
	}
	for _, id := range kept {
		h.addValue(id, sample(id))
	}
	h.addRows(length)
}

// addValue adds a value of a metric to the newest bin. The lines are this History's own.
func (h *History) addValue(id metric.ID, v float64) {
	at := h.lineIndex(id)
	if at < 0 && v == v {
		at = len(h.lines)
		h.lines = append(h.lines, newestBin{id: id, bits: id.Row().Unit == metric.Bits})
	}
	if at >= 0 {
		h.lines[at].addValue(v)
	}
}

// addRows makes room for the past of new lines.
func (h *History) addRows(length int) {
	if h.past != nil && len(h.lines)*h.past.width > len(h.past.values) {
		h.growLines(length)
	}
}

// Tail writes the n bins of one metric up to bin newest into to, which it grows if needed. A bin without a value, or a
// bin that is no longer kept, is a gap.
func (h *History) Tail(to []float32, id metric.ID, newest int64, n int) []float32 {
	return h.lineTail(to, h.lineIndex(id), newest, n)
}

// fewestOfMean is how many bins must have a value for a mean. Others may be gaps: while nobody looks, samples are rare.
const fewestOfMean = 4

// Mean returns the mean of a metric over a time up to the newest bin, in which a sample was added at a moment; NaN if
// too little is known.
func (h *History) Mean(id metric.ID, at time.Time, over time.Duration) float64 {
	if h.bins == 0 || h.newest <= 0 {
		return math.NaN()
	}
	width := at.UnixNano() / h.newest // bins are numbered from the epoch
	sum, known := 0.0, 0
	for _, v := range h.Tail(nil, id, h.newest, min(int(int64(over)/width), h.bins)) {
		if v == v {
			sum, known = sum+float64(v), known+1
		}
	}
	if known < fewestOfMean {
		return math.NaN()
	}
	return sum / float64(known)
}

// Tails yields the Tail of each of these histories, each valid until the next one. It locates all of them first, which
// is faster than waiting for memory at each of them.
func Tails(all []*History, id metric.ID, newest int64, n int) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		lines := make([]int, len(all))
		for i, h := range all {
			lines[i] = h.lineIndex(id)
		}
		var to []float32
		for i, h := range all {
			if to = h.lineTail(to, lines[i], newest, n); !yield(to) {
				return
			}
		}
	}
}

// lineTail does what Tail does, for the line with an index; -1: there is none.
func (h *History) lineTail(to []float32, line int, newest int64, n int) []float32 {
	to = slices.Grow(to[:0], n)[:n]
	if line < 0 {
		fillGaps(to)
		return to
	}
	l, row := &h.lines[line], h.row(line)
	all := len(row)
	// to[i] is row[i+from]; row[all] would be the open bin
	from := all - n + 1 + int(max(min(newest-h.newest, int64(n)), -int64(all)-1))
	begin, end := min(max(-from, 0), n), min(max(all-from, 0), n)
	fillGaps(to[:begin])
	fillGaps(to[end:])
	if begin < end {
		l.writeFloats(to[begin:end], row[from+begin:])
	}
	if open := all - from; open >= 0 && open < n {
		to[open] = l.newestValue()
	}
	return to
}

func fillGaps(to []float32) {
	for i := range to {
		to[i] = Gap
	}
}

// lateFor is the number of bins by which reports may be late before the node's clock is set again: a connection that
// stalls for a while does not mean that the clock is wrong.
const lateFor = 10

// Clock assigns the samples of one session to bins. The first sample goes into the bin of its arrival. After that the
// node's own clock counts, so a delayed report leaves no gap.
type Clock struct {
	running bool
	first   int64 // of the first sample
	mono    int64 // time of the first sample, ms
	last    int64 // time of the last sample, ms
	late    time.Time
}

// Bin returns the bin of a sample that arrived at time at. The clock is set again if the node's clock goes back, runs
// more than a bin ahead of the arrival, or falls behind by lateFor bins.
func (c *Clock) Bin(at time.Time, mono int64, width time.Duration) int64 {
	arrived := at.UnixNano() / int64(width)
	if !c.running || mono < c.last {
		return c.startAt(arrived, mono)
	}
	c.last = mono
	bin := c.first + int64(math.Round(float64(mono-c.mono)/float64(width.Milliseconds())))
	switch {
	case bin > arrived+1:
		return c.startAt(arrived, mono)
	case bin >= arrived-1:
		c.late = time.Time{}
	case c.late.IsZero():
		c.late = at
	case at.Sub(c.late) > lateFor*width:
		return c.startAt(arrived, mono)
	}
	return bin
}

func (c *Clock) startAt(bin, mono int64) int64 {
	*c = Clock{running: true, first: bin, mono: mono, last: mono}
	return bin
}

// Fork returns a History that copies its bins when new ones come: the room after the existing bins belongs to the
// original.
func (h History) Fork() History {
	if h.past != nil {
		p := *h.past
		p.end = h.from + h.bins - 1
		h.past = &p
	}
	return h
}

// Package history keeps the past of a GPU's metrics: one value for each bin of time, in little memory.
package history

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// Histories cover historySpan and have at least historyLeast bins.
const (
	historySpan  = 12 * time.Minute
	historyLeast = 60
)

// BinWidth is the duration of one bin of a history at this polling interval.
func BinWidth(poll time.Duration) time.Duration { return max(poll, time.Second) }

// Len is the number of bins in a history.
func Len(poll time.Duration) int { return max(int(historySpan/BinWidth(poll)), historyLeast) }

// Gap is a bin without a value.
var Gap = float32(math.NaN())

// History has the past values of one GPU's kept metrics, in bins of time. Bins are numbered from the epoch, so the bins
// of different nodes line up: bin n begins n widths after the epoch. A bin holds the mean of its samples; for a metric
// in bits, it holds all bits that any sample had. A metric that has never had a value takes no memory.
//
// A copy of a History never changes when samples are added to the original: new values are written only behind the part
// that copies share.
type History struct {
	newest int64
	bins   int    // so many, up to newest; 0: there is no sample yet
	room   int    // for bins that come, where it is not a quarter of those that are kept
	lines  []line // one per metric that has had a value; replaced, never modified
}

// line is the history of one metric, from its first value on.
type line struct {
	closed []short // the bins before the newest, oldest first
	sum    float32 // of the samples in the newest bin; of bits all that they had
	n      uint16
	id     metric.ID
	bits   bool
}

// maxBits are the bits that fit into a short beside noShort. NVML uses nine.
const maxBits = 1<<15 - 1

// value returns the value of the newest bin.
func (l *line) value() float32 {
	switch {
	case l.n == 0:
		return Gap
	case l.bits:
		return l.sum
	}
	return l.sum / float32(l.n)
}

// newest returns the stored value of the newest bin.
func (l *line) newest() short {
	if l.bits && l.n > 0 {
		return short(l.sum)
	}
	return toShort(l.value())
}

// past writes the values of bins before the newest.
func (l *line) past(to []float32, bins []short) {
	for i, s := range bins[:len(to)] {
		if l.bits && s != noShort {
			to[i] = float32(s)
		} else {
			to[i] = s.float()
		}
	}
}

func (l *line) add(v float64) {
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

// shut closes the newest bin. Together with the next bin, at most length bins are kept. The spare room is a quarter of
// the kept bins: it costs memory for the life of the history, and a copy whenever it is full.
func (l *line) shut(length, room int) {
	if len(l.closed) >= length-1 {
		l.closed = l.closed[1:]
	}
	if cap(l.closed) == len(l.closed) {
		l.closed = append(make([]short, 0, min(length+max(length/4, room), 2*len(l.closed)+16)), l.closed...)
	}
	l.closed = append(l.closed, l.newest())
	l.sum, l.n = 0, 0
}

// Newest returns the number of the newest bin; false if there is none.
func (h *History) Newest() (bin int64, ok bool) { return h.newest, h.bins > 0 }

// Oldest returns the number of the oldest bin; false if there is none.
func (h *History) Oldest() (bin int64, ok bool) { return h.newest - int64(h.bins) + 1, h.bins > 0 }

// Has reports whether a metric has ever had a value.
func (h *History) Has(id metric.ID) bool { return h.line(id) != nil }

// line returns the history of a metric, nil if it has never had a value.
func (h *History) line(id metric.ID) *line {
	for i := range h.lines {
		if h.lines[i].id == id {
			return &h.lines[i]
		}
	}
	return nil
}

// Reserve makes room for that many future bins; 0: for a quarter of the kept bins.
func (h *History) Reserve(room int) { h.room = room }

// Add adds a sample to a bin, and keeps at most length bins; NaN is an unknown value. Skipped bins become gaps. A
// sample for the bin before the newest goes into the newest bin. A sample for an earlier bin means that the numbers of
// all bins were too high: Add renumbers them.
func (h *History) Add(bin int64, length int, sample func(metric.ID) float64) {
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
	h.bins = min(h.bins+shut, length)
	h.lines = slices.Clone(h.lines)
	for i := range h.lines {
		for range shut {
			h.lines[i].shut(length, h.room)
		}
	}
	for i, id := range metric.Kept {
		v := sample(id)
		l := h.line(id)
		if l == nil && v == v {
			h.lines = append(h.lines, line{id: id, bits: keptBits[i]})
			l = &h.lines[len(h.lines)-1]
		}
		if l != nil {
			l.add(v)
		}
	}
}

// keptBits marks the metrics of metric.Kept that are bits.
var keptBits = func() (bits []bool) {
	for _, id := range metric.Kept {
		bits = append(bits, id.Row().Unit == metric.Bits)
	}
	return bits
}()

// Tail writes the n bins of one metric up to bin newest into to, which it grows if needed. A bin without a value, or a
// bin that is no longer kept, is a gap.
func (h *History) Tail(to []float32, id metric.ID, newest int64, n int) []float32 {
	return h.tail(to, h.line(id), newest, n)
}

// Tails yields the Tail of each of these histories, each valid until the next. Locating all of them first is faster
// than waiting for the memory of one after the other.
func Tails(all []*History, id metric.ID, newest int64, n int) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		lines := make([]*line, len(all))
		for i, h := range all {
			lines[i] = h.line(id)
		}
		var to []float32
		for i, h := range all {
			if to = h.tail(to, lines[i], newest, n); !yield(to) {
				return
			}
		}
	}
}

// tail is Tail of the line of the metric; nil: there is none.
func (h *History) tail(to []float32, l *line, newest int64, n int) []float32 {
	to = slices.Grow(to[:0], n)[:n]
	if l == nil {
		fill(to)
		return to
	}
	all := len(l.closed)
	// to[i] is closed[i+from]; closed[all] would be the open bin
	from := all - n + 1 + int(max(min(newest-h.newest, int64(n)), -int64(all)-1))
	begin, end := min(max(-from, 0), n), min(max(all-from, 0), n)
	fill(to[:begin])
	fill(to[end:])
	if begin < end {
		l.past(to[begin:end], l.closed[from+begin:])
	}
	if open := all - from; open >= 0 && open < n {
		to[open] = l.value()
	}
	return to
}

func fill(to []float32) {
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
	first   int64 // bin
	mono    int64 // of the first sample, ms
	last    int64 // likewise, of the last sample
	late    time.Time
}

// Bin returns the bin of a sample that arrived at time at. The clock is set again if the node's clock goes back, runs
// more than a bin ahead of the arrival, or falls behind by lateFor bins.
func (c *Clock) Bin(at time.Time, mono int64, width time.Duration) int64 {
	arrived := at.UnixNano() / int64(width)
	if !c.running || mono < c.last {
		return c.set(arrived, mono)
	}
	c.last = mono
	bin := c.first + int64(math.Round(float64(mono-c.mono)/float64(width.Milliseconds())))
	switch {
	case bin > arrived+1:
		return c.set(arrived, mono)
	case bin >= arrived-1:
		c.late = time.Time{}
	case c.late.IsZero():
		c.late = at
	case at.Sub(c.late) > lateFor*width:
		return c.set(arrived, mono)
	}
	return bin
}

func (c *Clock) set(bin, mono int64) int64 {
	*c = Clock{running: true, first: bin, mono: mono, last: mono}
	return bin
}

// Fork returns a History that copies its bins when new ones come: the room behind the existing bins belongs to the
// original.
func (h History) Fork() History {
	h.lines = slices.Clone(h.lines)
	for i := range h.lines {
		h.lines[i].closed = slices.Clip(h.lines[i].closed)
	}
	return h
}

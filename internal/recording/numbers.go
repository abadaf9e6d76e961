package recording

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/dense"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The numbers of a report take most of a recording. In text each costs a key, digits and a comma, so they are packed
// (internal/dense): the counts of a report, and all metrics in the order of the table, as multiples of their last
// decimal.

// column is a metric of a GPU or a node.
type column struct {
	id    metric.ID
	scale float64
}

var gpuColumns, hostColumns = columns(metric.GPU), columns(metric.Host)

// layout is the metrics of nodes and GPUs in a version of the format.
type layout struct{ host, gpu []column }

// ofGPM are the metrics that have a decimal since version 3.
var ofGPM = []metric.ID{metric.SMActive, metric.SMOccupancy, metric.TensorActive, metric.DRAMActive}

// layoutOf returns that of a version. Version 1 lacks the last metric of a node.
func layoutOf(version int) layout {
	l := layout{hostColumns, gpuColumns}
	if version < 2 {
		l.host = hostColumns[:len(hostColumns)-1]
	}
	if version < 3 {
		l.gpu = slices.Clone(gpuColumns)
		for i := range l.gpu {
			if slices.Contains(ofGPM, l.gpu[i].id) {
				l.gpu[i].scale = 1
			}
		}
	}
	return l
}

func columns(s metric.Scope) (list []column) {
	for id := range metric.All(s) {
		list = append(list, column{id, math.Pow10(id.Row().Decimals)})
	}
	return list
}

// multiple returns a value as a multiple of its last decimal; 0 if it is absent. exact says that value undoes it to the
// last bit.
func (c *column) multiple(v *metric.Values) (m int64, exact bool) {
	x, _ := v.Get(c.id)
	y := math.Round(x * c.scale)
	m = int64(y)
	return m, math.Abs(y) < 1<<60 && float64(m)/c.scale == x && (x != 0 || !math.Signbit(x))
}

// alike reports whether two have the same metrics.
func alike(a, b *metric.Values, columns []column) bool {
	for i := range columns {
		if a.Has(columns[i].id) != b.Has(columns[i].id) {
			return false
		}
	}
	return true
}

// counts are the numbers of a report beside its metrics: four, and the memory of its jobs.
func counts(to []int64, r *wire.Report) []int64 {
	to = append(to, int64(r.Seq), r.MonoMS, r.WallMS, r.TookMS)
	for i := range r.Jobs {
		to = append(to, int64(r.Jobs[i].Used))
	}
	return to
}

const fewest = 4 // counts

func setCounts(r *wire.Report, list []int64) {
	r.Seq, r.MonoMS, r.WallMS, r.TookMS = uint64(list[0]), list[1], list[2], list[3]
	for i := range r.Jobs {
		r.Jobs[i].Used = uint64(list[fewest+i])
	}
}

// listed returns the numbers of a report in the order in which they are packed: the counts, the metrics of the node,
// and row by row those of the GPUs. exact is false if they would not be the same when they are read.
func listed(to []int64, r *wire.Report, l layout) (list []int64, exact bool) {
	to, exact = counts(to[:0], r), true
	add := func(c *column, v *metric.Values) {
		m, same := c.multiple(v)
		to, exact = append(to, m), exact && same
	}
	for i := range l.host {
		add(&l.host[i], &r.Host.Values)
	}
	for i := range l.gpu {
		for g := range r.GPUs {
			add(&l.gpu[i], &r.GPUs[g].Values)
		}
	}
	return to, exact
}

// kinds has what is learned of the numbers in a frame, of all nodes together.
type kinds struct {
	layout            layout
	counts, host, gpu []*dense.Kind
}

func newKinds(version int) *kinds {
	l := layoutOf(version)
	k := &kinds{layout: l, host: kindsOf(l.host), gpu: kindsOf(l.gpu)}
	for _, counter := range []bool{true, true, true, false, false} { // the last is that of all that follow
		k.counts = append(k.counts, dense.NewKind(counter))
	}
	return k
}

func kindsOf(columns []column) (list []*dense.Kind) {
	for _, c := range columns {
		list = append(list, dense.NewKind(c.id.Row().Counter || c.id == metric.Uptime))
	}
	return list
}

// numbers are those of the last report of a node.
type numbers struct {
	counts, host, gpus []dense.Slot // as in listed
	list               []int64
}

// reset makes the numbers those of a report that was written in another way.
func (n *numbers) reset(r *wire.Report, l layout) {
	n.counts = n.counts[:0]
	n.fit(r)
	n.host = room(n.host, len(l.host))
	n.gpus = room(n.gpus, len(l.gpu)*len(r.GPUs))
	list, _ := listed(n.list, r, l)
	n.list = list
	for _, slots := range [][]dense.Slot{n.counts, n.host, n.gpus} {
		for i := range slots {
			slots[i].Reset(list[i])
		}
		list = list[len(slots):]
	}
}

// fit makes room for the counts of a report.
func (n *numbers) fit(r *wire.Report) {
	want := fewest + len(r.Jobs)
	for len(n.counts) < want {
		n.counts = append(n.counts, dense.Slot{})
	}
	n.counts = n.counts[:want]
}

func room(slots []dense.Slot, n int) []dense.Slot { return slices.Grow(slots[:0], n)[:n] }

// rows calls do for each row of numbers: what it is of, its Slots, and where it is in a list.
func (k *kinds) rows(n *numbers, do func(k *dense.Kind, slots []dense.Slot, row []int64), list []int64) {
	next := func(k *dense.Kind, slots []dense.Slot) {
		do(k, slots, list)
		list = list[len(slots):]
	}
	for i := range n.counts {
		next(k.counts[min(i, len(k.counts)-1)], n.counts[i:i+1])
	}
	for i := range n.host {
		next(k.host[i], n.host[i:i+1])
	}
	width := len(n.gpus) / len(k.gpu)
	for i, kind := range k.gpu {
		next(kind, n.gpus[i*width:(i+1)*width])
	}
}

// put packs the numbers of a report, which are in list.
func (k *kinds) put(e *dense.Encoder, n *numbers, r *wire.Report, list []int64) []byte {
	n.fit(r)
	e.Begin()
	k.rows(n, e.Put, list)
	return e.Text()
}

// get reads the numbers of a report into it. It has those of the one before it.
func (k *kinds) get(d *dense.Decoder, n *numbers, text []byte, r *wire.Report) error {
	n.fit(r)
	d.Begin(text)
	size := len(n.counts) + len(n.host) + len(n.gpus)
	n.list = slices.Grow(n.list[:0], size)[:size]
	k.rows(n, d.Get, n.list)
	list := n.list
	setCounts(r, list)
	list = list[len(n.counts):]
	for i := range k.layout.host {
		k.layout.host[i].set(&r.Host.Values, list[i])
	}
	list = list[len(n.host):]
	for i := range k.layout.gpu {
		for g := range r.GPUs {
			k.layout.gpu[i].set(&r.GPUs[g].Values, list[i*len(r.GPUs)+g])
		}
	}
	return d.End()
}

// set replaces a value that is there, if it is another one.
func (c *column) set(v *metric.Values, m int64) {
	if x, known := v.Get(c.id); known {
		if y := float64(m) / c.scale; x != y {
			v.Set(c.id, y)
		}
	}
}

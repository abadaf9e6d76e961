package recording

import (
	"errors"
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Column is a metric in the packed numbers of a recording.
type Column struct {
	Key      string `json:"key"`
	Decimals int    `json:"decimals,omitempty"`
	Counter  bool   `json:"counter,omitempty"` // it grows by a similar amount each time
}

// Columns are the metrics of nodes and GPUs, in the order of packed numbers. They are in the header, so that a reader
// with other metrics finds its own.
type Columns struct {
	Node []Column `json:"node"`
	GPU  []Column `json:"gpu"`
}

// ours are the columns that this program writes.
var ours = Columns{Node: columnsOf(metric.Host), GPU: columnsOf(metric.GPU)}

func columnsOf(s metric.Scope) (list []Column) {
	for id := range metric.All(s) {
		row := id.Row()
		list = append(list, Column{row.Key, row.Decimals, row.Counter || id == metric.Uptime})
	}
	return list
}

// Limits on the columns of a recording, which may come from somebody else.
const maxColumns, maxDecimals = 256, 9

var errColumns = errors.New("it has no columns that can be read")

func (c *Columns) checkColumns() error {
	for _, list := range [][]Column{c.Node, c.GPU} {
		if len(list) > maxColumns || slices.ContainsFunc(list,
			func(c Column) bool { return c.Decimals < 0 || c.Decimals > maxDecimals }) {
			return errColumns
		}
	}
	return nil
}

// column is a Column as this program sees it.
type column struct {
	id      metric.ID
	known   bool // we have a metric with its key
	scale   float64
	counter bool
}

// numberLayout is the order of the numbers of a report.
type numberLayout struct{ node, gpu []column }

func layoutOf(c Columns) *numberLayout {
	return &numberLayout{node: resolveColumns(c.Node, metric.Host), gpu: resolveColumns(c.GPU, metric.GPU)}
}

func resolveColumns(columns []Column, s metric.Scope) (list []column) {
	for _, c := range columns {
		id, known := metric.Find(c.Key, s)
		list = append(list, column{id, known, math.Pow10(c.Decimals), c.Counter})
	}
	return list
}

// toMultiple returns a value as a multiple of its last decimal; 0 if it is absent. exact says that setValue restores it
// to the last bit.
func (c *column) toMultiple(v *metric.Values) (m int64, exact bool) {
	if !c.known {
		return 0, true
	}
	x, _ := v.Get(c.id)
	y := math.Round(x * c.scale)
	m = int64(y)
	return m, math.Abs(y) < 1<<60 && float64(m)/c.scale == x && (x != 0 || !math.Signbit(x))
}

// setValue replaces an existing value, if it differs.
func (c *column) setValue(v *metric.Values, m int64) {
	if !c.known {
		return
	}
	if x, there := v.Get(c.id); there {
		if y := float64(m) / c.scale; x != y {
			v.Set(c.id, y)
		}
	}
}

// haveSameMetrics reports whether two Values have the same metrics.
func haveSameMetrics(a, b *metric.Values, columns []column) bool {
	return !slices.ContainsFunc(columns, func(c column) bool { return c.known && a.Has(c.id) != b.Has(c.id) })
}

// packedRow is a row of packed numbers: a count, a metric of the node, or one of all its GPUs.
type packedRow struct {
	at, width int // place of its first number in a list, and its number of elements
	counter   bool
}

// fewest is the number of counts of a report without jobs.
const fewest = 4

// eachRow calls do with each row of a report with this many jobs and GPUs: its counts, which come last in a list, and
// its metrics.
func (l *numberLayout) eachRow(jobs, gpus int, do func(packedRow)) {
	nodes := len(l.node)
	for i := range fewest + jobs {
		do(packedRow{nodes + len(l.gpu)*gpus + i, 1, i < 3})
	}
	for i, c := range l.node {
		do(packedRow{i, 1, c.counter})
	}
	for i, c := range l.gpu {
		do(packedRow{nodes + i*gpus, gpus, c.counter})
	}
}

package table

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Times is the table of the job's nodes over time.
type Times struct {
	*graph.Strip
	layout Layout
}

// NewTimes returns the table for the terminal and the job of a frame.
func NewTimes(f *part.Frame) *Times {
	t := &Times{}
	t.layout = timeLayout(f.W, func(most int) int {
		t.Strip = graph.NewStrip(f, most)
		return t.Width()
	})
	return t
}

// Head draws the headings in row y, with the time axis between them.
func (t *Times) Head(f *part.Frame, y int) {
	DrawHeadings(f, y, t.layout, timeColumns)
	if s := t.layout[colHistory]; s.Shown() {
		t.Axis(f, s.X, y)
	}
}

// Row draws one node in row y.
func (t *Times) Row(f *part.Frame, y int, n *cluster.Node, selected bool) {
	l := t.layout
	m := nodeName(f, y, n, l[colNode], selected)
	if s := l[colHistory]; s.Shown() {
		t.Strip.Row(f, s.X, y, n)
	}
	t.writePresent(f, y, n, m.Role)
	if selected {
		f.Select(y, 0, f.W)
	}
}

// writePresent writes the present value, and the problem; without a problem, the GPU that stands out.
func (t *Times) writePresent(f *part.Frame, y int, n *cluster.Node, role draw.Role) {
	l := t.layout
	s := l[colHealth]
	outer, standsOut := f.Gauge.OuterNow(f.Own(n))
	if !tally.HasNumbers(n) || !outer.Known() {
		f.Right(l[colMean].X, y, l[colMean].W, "–", draw.Dim)
		f.Text(s, y, header.AbsenceText(f, n, s.W), role)
		return
	}
	number := draw.Text
	if n.State == cluster.NodeStale {
		number = draw.Dim
	}
	f.Number(l[colMean], y, part.Summed(outer, part.GaugeUnit(f.Gauge)), f.Health.SlowRole(n.Name, outer.GPU, number))
	text := header.WorstProblem(f, n, s.W)
	if text == "" && standsOut {
		text, role = part.GPUNumber(outer.GPU), draw.Dim
	}
	f.Text(s, y, text, role)
}

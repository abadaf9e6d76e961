package table

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var nodeTitles = map[part.Col]part.Heading{
	colNode: part.Left("NODE", ""), colAverage: part.Right("AVG", ""), colHistory: part.Left("UTIL HISTORY", ""), colMemBar: part.Left("MEMORY", ""),
	colUsed: part.Right("USED/TOT GiB", ""), colPower: part.Right("POWER", ""), colHottest: part.Right("MAX°C", ""), colHealth: part.Left("HEALTH", ""),
}

// Nodes is the table of the job's nodes.
type Nodes struct {
	layout part.Layout
	cells  part.Cells
}

// NewNodes returns the table for the terminal and the job of a frame. The cells are numbers where there is room for them.
func NewNodes(f *part.Frame) *Nodes {
	t := &Nodes{layout: nodeLayout(f.W), cells: part.CellHeights(f, 1)}
	if f.W >= numbersFrom {
		t.cells = part.CellNumbers(f)
	}
	return t
}

// Head draws the headings in row y.
func (t *Nodes) Head(f *part.Frame, y int) {
	f.Headings(y, &t.layout, nodeTitles)
	t.cells.Titles(f, t.layout[colCells].X, y)
}

// Row draws one node in row y.
func (t *Nodes) Row(f *part.Frame, y int, n *cluster.Node) {
	l := &t.layout
	m := f.Health.NodeMark(n.Name)
	selected := n.Name == f.Node.Name
	role := draw.Text
	if selected {
		f.Put(0, y, "▸", draw.Strong)
		role = draw.Strong
	}
	f.Put(1, y, m.Glyph, m.Role)
	f.Text(l[colNode], y, f.NodeName(n.Name, l[colNode].W), role)
	t.cells.Draw(f, l[colCells].X, y, n)
	if tally.HasNumbers(n) && len(n.GPUs) > 0 {
		totals(f, y, f.Own(nil, n), l, draw.Text)
		if n.State == cluster.NodeStale {
			f.FadeRow(y, l[colCells].X, f.W)
		}
		s := l[colHealth]
		f.Text(s, y, part.Trouble(f, n, s.W), m.Role)
	} else {
		x := l[colCells].X + l[colCells].W + 2
		if s := l[colAverage]; s.Shown() {
			f.Right(s.X, y, s.W, "–", draw.Dim)
			x = s.X + s.W + 2
		}
		f.Left(x, y, f.W-1-x, part.Absence(f, n, f.W-1-x), m.Role)
	}
	if selected {
		f.Select(y, 0, f.W)
	}
}

// totals writes what GPUs amount to.
func totals(f *part.Frame, y int, gpus []*cluster.GPU, l *part.Layout, role draw.Role) {
	if len(gpus) == 0 {
		if s := l[colAverage]; s.Shown() {
			f.Right(s.X, y, s.W, "–", draw.Dim)
		}
		return
	}
	t := tally.Total(gpus)
	util, used, hottest := "", "", ""
	if t.Util.Count > 0 {
		util = part.Percent(t.Util.Mean())
	}
	if t.Used.Count > 0 {
		used = draw.GiB(uint64(t.Used.Value)) + "/" + draw.GiB(uint64(t.Memory.Value))
		f.Meter(l[colMemBar], y, 100*t.Used.Value/t.Memory.Value, draw.BarMem)
	}
	heat := role
	if t.Hottest != nil {
		hottest = part.Measured(t.Hottest, metric.Temperature, "°C")
		if role == draw.Text && tally.Hot(t.Hottest) {
			heat = draw.Warn
		}
	}
	power := part.Power(&t, l[colPower].W, true)
	f.Number(l[colAverage], y, util, role)
	f.Trend(l[colHistory], y, func(n int) []float32 { return f.Memory.Mean(gpus, n) }, draw.Cell)
	f.Number(l[colUsed], y, used, role)
	f.Number(l[colPower], y, power.Share()+power.Unit, role)
	f.Number(l[colHottest], y, hottest, heat)
}

// Sum draws the sum over all nodes that stream in row y, under that name.
func (t *Nodes) Sum(f *part.Frame, y int, name string) {
	l := &t.layout
	gpus := tally.Fresh(f.Snap, f.Job)
	f.Put(l[colNode].X, y, name, draw.Strong)
	seen := strconv.Itoa(len(gpus)) + " of " + strconv.Itoa(max(f.Job.GPUs, len(gpus)))
	if t.cells.Numbers {
		seen += " GPUs"
	}
	f.Text(l[colCells], y, seen, draw.Dim)
	totals(f, y, gpus, l, draw.Strong)
}

package part

import (
	"fmt"
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// CellsAcross is the least number of cells of a node. If a node has more GPUs than there are columns, several GPUs
// share a cell.
const CellsAcross = 8

// Cells shows the GPUs of a node as cells: as heights or letters, or in wide cells as numbers with a letter. The
// Scene's Gauge says which metric they show.
type Cells struct {
	slots Slots
	wide  int // width of a cell
	each  int // number of GPUs that share a cell

	apart, marked bool // see Apart
}

// Apart returns the cells for a heat map: a cell shows how far its GPU is from the job's median. With marked, one of
// them shows the mark of the node, unless the letters of its GPUs say the same.
func (c Cells) Apart(marked bool) Cells {
	c.apart, c.marked = true, marked
	return c
}

// numberCell is the least width of a cell with a number.
const numberCell = 4

// NewCells distributes a number of columns over cells for the slots.
func NewCells(slots Slots, columns int) Cells {
	columns = max(columns, 1)
	c := Cells{slots: slots, each: (len(slots) + columns - 1) / columns}
	c.wide = max(columns/max(c.cellCount(), CellsAcross), 1)
	return c
}

// Numbers reports whether the cells show numbers.
func (c Cells) Numbers() bool { return c.wide >= numberCell }

// Each returns the number of GPUs that share a cell.
func (c Cells) Each() int { return c.each }

func (c Cells) cellCount() int { return (len(c.slots) + c.each - 1) / c.each }

// Width returns the least number of columns of the cells.
func (c Cells) Width() int { return max(c.cellCount(), CellsAcross) * c.wide }

// Numbering lists the numbers of the GPUs.
func (c Cells) Numbering() string { return c.slots.String() }

// Titles writes the number of the first GPU above each cell.
func (c Cells) Titles(f *Frame, x, y int) {
	for i := range c.cellCount() {
		title := c.slots.slotTitle(i * c.each)
		if c.wide >= numberCell {
			f.Right(x+i*c.wide, y, 3, title, draw.Dim)
		} else {
			// the last digits, with a blank before the next title
			f.Put(x+i*c.wide, y, title[max(len(title)-max(c.wide-1, 1), 0):], draw.Dim)
		}
	}
}

// Draw draws the GPUs of a node, each under its number: a height or a number, with a letter for a problem. The place of
// a number that the node lacks stays empty.
func (c Cells) Draw(f *Frame, x, y int, n *cluster.Node) {
	if !tally.Shows(n) {
		c.drawEmpty(f, x, y, n)
		return
	}
	absent, mark := missingSlots(f.Job, n), Mark{}
	readings, share, median := f.nodeReadings(n), f.Job.Share(n), math.NaN()
	if c.apart {
		median = f.Median().Level
	}
	if c.marked {
		mark = f.Health.extraNodeMark(n.Name)
	}
	for i := range c.cellCount() {
		slots := c.slots[i*c.each : min((i+1)*c.each, len(c.slots))]
		cell := newCell(n)
		for i := range readings {
			if r := &readings[i]; slices.Contains(slots, slotOf(r.number)) {
				cell.addGPU(f, n, i, r, share.Has(&r.number))
			}
		}
		if slices.ContainsFunc(slots, func(number int) bool { return slices.Contains(absent, number) }) {
			cell = oneCell{shown: true, own: true, lost: true, letter: 'X', severity: cluster.Critical}
		}
		switch at := x + i*c.wide; {
		case mark.Glyph != "" && cell.letter == 0 && cell.shown:
			mark.fillCell(f, at, y, c.wide)
			mark = Mark{}
		case c.Numbers():
			cell.drawNumber(f, at, y)
		case c.apart:
			cell.drawDistance(f, median, at, y, c.wide)
		default:
			cell.drawHeight(f, at, y, c.wide)
		}
	}
}

// extraNodeMark returns the mark of a node if it is about more than the letters of its GPUs; otherwise the zero mark.
func (h Health) extraNodeMark(node string) Mark {
	for _, finding := range h.ByNode[node] { // the worst comes first
		if say.LabelOf(finding).Letter != 0 && finding.GPU >= 0 && int(finding.Severity) >= h.Rank(node) {
			return Mark{}
		}
	}
	return h.NodeMark(node)
}

// fillCell draws the mark as a cell, filled like a letter.
func (m Mark) fillCell(f *Frame, x, y, w int) {
	switch m.Role {
	case draw.Crit:
		m.Role = draw.CritFill
	case draw.Warn:
		m.Role = draw.WarnFill
	}
	f.Fill(x, y, w, ' ', m.Role)
	f.Put(x, y, m.Glyph, m.Role)
}

// missingSlots returns the slots of GPUs that are allocated to the job on a node, but missing.
func missingSlots(job *cluster.JobView, n *cluster.Node) []int {
	if m := job.Missing(n); m.Certain {
		return m.Numbers
	}
	return nil
}

// Select marks the cell of a GPU as selected.
func (c Cells) Select(f *Frame, x, y int, g *cluster.GPU) {
	if at := slices.Index(c.slots, slotOf(g.Number)); at >= 0 {
		x += at / c.each * c.wide
		f.SelectCell(y, x, x+min(c.wide, numberCell))
	}
}

// drawEmpty marks the places of the GPUs of a node that reports nothing.
func (c Cells) drawEmpty(f *Frame, x, y int, n *cluster.Node) {
	share := f.Job.Share(n)
	if c.Numbers() {
		x += 2
	}
	mark := Mark{}
	if c.marked {
		mark = f.Health.NodeMark(n.Name)
	}
	for i := range c.cellCount() {
		slots := c.slots[i*c.each : min((i+1)*c.each, len(c.slots))]
		switch {
		case mark.Glyph != "":
			mark.fillCell(f, x+i*c.wide, y, c.wide)
			mark = Mark{}
		case slices.ContainsFunc(slots, func(number int) bool { return share.Has(&number) }):
			f.Put(x+i*c.wide, y, "·", draw.Dim)
		}
	}
}

// oneCell is the content of a cell: that of its worst GPU.
type oneCell struct {
	level    float64 // gauge of the GPU that matters most, in percent; NaN: unknown
	value    float64 // its number; NaN: unknown
	high     bool    // it deserves attention
	letter   byte    // 0: no problem
	severity cluster.Severity
	shown    bool
	own      bool
	stale    bool
	lost     bool
}

// newCell returns an empty cell for GPUs of a node.
func newCell(n *cluster.Node) oneCell {
	return oneCell{level: math.NaN(), value: math.NaN(), stale: tally.Old(n)}
}

// addGPU adds the GPU at an index of a node to the cell. The job's own GPUs replace those of others.
func (c *oneCell) addGPU(f *Frame, n *cluster.Node, at int, r *gpuCell, own bool) {
	if !own && (f.Mine || c.own) {
		return
	}
	c.shown = true
	if own && !c.own {
		c.level, c.value, c.high, c.own = math.NaN(), math.NaN(), false, true
	}
	c.addGauge(f.Gauge, r)
	c.lost = c.lost || r.lost
	if len(f.Health.ByNode[n.Name]) == 0 {
		return
	}
	for _, finding := range f.Health.OfGPU(n.Name, &n.GPUs[at]) {
		if letter := say.LabelOf(finding).Letter; letter != 0 &&
			(c.letter == 0 || say.LetterRank(letter) < say.LetterRank(c.letter)) {
			c.letter, c.severity = letter, finding.Severity
		}
	}
}

// addGauge adds the gauge of a GPU to the cell, which shows the value that matters most.
func (c *oneCell) addGauge(of tally.Gauge, r *gpuCell) {
	c.high = c.high || r.high
	if math.IsNaN(c.value) || of.Highest() && r.value > c.value || !of.Highest() && r.value < c.value {
		c.value, c.level = r.value, r.level
	}
}

// cellRole returns the role of the cell; quiet if all is well.
func (c oneCell) cellRole(f *Frame, quiet, stale draw.Role) draw.Role {
	switch {
	case c.letter != 0 && c.severity == cluster.Critical:
		return draw.CritFill
	case c.letter != 0 && c.severity == cluster.Warning:
		return draw.WarnFill
	case !c.own, c.stale:
		return stale
	}
	if c.high {
		return draw.Warn
	}
	return f.GaugeRole(c.value, quiet)
}

// GaugeRole is the role of a value of the Scene's Gauge: only utilization and memory have classic colors.
func (s *Scene) GaugeRole(value float64, quiet draw.Role) draw.Role {
	switch s.Gauge {
	case tally.GaugeUtil:
		quiet, _ = s.Level(value, quiet, draw.BarData)
	case tally.GaugeMemory:
		quiet, _ = s.MemoryLevel(value, quiet, draw.BarMem)
	}
	return quiet
}

// drawNumber draws the cell in four columns: "97 ", " 24L".
func (c oneCell) drawNumber(f *Frame, x, y int) {
	role := c.cellRole(f, draw.Text, draw.Ghost)
	letter := " "
	if c.letter != 0 {
		letter = string(rune(c.letter))
	}
	switch {
	case !c.shown:
	case c.lost:
		f.Put(x, y, " "+letter+"  ", role)
	case math.IsNaN(c.value):
		f.Put(x, y, "n/a"+letter, c.cellRole(f, draw.Dim, draw.Ghost))
	default:
		f.Put(x, y, fmt.Sprintf("%3s%s", draw.Whole(c.value), letter), role)
	}
}

// drawHeight draws the cell in one or two columns.
func (c oneCell) drawHeight(f *Frame, x, y, w int) {
	role := c.cellRole(f, draw.Cell, draw.GhostBar)
	switch {
	case !c.shown:
	case c.letter != 0:
		f.Fill(x, y, w, ' ', role)
		f.Put(x, y, string(rune(c.letter)), role)
	case c.stale:
		f.Fill(x, y, w, '░', draw.Ghost)
	case math.IsNaN(c.level):
		f.Put(x, y, "·", draw.Dim)
	default:
		f.Fill(x, y, w, draw.Height(c.level), role)
	}
}

// drawDistance draws the cell in one or two columns, by its distance from the job's median. The classic colors show
// levels instead.
func (c oneCell) drawDistance(f *Frame, median float64, x, y, w int) {
	if c.letter != 0 || c.stale || !c.shown || !c.own || f.Classic || math.IsNaN(c.level+median) {
		c.drawHeight(f, x, y, w)
		return
	}
	glyph, role := Shade(f.Gauge, c.level, median)
	f.Fill(x, y, w, glyph, role)
}

// NodeCell draws a node in one column: the worst letter or mark, or without one the distance from the median of the
// value that matters most among the job's GPUs there.
func NodeCell(f *Frame, x, y int, n *cluster.Node) {
	m := f.Health.NodeMark(n.Name)
	if !tally.HasNumbers(n) {
		if m.Glyph == "" {
			m.Glyph = "·"
		}
		m.fillCell(f, x, y, 1)
		return
	}
	c, share := newCell(n), f.Job.Share(n)
	for i, r := range f.nodeReadings(n) {
		c.addGPU(f, n, i, &r, share.Has(&r.number))
	}
	if worst := f.Health.ByNode[n.Name]; c.letter == 0 && m.Glyph != "" && !c.stale && len(worst) > 0 {
		m.fillCell(f, x, y, 1)
		return
	}
	c.drawDistance(f, f.Median().Level, x, y, 1)
}

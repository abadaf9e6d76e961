package part

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// cellsAcross is how many cells a node has room for. A cell stands for several GPUs where nodes have more.
const cellsAcross = 8

// Letter is the letter of a cell in trouble, with what it says in a word, and in full.
type Letter struct {
	Letter      rune
	Short, Full string
}

// Letters are those that the health rules know, worst first.
var Letters = []Letter{
	{'X', "lost", "GPU lost"},
	{'E', "ecc", "memory errors    ECC:n"},
	{'T', "heat", "slowed by heat   !THERM"},
	{'P', "power", "power brake      !PWR"},
}

// Cells is how the job's GPUs are shown as cells: heights or letters, or in wide ones the utilisation with a letter.
type Cells struct {
	wide int
	most int // GPUs of the largest node
	each int // GPUs that a cell stands for
}

// NumberCell is how wide a cell is that shows a number.
const NumberCell = 4

// NewCells are cells of wide columns for the job of a frame.
func NewCells(f *Frame, wide int) Cells {
	c := Cells{wide: wide}
	for _, name := range f.Job.Nodes {
		c.most = max(c.most, len(f.NodeOf(name).GPUs))
	}
	if c.most == 0 {
		c.most = cellsAcross
	}
	c.each = (c.most + cellsAcross - 1) / cellsAcross
	return c
}

// Numbers says that the cells show numbers.
func (c Cells) Numbers() bool { return c.wide == NumberCell }

// count is how many cells n GPUs take.
func (c Cells) count(n int) int { return (n + c.each - 1) / c.each }

// Titles writes the number of the first GPU above each cell.
func (c Cells) Titles(f *Frame, x, y int) {
	for i := range c.count(c.most) {
		title := strconv.Itoa(i * c.each)
		if c.Numbers() {
			f.Right(x+i*c.wide, y, 3, title, draw.Dim)
		} else {
			f.Left(x+i*c.wide, y, c.wide, title[len(title)-1:], draw.Dim)
		}
	}
}

// Draw draws a node's GPUs: a height or a number when well, with a letter when not.
func (c Cells) Draw(f *Frame, x, y int, n *cluster.Node) {
	if !tally.HasNumbers(n) {
		for i := range c.count(c.most) {
			at := x + i*c.wide
			if c.Numbers() {
				at += 2
			}
			f.Put(at, y, "·", draw.Dim)
		}
		return
	}
	for i := range c.count(len(n.GPUs)) {
		cell := cellOf(f, n, n.GPUs[i*c.each:min((i+1)*c.each, len(n.GPUs))])
		if c.Numbers() {
			cell.number(f, x+i*c.wide, y)
		} else {
			cell.height(f, x+i*c.wide, y, c.wide)
		}
	}
}

// oneCell is what a cell shows: of several GPUs the worst.
type oneCell struct {
	util     float64 // NaN: no number
	letter   byte    // 0: well
	severity cluster.Severity
	shown    bool
	own      bool
	stale    bool
	lost     bool
}

func cellOf(f *Frame, n *cluster.Node, gpus []cluster.GPU) oneCell {
	c := oneCell{util: math.NaN(), stale: n.State == cluster.NodeStale}
	for i := range gpus {
		g := &gpus[i]
		own := f.Job.Owns(n, g)
		if !own && (f.Mine || c.own) {
			continue
		}
		c.shown = true
		if own && !c.own { // what is the job's goes before what is not
			c.util, c.own = math.NaN(), true
		}
		if v := g.Float(metric.Util); math.IsNaN(c.util) || v < c.util {
			c.util = v
		}
		c.lost = c.lost || tally.Lost(g) != ""
		for _, finding := range f.Health.OfGPU(n.Name, g.Number) {
			if letter := health.LabelOf(finding).Letter; letter != 0 && (c.letter == 0 || letterRank(letter) < letterRank(c.letter)) {
				c.letter, c.severity = letter, finding.Severity
			}
		}
	}
	return c
}

func letterRank(b byte) int {
	return slices.IndexFunc(Letters, func(l Letter) bool { return l.Letter == rune(b) })
}

// role is that of the cell, quiet when all is well.
func (c oneCell) role(quiet, stale draw.Role) draw.Role {
	switch {
	case c.letter != 0 && c.severity == cluster.Critical:
		return draw.CritFill
	case c.letter != 0 && c.severity == cluster.Warning:
		return draw.WarnFill
	case !c.own, c.stale:
		return stale
	}
	return quiet
}

// number draws the cell in four columns: "97 ", " 24L".
func (c oneCell) number(f *Frame, x, y int) {
	role := c.role(draw.Text, draw.Ghost)
	letter := " "
	if c.letter != 0 {
		letter = string(rune(c.letter))
	}
	switch {
	case !c.shown:
	case c.lost:
		f.Put(x, y, " "+letter+"  ", role)
	case math.IsNaN(c.util):
		f.Put(x, y, "n/a"+letter, c.role(draw.Dim, draw.Ghost))
	default:
		f.Put(x, y, fmt.Sprintf("%3s%s", draw.Whole(c.util), letter), role)
	}
}

// height draws the cell in one or two columns.
func (c oneCell) height(f *Frame, x, y, w int) {
	role := c.role(draw.Cell, draw.GhostBar)
	switch {
	case !c.shown:
	case c.letter != 0:
		f.Fill(x, y, w, ' ', role)
		f.Put(x, y, string(rune(c.letter)), role)
	case c.stale:
		f.Fill(x, y, w, '░', draw.Ghost)
	case math.IsNaN(c.util):
		f.Put(x, y, "·", draw.Dim)
	default:
		f.Fill(x, y, w, draw.Height(c.util), role)
	}
}

package ui

import (
	"math"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// cellsAcross is how many cells a node has room for. A cell stands for several GPUs where nodes have more.
const cellsAcross = 8

// cellGrid is how the overview shows GPUs as cells.
type cellGrid struct {
	numbers bool // four columns wide, with the utilisation; else of wide columns, a height
	wide    int
	most    int // GPUs of the largest node
	each    int // GPUs that a cell stands for
}

func (f *frame) cellGrid(numbers bool) cellGrid {
	g := cellGrid{numbers: numbers, wide: 1}
	if numbers {
		g.wide = 4
	}
	for _, name := range f.job.Nodes {
		g.most = max(g.most, len(f.nodeOf(name).GPUs))
	}
	if g.most == 0 {
		g.most = cellsAcross
	}
	g.each = (g.most + cellsAcross - 1) / cellsAcross
	return g
}

// count is how many cells n GPUs take.
func (g cellGrid) count(n int) int { return (n + g.each - 1) / g.each }

// cellTitles writes the number of the first GPU above each cell.
func (f *frame) cellTitles(x, y int, g cellGrid) {
	for i := range g.count(g.most) {
		title := strconv.Itoa(i * g.each)
		if g.numbers {
			f.Right(x+i*g.wide, y, 3, title, draw.Dim)
		} else {
			f.Left(x+i*g.wide, y, g.wide, title[len(title)-1:], draw.Dim)
		}
	}
}

// cells draws a node's GPUs: a height or a number when well, with a letter when not.
func (f *frame) cells(x, y int, n *cluster.Node, g cellGrid) {
	if !hasNumbers(n) {
		for i := range g.count(g.most) {
			if g.numbers {
				f.Put(x+i*g.wide+2, y, "·", draw.Dim)
			} else {
				f.Put(x+i*g.wide, y, "·", draw.Dim)
			}
		}
		return
	}
	for i := range g.count(len(n.GPUs)) {
		c := f.cellOf(n, n.GPUs[i*g.each:min((i+1)*g.each, len(n.GPUs))])
		if g.numbers {
			c.number(f, x+i*g.wide, y)
		} else {
			c.height(f, x+i*g.wide, y, g.wide)
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

func (f *frame) cellOf(n *cluster.Node, gpus []cluster.GPU) oneCell {
	c := oneCell{util: math.NaN(), stale: n.State == cluster.NodeStale}
	for i := range gpus {
		g := &gpus[i]
		own := f.owns(n, g)
		if !own && (f.view.mine || c.own) {
			continue
		}
		c.shown = true
		if own && !c.own { // what is the job's goes before what is not
			c.util, c.own = math.NaN(), true
		}
		if v := g.Float(metric.Util); math.IsNaN(c.util) || v < c.util {
			c.util = v
		}
		c.lost = c.lost || lost(g) != ""
		for _, finding := range f.health.ofGPU(n.Name, g.Number) {
			c.take(finding)
		}
	}
	return c
}

func (c *oneCell) take(finding *cluster.Finding) {
	letter := labelOf(finding).Letter
	if letter == 0 {
		return
	}
	if c.letter == 0 || letterRank(letter) < letterRank(c.letter) {
		c.letter, c.severity = letter, finding.Severity
	}
}

func letterRank(b byte) int {
	for i := range cellLetters {
		if cellLetters[i].letter == rune(b) {
			return i
		}
	}
	return len(cellLetters)
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
func (c oneCell) number(f *frame, x, y int) {
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
		f.Put(x, y, padLeft(draw.Whole(c.util), 3)+letter, role)
	}
}

// height draws the cell in one or two columns.
func (c oneCell) height(f *frame, x, y, w int) {
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

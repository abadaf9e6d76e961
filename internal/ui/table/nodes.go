package table

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Nodes is the table of the job's nodes.
type Nodes struct {
	layout Layout
	cells  part.Cells
}

// NewNodes returns the table for the terminal and the job of a frame. The cells are numbers if there is room for them.
func NewNodes(f *part.Frame) *Nodes {
	slots := part.NewSlots(f.Scene)
	l := nodeLayout(f.W, len(slots), f.Halved(), f.Columns.Overview)
	return &Nodes{layout: l, cells: part.NewCells(slots, l[colCells].W)}
}

// Head draws the headings in row y.
func (t *Nodes) Head(f *part.Frame, y int) {
	DrawHeadings(f, y, t.layout, nodeColumns)
	if s := t.layout[colCells]; s.Shown() {
		t.cells.Titles(f, s.X, y)
	}
}

// nodeName draws the beginning of a node's row: the cursor if the node is selected, its mark and its name.
func nodeName(f *part.Frame, y int, n *cluster.Node, s part.Span, selected bool) part.Mark {
	m, role := f.Health.NodeMark(n.Name), draw.Text
	if selected {
		f.Put(0, y, "▸", draw.Strong)
		role = draw.Strong
	}
	f.Put(1, y, m.Glyph, m.Role)
	f.Text(s, y, f.NodeName(n.Name, s.W), role)
	return m
}

// Row draws one node in row y.
func (t *Nodes) Row(f *part.Frame, y int, n *cluster.Node, selected bool) {
	t.row(f, y, n, selected)
	if selected {
		f.Select(y, 0, f.W)
	}
}

// RowAt draws the node under the cursor in row y, with the cursor on one of its GPUs.
func (t *Nodes) RowAt(f *part.Frame, y int, n *cluster.Node, g *cluster.GPU) {
	t.row(f, y, n, true)
	s := t.layout[colCells]
	f.Select(y, 0, BehindSubject(t.layout[colNode]))
	if s.Shown() {
		t.cells.Select(f, s.X, y, g)
	}
}

// row draws the words and numbers of one node.
func (t *Nodes) row(f *part.Frame, y int, n *cluster.Node, selected bool) {
	l := t.layout
	m := nodeName(f, y, n, l[colNode], selected)
	numbers, chosen := tally.Shows(n) && len(n.GPUs) > 0, f.Columns.Overview != ""
	// if the user has chosen columns, a sentence may be in the place of the cells
	if s := l[colCells]; s.Shown() && (numbers || !chosen) {
		t.cells.Draw(f, s.X, y, n)
	}
	if numbers {
		writeTotals(f, y, sumOf(n, f.Own(n)), l, draw.Text, true)
		row := rows.Node{Snapshot: f.Snap, Job: f.Job, Findings: f.Health.ByNode}
		spareCells(f, y, l, nodeColumns, &rows.Nodes, row.Of(&n.Name), draw.Text)
		if tally.Old(n) {
			f.Fade(y, BehindSubject(l[colNode]), f.W)
		}
		s := l[colHealth]
		f.Text(s, y, t.healthText(f, n, s.W), m.Role)
	} else {
		x := BehindSubject(l[colNode])
		if !chosen {
			x = BehindSubject(l[colCells])
			if s := l[colMean]; s.Shown() {
				f.Right(s.X, y, s.W, "–", draw.Dim)
				x = BehindSubject(s)
			}
		}
		f.Left(x, y, f.W-1-x, header.AbsenceText(f, n, f.W-1-x), m.Role)
	}
}

// healthText describes the problem of a node in w columns; for a failed node, also the time of its last numbers.
func (t *Nodes) healthText(f *part.Frame, n *cluster.Node, w int) string {
	if tally.HasNumbers(n) {
		return header.WorstProblem(f, n, w)
	}
	of := n.Arrived.Format(time.TimeOnly)
	for _, text := range []string{
		header.AbsenceText(f, n, part.Unlimited) + ", last seen " + of,
		header.WorstProblem(f, n, part.Unlimited) + ", last seen " + of,
		header.WorstProblem(f, n, max(w-len(", last seen "+of), 0)) + ", last seen " + of,
		header.WorstProblem(f, n, max(w-len(", seen "+of), 0)) + ", seen " + of,
	} {
		if draw.Width(text) <= w && !strings.Contains(text, "…") && !strings.HasPrefix(text, ",") {
			return text
		}
	}
	return header.AbsenceText(f, n, w)
}

// Sum draws, in row y, the sum over all nodes that report, with a name.
func (t *Nodes) Sum(f *part.Frame, y int, name string) {
	l := t.layout
	f.Put(l[colNode].X, y, name, draw.Strong)
	f.Text(l[colCells], y, countText(f.Job.GPUsSeen, max(f.Job.GPUs, f.Job.GPUsSeen), l[colCells].W), draw.Dim)
	writeTotals(f, y, jobSum(f), l, draw.Strong, true)
	if f.Old() {
		f.Fade(y, BehindSubject(l[colNode]), f.W)
	}
}

// countText says in w columns how many of the GPUs are counted.
func countText(n, all, w int) string {
	text, unit := strconv.Itoa(n)+" of "+strconv.Itoa(all), " GPUs"
	if all == 1 {
		unit = " GPU"
	}
	switch {
	case len(text+unit) <= w:
		return text + unit
	case len(text) <= w:
		return text
	}
	return strconv.Itoa(n) + "/" + strconv.Itoa(all)
}

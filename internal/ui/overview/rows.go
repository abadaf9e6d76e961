package overview

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Rows draws one row per node, their total and the problems, and returns the row below.
func (o *Page) Rows(f *part.Frame) int {
	x := o.nodeFilter().writeTitle(f, 2)
	if text := " " + part.GaugeTitle(f.Gauge) + " "; x+draw.Width(text)+positionWide < f.W {
		f.Put(x, 2, text, draw.Dim)
	}
	f.RuleEnd(2, o.Window(f.Scene).Where())
	y := o.nodeRows(f)
	f.Fill(2, y, f.W-4, '╌', draw.Faint)
	table.NewNodes(f).Sum(f, y+1, o.nodeFilter().sumName(f.Scene))
	return o.drawProblems(f, y+2)
}

// drawProblems draws the problems below the rows and returns the row below them.
func (o *Page) drawProblems(f *part.Frame, y int) int {
	if o.Window(f.Scene).Hidden() > 0 {
		drawShortProblems(f, y, &draw.Naming{}) // the rows have whole names, too
		return f.H - 1
	}
	return o.drawJobProblems(f, y)
}

// positionWide is the width of the position in a rule.
const positionWide = 30

// headRow is the row of the headings.
const headRow = 3

// nodeRows draws the headings and the nodes on the screen, and returns the row below.
func (o *Page) nodeRows(f *part.Frame) int {
	o.Body(f, headRow)
	if len(f.Order) == 0 && o.nodeFilter().isFiltered(f.Scene) {
		return o.nodeFilter().drawNoMatch(f, headRow+1)
	}
	return min(headRow+1+o.Window(f.Scene).Shown, f.H-1)
}

// rowsPlace returns where the rows of the table are. If not all nodes fit, some rows are reserved for the worst
// problems, even while all is well: nodes must not move when something happens.
func (o *Page) rowsPlace(s *part.Scene) (top, room int) {
	room = s.H - overviewFrame
	if len(s.Order) > room {
		room -= min(mostReason, max(room/2, 0))
	}
	return headRow + 1, room + o.Filter.Rows(s.Job.ID) // the prompt is over the problems
}

// nodes is a table with a row per node.
type nodes struct {
	page  *Page
	shown interface {
		Head(f *part.Frame, y int)
		Row(f *part.Frame, y int, n *cluster.Node, selected bool)
	}
}

// nodeTable returns the table of the nodes now, or over time.
func (o *Page) nodeTable(f *part.Frame) nodes {
	if o.Times {
		return nodes{o, table.NewTimes(f)}
	}
	return nodes{o, table.NewNodes(f)}
}

// Head implements list.Table. The order is shown in the footer.
func (t nodes) Head(f *part.Frame, y int, _ string, _ bool) { t.shown.Head(f, y) }

// Row implements list.Table. A printout has no selected node.
func (t nodes) Row(f *part.Frame, y int, name *string, _ bool) {
	n, selected := f.NodeOf(*name).AsSeen(), *name == f.Node.Name
	if now, is := t.shown.(*table.Nodes); is && selected {
		if g := t.page.cursorGPU(f.Scene, n); g != nil {
			now.RowAt(f, y, n, g)
			return
		}
	}
	t.shown.Row(f, y, n, selected)
}

// At implements list.Table: no heading can sort.
func (t nodes) At(int) string { return "" }

// graphRoom is the number of rows that the problems leave to the graphs in a tall terminal.
const graphRoom = 12

// drawJobProblems draws the problems of the whole job and returns the row below.
func (o *Page) drawJobProblems(f *part.Frame, y int) int {
	listed := f.Health.Listed("")
	if len(listed) == 0 || y+2 > f.H-1 {
		return y
	}
	y++
	end := f.H - 1
	if f.H >= 40 && end-y > graphRoom+4 {
		end -= graphRoom
	}
	count := part.Counted(header.FirstFindings(header.GroupAlike(listed)), "problem", "problems")
	if o.nodeFilter().isFiltered(f.Scene) {
		count = part.Counted(listed, "in the whole job", "in the whole job")
	}
	f.Section(y, "Problems", count+", worst first")
	return header.DrawSentences(f, y+1, end, listed)
}

// Package overview is the page of all nodes of a job: a row for each, a heat map, or the nodes over time.
//
// The table is a list of package list. Tiles give each node its place on the heat map: drawing, keys and mouse use the
// same tiles.
package overview

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Page shows all nodes of the job. Its list is the table of nodes, with their filter and order; the heat map shows the
// nodes of the list, too.
type Page struct {
	*list.List[string, string] // names of nodes

	viewOptions

	page   int // page of the heat map on the screen
	worst  worst
	opened *cluster.Snapshot // when the prompt was opened

	inRow rowCursor

	order []string // of the nodes of shown
	shown *list.View[string]
}

// The columns of the orders: nodes stand in SLURM's order, or the worst come first. They are not sorted by other
// numbers: nodes must not move while the user looks at them.
const (
	byName = "node"
	byRank = "health"
)

// New returns the page in its first state.
func New(past *footer.History) *Page {
	o := &Page{}
	o.List = list.New(past, list.Of[string, string]{
		Noun: "nodes", OfJob: true,
		Rows: func(s *part.Scene) []string { return s.Job.Nodes }, Key: func(name *string) string { return *name },
		Version: func(*part.Scene) any { return o.worst.begun },
		Reads: list.By(&rows.Nodes, func(s *part.Scene) func(*string) *rows.Node {
			return (&rows.Node{Snapshot: s.Snap, Job: s.Job, Findings: s.Health.ByNode}).Of
		}),
		Orders: []list.Order[string]{{Column: byName, AsListed: true}, {Column: byRank,
			Number: func(name *string) (float64, bool) { return float64(o.worst.ranks[*name]), true }}},
		Usual: []string{byName, byRank}, Keys: &list.Keys{Filter: keys.Filter},
		On:   func(_ *part.Scene, name *string) nav.Answer { return nav.To(nav.Go{Node: *name}) },
		Open: o.openUnderCursor, Own: nav.BindCode(code, o),
		Press: func(msg tea.Msg, s *part.Scene, _ *list.View[string], _ int) (nav.Answer, bool) {
			return o.handleMessage(msg, s)
		},
		Detail: o.drawDetail, Place: o.rowsPlace,
		Table: func(f *part.Frame, _ *list.View[string]) list.Table[string] { return o.nodeTable(f) },
	})
	return o
}

// Worst puts the worst nodes first.
func (o *Page) Worst() { o.Sorted = o.By(byRank, false) }

// Press moves the cursor, arranges the nodes, or filters them.
func (o *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if o.Filter.Typing(s.Job.ID) {
		return nav.Answer{Taken: o.Filter.Press(msg)} // the selected node stays if it matches
	}
	a := o.List.Press(msg, s)
	if o.Filter.Typing(s.Job.ID) {
		o.opened = s.Snap
	}
	return a
}

// Arrive shows the metric that was chosen, if any.
func (o *Page) Arrive(_ *part.Scene, to nav.Go) nav.Answer {
	for g := range tally.Gauges {
		if part.GaugeName(g) == to.Choice {
			o.Gauge = g
		}
	}
	return nav.Answer{}
}

// code is the code of the page's own actions. Without a node on the screen, none is opened.
var code = nav.CodeTable[*Page]{
	{Of: keys.Up, Do: over(func(t *tiles, at string) string { return t.shiftNode(at, 0, -1) })},
	{Of: keys.Down, Do: over(func(t *tiles, at string) string { return t.shiftNode(at, 0, +1) })},
	{Of: keys.PageUp, Do: over(func(t *tiles, _ string) string { return t.nodeOfPage(-1) })},
	{Of: keys.PageDown, Do: over(func(t *tiles, _ string) string { return t.nodeOfPage(+1) })},
	{Of: keys.First, Do: over(func(t *tiles, _ string) string { return t.first() })},
	{Of: keys.Last, Do: over(func(t *tiles, _ string) string { return t.last() })},
	{Of: keys.Left, Do: along(-1)},
	{Of: keys.Right, Do: along(+1)},
	{Of: keys.Worst, Do: (*Page).switchOrder},
	{Of: keys.Grid, Do: func(o *Page, s *part.Scene) nav.Answer { o.nextLook(s); return nav.Taken }},
	{Of: keys.Gauge, Do: nav.ChangePage(func(o *Page) { o.Gauge = o.Gauge.Next() })},
	{Of: keys.Connection, Do: unlessNone},
	{Of: keys.Processes, Do: unlessNone},
	{Of: keys.ToConnection, Do: unlessNone},
	{Of: keys.ToNode, Do: unlessNone},
	{Of: keys.ToGPU, Do: unlessNone},
	{Of: keys.Ranks, Do: toRanks},
	{Of: keys.ToRanks, Do: toRanks},
}

// along is the code of an action that goes to the tile or the GPU beside the cursor.
func along(by int) func(*Page, *part.Scene) nav.Answer {
	tile := over(func(t *tiles, at string) string { return t.shiftNode(at, by, 0) })
	return func(o *Page, s *part.Scene) nav.Answer {
		if a := tile(o, s); a.Taken {
			return a
		}
		if !o.Times && len(s.Order) > 0 { // a row has no node beside it
			o.inRow.moveAlongRow(by, gpusWithCell(s, s.Node))
		}
		return nav.Taken
	}
}

// unlessNone takes the keys of the selected node while no node is shown.
func unlessNone(_ *Page, s *part.Scene) nav.Answer { return nav.Answer{Taken: len(s.Order) == 0} }

// toRanks goes to the ranks of the job, unless the user has chosen a node.
func toRanks(_ *Page, s *part.Scene) nav.Answer {
	if len(s.Order) == 0 || s.Node.Name != s.Order[0] {
		return nav.Answer{}
	}
	return nav.To(nav.Go{Page: keys.OnRanks, Job: s.Job.ID})
}

// handleMessage answers the mouse where the list does not.
func (o *Page) handleMessage(msg tea.Msg, s *part.Scene) (a nav.Answer, did bool) {
	if o.asHeatMap(s) {
		if a := o.moveOverTiles(msg, s); a.Taken {
			return a, true
		}
	}
	if click, is := msg.(tea.MouseClickMsg); is && click.X <= o.Beside(s).W { // a row; the pane opens what it shows
		o.inRow = rowCursor{}
	}
	return nav.Answer{}, false
}

// switchOrder changes the order. When the worst come first, the cursor goes to the worst node.
func (o *Page) switchOrder(s *part.Scene) nav.Answer {
	if o.Sorted.By == byName {
		o.Worst()
	} else {
		o.Sorted = o.By(byName, false)
	}
	o.begin(s)
	a := nav.Taken
	if order := o.Wants(s).Order; o.Sorted.By == byRank && len(order) > 0 {
		a.Node = order[0]
	}
	return a
}

// begin shows the nodes from the first on, ranked by how bad they are now.
func (o *Page) begin(s *part.Scene) {
	o.page = 0
	o.worst.begin(s.Job.ID)
	o.Top()
}

// Wants asks for the nodes that match the filter, in SLURM's order or the worst first. A node that recovers keeps its
// place until the user sorts again.
func (o *Page) Wants(s *part.Scene) nav.Wants {
	if o.worst.of != s.Job.ID {
		o.begin(s)
	}
	if o.Sorted.By == byRank {
		o.worst.recordRanks(s)
	}
	if v := o.View(s); v != o.shown {
		o.shown, o.order = v, make([]string, v.Len())
		for i := range o.order {
			o.order[i] = *v.At(i)
		}
	}
	return nav.Wants{Order: o.order}
}

// Settle chooses the gauge of the cells, and puts the cursor on the selected node. While the user types a filter, it
// prepares the graphs, since the next letter may make room for them.
func (o *Page) Settle(s *part.Scene) {
	s.Gauge = o.Gauge
	if at := slices.Index(s.Order, s.Node.Name); at >= 0 && o.Cursor() != s.Node.Name {
		o.GoTo(s, at)
	}
	if o.Filter.Typing(s.Job.ID) && s.Snap != o.opened {
		graph.Prepare(s)
	}
}

// Draw draws the page.
func (o *Page) Draw(f *part.Frame) {
	header.Draw(f, false)
	f.Rule(2)
	troubleFirst := false
	switch {
	case o.asHeatMap(f.Scene):
		troubleFirst = o.heatMap(f)
	case o.Times:
		list := o.Split(f)
		graph.JobGraphs(list, o.drawTimes(list))
	default:
		list := o.Split(f)
		graph.JobGraphs(list, o.Rows(list))
	}
	if o.Filter.Typing(f.Job.ID) {
		o.Filter.Draw(f, len(f.Order), len(f.Job.Nodes))
		return
	}
	footer.Draw(f, "", o.footerHints(f.Scene, troubleFirst)...)
}

func (o *Page) footerHints(s *part.Scene, troubleFirst bool) []keys.Hint {
	var open, jobs []keys.Hint
	if len(s.Order) > 0 {
		open = append(open, keys.HintOf(keys.Open))
	}
	if len(s.Snap.Jobs) > 1 {
		jobs = append(jobs, keys.Jobs)
	}
	order := "sort: name"
	switch {
	case o.Sorted.By == byRank:
		order = "sort: worst"
	case troubleFirst:
		order = "sort: trouble first"
	}
	arrange := []keys.Hint{keys.HintOf(keys.Filter), keys.HintOf(keys.Worst).As(order), o.nextLookHint(s),
		keys.HintOf(keys.Gauge)}
	return slices.Concat(footer.MouseHints(s), open, o.arrowHints(s), jobs, arrange,
		footer.CommonHints(s, s.Job.Nodes...), footer.LastHints)
}

// overviewFrame is the number of rows of the overview that are not for nodes: rows 0 to 2, headings, rule, total, keys.
const overviewFrame = 7

// Package overview is the page of all nodes of a job: a row for each, a heat map, or the nodes over time.
//
// The table is a list of package list. Tiles give each node its place on the heat map: drawing, keys and mouse use the
// same tiles.
package overview

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/hint"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/problem"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Grid is how the overview shows nodes.
type Grid uint8

// Ways to show nodes.
const (
	GridAuto Grid = iota // rows while they fit, else the heat map
	GridRows
	GridMap
)

// Page shows all nodes of the job. Its list is the table of nodes, their filter and their order; the heat map shows the
// nodes of the list, too.
type Page struct {
	*list.List[string, string] // names of nodes

	Grid  Grid
	Times bool        // the nodes are shown over time, in place of the grid
	Gauge tally.Gauge // what the cells show

	page   int               // page of the heat map on the screen
	of     string            // ID of the job of ranks
	ranks  map[string]int    // how bad each node has been since the user put the worst nodes first
	sorts  int               // how often the ranks began anew
	opened *cluster.Snapshot // when the prompt was opened

	inRow inRow

	order []string // of the nodes of shown
	shown *list.View[string]
}

// The columns of the orders: nodes stand in SLURM's order, or the worst first. No other number orders them: nodes must
// not move while the user looks at them.
const (
	byName = "node"
	byRank = "health"
)

// New returns the page in its first state.
func New(past *prompt.History) *Page {
	o := &Page{}
	o.List = list.New(past, list.Of[string, string]{
		Noun: "nodes", OfJob: true,
		Rows: func(s *part.Scene) []string { return s.Job.Nodes }, Key: func(name *string) string { return *name },
		Version: func(*part.Scene) any { return o.sorts },
		Reads: list.By(&rows.Nodes, func(s *part.Scene) func(*string) *rows.Node {
			return (&rows.Node{Snapshot: s.Snap, Job: s.Job, Findings: s.Health.ByNode}).Of
		}),
		Orders: []list.Order[string]{{Column: byName, AsListed: true}, {Column: byRank,
			Number: func(name *string) (float64, bool) { return float64(o.ranks[*name]), true }}},
		Usual: []string{byName, byRank}, Keys: &list.Keys{Filter: keys.Filter},
		On:   func(_ *part.Scene, name *string) nav.Answer { return nav.To(nav.Go{Node: *name}) },
		Open: o.open,
		Press: func(msg tea.Msg, s *part.Scene, _ *list.View[string], _ int) (nav.Answer, bool) {
			return o.press(msg, s)
		},
		Detail: o.detail, Place: o.place,
		Table: func(f *part.Frame, _ *list.View[string]) list.Table[string] { return o.table(f) },
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

// Arrive shows the metric that was chosen, if one was.
func (o *Page) Arrive(_ *part.Scene, to nav.Go) nav.Answer {
	for g := range tally.Gauges {
		if part.GaugeName(g) == to.Choice {
			o.Gauge = g
		}
	}
	return nav.Answer{}
}

// press answers the messages that are not for the list.
func (o *Page) press(msg tea.Msg, s *part.Scene) (a nav.Answer, did bool) {
	if o.asHeatMap(s) {
		if a := o.move(msg, s); a.Taken {
			return a, true
		}
	}
	switch k := msg.(type) {
	case tea.KeyPressMsg:
		return o.arrange(k, s)
	case tea.MouseClickMsg:
		if k.X <= o.Beside(s).W { // a row; the pane opens what it shows
			o.inRow = inRow{}
		}
	}
	return nav.Answer{}, false
}

// arrange answers the keys that change which nodes are shown, and how.
func (o *Page) arrange(k tea.KeyPressMsg, s *part.Scene) (a nav.Answer, did bool) {
	switch {
	case key.Matches(k, keys.Left, keys.Right) && (o.Times || len(s.Order) == 0): // a row has none beside it
	case key.Matches(k, keys.Left, keys.Right):
		return o.along(k, s), true
	case key.Matches(k, keys.Worst):
		return o.sort(s), true
	case key.Matches(k, keys.Grid):
		o.turn(s)
	case key.Matches(k, keys.Gauge):
		o.Gauge = o.Gauge.Next()
	case len(s.Order) == 0 && // no node is shown
		key.Matches(k, keys.Connection, keys.Processes, keys.ToConnection, keys.ToNode, keys.ToGPU):
	case len(s.Order) > 0 && s.Node.Name == s.Order[0] && // the user has not chosen a node
		key.Matches(k, keys.Ranks, keys.ToRanks):
		return nav.To(nav.Go{Page: keys.OnRanks, Job: s.Job.ID}), true
	default:
		return nav.Answer{}, false
	}
	return nav.Taken, true
}

// turn shows the nodes in the next way: as a table, as a heat map, over time.
func (o *Page) turn(s *part.Scene) {
	switch {
	case o.Times:
		o.Grid, o.Times = GridRows, false
	case o.asHeatMap(s):
		o.Times = true
	default:
		o.Grid = GridMap
	}
}

// sort changes the order. When the worst come first, the cursor goes to the worst node.
func (o *Page) sort(s *part.Scene) nav.Answer {
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

// begin shows the nodes from the first on, as bad as they are now.
func (o *Page) begin(s *part.Scene) {
	o.of, o.page, o.ranks, o.sorts = s.Job.ID, 0, nil, o.sorts+1
	o.Top()
}

// Wants returns the nodes that match the filter: in SLURM's order, or the worst first. A node that recovers keeps its
// place until the user sorts again.
func (o *Page) Wants(s *part.Scene) nav.Wants {
	if o.of != s.Job.ID {
		o.begin(s)
	}
	if o.Sorted.By == byRank {
		o.remember(s)
	}
	if v := o.View(s); v != o.shown {
		o.shown, o.order = v, make([]string, v.Len())
		for i := range o.order {
			o.order[i] = *v.At(i)
		}
	}
	return nav.Wants{Order: o.order}
}

// remember keeps the worst state of each node.
func (o *Page) remember(s *part.Scene) {
	if o.ranks == nil {
		o.ranks = make(map[string]int, len(s.Job.Nodes))
	}
	for _, name := range s.Job.Nodes {
		o.ranks[name] = max(o.ranks[name], s.Health.Rank(name))
	}
}

// asHeatMap reports whether the nodes are shown as a heat map: by choice, otherwise if they do not all fit as rows.
func (o *Page) asHeatMap(s *part.Scene) bool {
	switch {
	case s.W < heatMapLeast || o.Times || o.Grid == GridRows:
		return false
	case o.Grid == GridMap:
		return true
	}
	return len(s.Job.Nodes) > s.H-overviewFrame
}

// Settle chooses the gauge of the cells, and puts the cursor on the selected node. While a filter is typed, the graphs
// are ready for the letter that makes room for them.
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
	f.Fill(0, 2, f.W, '─', draw.Faint)
	troubleFirst := false
	switch {
	case o.asHeatMap(f.Scene):
		troubleFirst = o.heatMap(f)
	case o.Times:
		list := o.Split(f)
		graph.JobGraphs(list, o.times(list))
	default:
		list := o.Split(f)
		graph.JobGraphs(list, o.Rows(list))
	}
	if o.Filter.Typing(f.Job.ID) {
		o.Filter.Draw(f, len(f.Order), len(f.Job.Nodes))
		return
	}
	part.Footer(f, "", o.hints(f.Scene, troubleFirst)...)
}

// hints are the keys of the footer, the most useful first: keys that show hidden nodes or rows again, keys that lead to
// other pages, keys that arrange the nodes.
func (o *Page) hints(s *part.Scene, troubleFirst bool) []keys.Hint {
	view, filter := keys.HintOf(keys.Grid), keys.HintOf(keys.Filter)
	var back, open []keys.Hint
	jobs := []keys.Hint{keys.HintOf(keys.ToJobs)}
	if o.filtered(s) {
		back = append(back, filter)
	}
	if len(s.Order) > 0 {
		open = append(open, keys.HintOf(keys.Open))
	}
	switch {
	case o.Times:
		view = view.As("table")
	case o.asHeatMap(s):
		view = view.As("time")
	default:
		view = view.As("map")
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
	rest := []keys.Hint{keys.HintOf(keys.Ranks), view, keys.HintOf(keys.Gauge)}
	arrange := []keys.Hint{keys.HintOf(keys.Worst).As(order), filter}
	all := slices.Concat(hint.Released(s), back, open, hint.Problems(s), rest, jobs, arrange, hint.NextProblem(s),
		hint.Mine(s, s.Job.Nodes), []keys.Hint{keys.HintOf(keys.Refresh)})
	return append(hint.Once(all), hint.Last...)
}

// overviewFrame is the number of rows of the overview that are not for nodes: rows 0 to 2, headings, rule, total, keys.
const overviewFrame = 7

// Rows draws one row per node, their total and the problems, and returns the row below.
func (o *Page) Rows(f *part.Frame) int {
	x := 2
	if o.filtered(f.Scene) {
		x = o.filterTitle(f, x) + 1
	}
	if text := " " + f.GaugeTitle() + " "; x+draw.Width(text)+positionWide < f.W {
		f.Put(x, 2, text, draw.Dim)
	}
	f.RuleEnd(2, o.Window(f.Scene).Where())
	y := o.nodeRows(f)
	f.Fill(2, y, f.W-4, '╌', draw.Faint)
	table.NewNodes(f).Sum(f, y+1, o.sumName(f.Scene))
	return o.below(f, y+2)
}

// below draws the problems below the rows and returns the row below them.
func (o *Page) below(f *part.Frame, y int) int {
	if o.Window(f.Scene).Hidden() > 0 {
		troubles(f, y, &part.Naming{}) // the rows have whole names, too
		return f.H - 1
	}
	return o.health(f, y)
}

// positionWide is the width of the position in a rule.
const positionWide = 30

// headRow is the row of the headings.
const headRow = 3

// nodeRows draws the headings and the nodes on the screen, and returns the row below.
func (o *Page) nodeRows(f *part.Frame) int {
	o.Body(f, headRow)
	if len(f.Order) == 0 && o.filtered(f.Scene) {
		return o.noMatch(f, headRow+1)
	}
	return min(headRow+1+o.Window(f.Scene).Shown, f.H-1)
}

// place is where the rows of the table are. If there are more nodes than rows, the worst problems get some rows, even
// while all is well: nodes must not move when something happens.
func (o *Page) place(s *part.Scene) (top, room int) {
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

// table returns the table of the nodes now, or over time.
func (o *Page) table(f *part.Frame) nodes {
	if o.Times {
		return nodes{o, table.NewTimes(f)}
	}
	return nodes{o, table.NewNodes(f)}
}

// Head implements list.Table. The footer says the order.
func (t nodes) Head(f *part.Frame, y int, _ string, _ bool) { t.shown.Head(f, y) }

// Row implements list.Table. A printout has no selected node.
func (t nodes) Row(f *part.Frame, y int, name *string, _ bool) {
	n, selected := f.NodeOf(*name).AsSeen(), *name == f.Node.Name
	if now, is := t.shown.(*table.Nodes); is && selected {
		if g := t.page.gpu(f.Scene, n); g != nil {
			now.RowAt(f, y, n, g)
			return
		}
	}
	t.shown.Row(f, y, n, selected)
}

// At implements list.Table: no heading sorts.
func (t nodes) At(int) string { return "" }

// graphRoom is the number of rows that the problems leave to the graphs in a tall terminal.
const graphRoom = 12

// health draws the problems of the whole job and returns the row below.
func (o *Page) health(f *part.Frame, y int) int {
	if len(f.Job.Findings) == 0 || y+2 > f.H-1 {
		return y
	}
	y++
	end := f.H - 1
	if f.H >= 40 && end-y > graphRoom+4 {
		end -= graphRoom
	}
	count := part.Counted(f.Job.Findings, "problem", "problems")
	if o.filtered(f.Scene) {
		count = part.Counted(f.Job.Findings, "in the whole job", "in the whole job")
	}
	f.Section(y, "Problems", count+", worst first")
	return problem.Sentences(f, y+1, end, f.Health.Listed(""))
}

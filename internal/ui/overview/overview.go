// Package overview is the page of all nodes of a job: a row for each, a heat map, or the nodes over time.
//
// A grid, a sheet of rows or tiles, gives each node its place on the screen: drawing, keys and mouse use the same grid.
package overview

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/hint"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
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

// Page shows all nodes of the job.
type Page struct {
	Worst bool // the worst nodes come first
	Grid  Grid
	Times bool        // the nodes are shown over time, in place of the grid
	Gauge tally.Gauge // what the cells show

	from  int            // the first node on the screen
	page  int            // page of the heat map on the screen
	of    string         // ID of the job of from and ranks
	ranks map[string]int // how bad each node has been since the user put the worst nodes first

	filter *prompt.Filter
	opened *cluster.Snapshot // when the prompt was opened
}

// New returns the page in its first state.
func New(past *prompt.History) *Page {
	return &Page{filter: prompt.New(filter.Of(&rows.Nodes), past)}
}

// Press moves the cursor, arranges the nodes, or filters them.
func (o *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if o.filter.Typing(s.Job.ID) {
		return nav.Answer{Taken: o.filter.Press(msg)}
	}
	o.filter.Close() // the prompt was for another job
	a := o.move(msg, s)
	o.keepPlace(s, a.Node)
	if a.Taken {
		return a
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		return o.arrange(k, s)
	}
	return nav.Answer{}
}

// keepPlace remembers the part of the list on the screen, with the cursor on the node; "": the cursor stays.
func (o *Page) keepPlace(s *part.Scene, node string) {
	switch g := o.grid(s).(type) {
	case *tiles:
		o.page = g.pageOf(node)
	case *sheet:
		if node != "" {
			o.from = newSheet(g.all, g.to-g.from, o.from, node).from
		}
	}
}

// arrange answers the keys that change which nodes are shown, and how.
func (o *Page) arrange(k tea.KeyPressMsg, s *part.Scene) nav.Answer {
	switch {
	case key.Matches(k, keys.Worst):
		return o.sort(s)
	case key.Matches(k, keys.Grid) && o.asHeatMap(s):
		o.Grid = GridRows
	case key.Matches(k, keys.Grid):
		o.Grid, o.Times = GridMap, false
	case key.Matches(k, keys.Time):
		o.Times = !o.Times
	case key.Matches(k, keys.Gauge):
		o.Gauge = o.Gauge.Next()
	// no node is shown
	case key.Matches(k, keys.Open, keys.Connection, keys.Processes) && len(s.Order) == 0:
	case key.Matches(k, keys.Open):
		return nav.To(nav.Go{Page: keys.OnNode})
	case key.Matches(k, keys.Ranks) && len(s.Order) > 0 && s.Node.Name == s.Order[0]: // the user has not chosen a node
		return nav.To(nav.Go{Page: keys.OnRanks, Job: s.Job.ID})
	case key.Matches(k, keys.Back) && o.filtered(s):
		o.filter.Clear(s.Job.ID)
	case key.Matches(k, keys.Filter):
		o.filter.Open(s.Job.ID)
		o.opened = s.Snap
	default:
		return nav.Answer{}
	}
	return nav.Taken
}

// sort changes the order. When the worst come first, the cursor goes to the worst node.
func (o *Page) sort(s *part.Scene) nav.Answer {
	o.Worst, o.from, o.page, o.ranks = !o.Worst, 0, 0, nil
	a := nav.Taken
	if order := o.Wants(s).Order; o.Worst && len(order) > 0 {
		a.Node = order[0]
	}
	return a
}

// Wants returns the nodes that match the filter: in SLURM's order, or the worst first. A node that recovers keeps its
// place until the user sorts again: nodes must not move while the user looks at them.
func (o *Page) Wants(s *part.Scene) nav.Wants {
	if o.of != s.Job.ID {
		o.of, o.from, o.page, o.ranks = s.Job.ID, 0, 0, nil
	}
	order := o.matching(s)
	if o.Worst {
		o.remember(s)
		order = slices.Clone(order)
		slices.SortStableFunc(order, func(a, b string) int { return o.ranks[b] - o.ranks[a] })
	}
	return nav.Wants{Order: order}
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

// Settle chooses the gauge of the cells. While a filter is typed, the graphs are ready for the letter that makes room
// for them.
func (o *Page) Settle(s *part.Scene) {
	s.Gauge = o.Gauge
	if o.filter.Typing(s.Job.ID) && s.Snap != o.opened {
		graph.Prepare(s)
	}
}

// Draw draws the page.
func (o *Page) Draw(f *part.Frame) {
	header.Draw(f, false)
	f.Fill(0, 2, f.W, '─', draw.Faint)
	switch {
	case o.asHeatMap(f.Scene):
		o.heatMap(f)
	case o.Times:
		graph.JobGraphs(f, o.times(f))
	default:
		graph.JobGraphs(f, o.Rows(f))
	}
	if o.filter.Typing(f.Job.ID) {
		o.filter.Draw(f, len(f.Order), len(f.Job.Nodes))
		return
	}
	part.Footer(f, "", o.hints(f.Scene)...)
}

// hints are the keys of the footer, the most useful first: keys that show hidden nodes or rows again, keys that lead to
// other pages, keys that arrange the nodes.
func (o *Page) hints(s *part.Scene) []keys.Hint {
	grid, time, filter := keys.HintOf(keys.Grid), keys.HintOf(keys.Time), keys.HintOf(keys.Filter)
	var back, open []keys.Hint
	jobs := []keys.Hint{keys.HintOf(keys.AllJobs)}
	if o.filtered(s) {
		back = append(back, filter)
	}
	if len(s.Order) > 0 {
		open = append(open, keys.HintOf(keys.Open))
	}
	switch {
	case o.Times:
		open = append(open, time.As("time ●"))
	case o.asHeatMap(s):
		open = append(open, grid.As("table"))
	}
	if len(s.Snap.Jobs) > 1 {
		jobs = append(jobs, keys.Jobs)
	}
	order := "sort: name"
	if o.Worst {
		order = "sort: worst"
	}
	rest := []keys.Hint{keys.HintOf(keys.Ranks), time, keys.HintOf(keys.Gauge)}
	arrange := []keys.Hint{keys.HintOf(keys.Worst).As(order), grid, filter, keys.HintOf(keys.Manager),
		keys.HintOf(keys.Overview).As("node view")}
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
	sh := o.sheet(f.Scene)
	f.RuleEnd(2, nav.Position(sh.from, sh.to, len(sh.all)))
	t := table.NewNodes(f)
	t.Head(f, 3)
	y := o.nodeRows(f, 4, t)
	f.Fill(2, y, f.W-4, '╌', draw.Faint)
	t.Sum(f, y+1, o.sumName(f.Scene))
	return o.below(f, y+2)
}

// below draws the problems below the rows and returns the row below them.
func (o *Page) below(f *part.Frame, y int) int {
	if sh := o.sheet(f.Scene); sh.to-sh.from < len(sh.all) {
		troubles(f, y, &part.Naming{}) // the rows have whole names, too
		return f.H - 1
	}
	return o.health(f, y)
}

// positionWide is the width of the position in a rule.
const positionWide = 30

// nodeRows draws the nodes that fit, among them the selected one, and returns the row below.
func (o *Page) nodeRows(f *part.Frame, y int, t rowTable) int {
	if len(f.Order) == 0 && o.filtered(f.Scene) {
		return o.noMatch(f, y)
	}
	sh := o.sheet(f.Scene)
	for _, name := range sh.all[sh.from:sh.to] {
		if y >= f.H-1 {
			break
		}
		t.Row(f, y, f.NodeOf(name).AsSeen(), name == f.Node.Name)
		y++
	}
	return y
}

// rowTable is a table with a row per node.
type rowTable interface {
	Row(f *part.Frame, y int, n *cluster.Node, selected bool)
}

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

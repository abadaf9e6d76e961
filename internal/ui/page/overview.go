package page

import (
	"slices"
	"strconv"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
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

// Overview shows all nodes of the job.
type Overview struct {
	Worst bool // the worst nodes come first
	Grid  Grid

	filters map[string]string // by job ID: what the names of the nodes shown have in them
	prompt  *textinput.Model  // for the filter; nil: it is closed
	of      string            // ID of the job that the prompt is for
}

// NewOverview returns the page as it is at the start.
func NewOverview() *Overview { return &Overview{filters: map[string]string{}} }

// Press arranges the nodes, or filters them.
func (o *Overview) Press(msg tea.Msg, s *part.Scene) bool {
	if o.typing(s) {
		return o.edit(msg)
	}
	o.prompt = nil // of a job that has ended, or is not the one on the screen
	k, ok := msg.(tea.KeyPressMsg)
	switch {
	case !ok:
		return false
	case key.Matches(k, keys.Worst):
		o.Worst = !o.Worst
	case key.Matches(k, keys.Grid) && o.asHeatMap(s):
		o.Grid = GridRows
	case key.Matches(k, keys.Grid):
		o.Grid = GridMap
	case key.Matches(k, keys.Back) && o.filtered(s):
		delete(o.filters, s.Job.ID)
	case key.Matches(k, keys.Filter):
		o.prompt, o.of = newPrompt(o.filters[s.Job.ID]), s.Job.ID
	default:
		return false
	}
	return true
}

// Wants those nodes that the filter leaves: SLURM's order, or the worst first.
func (o *Overview) Wants(s *part.Scene) Wants {
	order := tally.Filter(s.Job.Nodes, o.filters[s.Job.ID])
	if o.Worst {
		order = slices.Clone(order)
		slices.SortStableFunc(order, func(a, b string) int { return s.Health.Rank(b) - s.Health.Rank(a) })
	}
	return Wants{Order: order}
}

// asHeatMap says whether the nodes are shown as a heat map: by choice, else when the rows of all of them do not fit.
func (o *Overview) asHeatMap(s *part.Scene) bool {
	switch {
	case s.W < heatMapLeast || o.Grid == GridRows:
		return false
	case o.Grid == GridMap:
		return true
	}
	return len(s.Job.Nodes) > s.H-overviewFrame
}

// Draw draws the page.
func (o *Overview) Draw(f *part.Frame) {
	part.Header(f, false)
	f.Fill(0, 2, f.W, '─', draw.Faint)
	other := "heat map"
	if o.asHeatMap(f.Scene) {
		other = "rows"
		o.heatMap(f)
	} else {
		part.JobGraphs(f, o.rows(f))
	}
	if o.typing(f.Scene) {
		o.drawPrompt(f)
		return
	}
	order := keys.HintOf(keys.Worst)
	if o.Worst {
		order = order.As("SLURM's order")
	}
	hints := []keys.Hint{
		keys.Job, keys.Node, keys.HintOf(keys.Open), keys.HintOf(keys.Overview).As("back to node"), keys.HintOf(keys.Grid).As(other), order,
		keys.HintOf(keys.Mine), keys.HintOf(keys.Refresh), keys.HintOf(keys.Help), keys.HintOf(keys.Quit),
	}
	at := 6
	if o.filtered(f.Scene) { // the way out must be seen in narrow terminals too
		at = 0
	}
	part.Footer(f, "", slices.Insert(hints, at, keys.HintOf(keys.Filter))...)
}

// overviewFrame is how many rows of the overview are no nodes: rows 0 to 2, headings, rule, sum, keys.
const overviewFrame = 7

// rows draws a row a node, their sum and what is wrong, and returns the row below.
func (o *Overview) rows(f *part.Frame) int {
	if o.filtered(f.Scene) {
		o.filterTitle(f, 2)
	}
	t := table.NewNodes(f)
	t.Head(f, 3)
	y := o.nodeRows(f, 4, t)
	f.Fill(2, y, f.W-4, '╌', draw.Faint)
	t.Sum(f, y+1, o.sumName(f.Scene))
	return o.health(f, y+2)
}

// nodeRows draws those of the nodes that fit, the selected one among them, and returns the row below.
func (o *Overview) nodeRows(f *part.Frame, y int, t *table.Nodes) int {
	if len(f.Order) == 0 && o.filtered(f.Scene) {
		return o.noMatch(f, y)
	}
	nodes, more := around(f.Order, f.Node.Name, max(f.H-overviewFrame, 1))
	for _, name := range nodes {
		t.Row(f, y, f.NodeOf(name))
		y++
	}
	if more != "" {
		f.Left(3, y, f.W-4, more, draw.Dim)
		y++
	}
	return y
}

// around cuts the names to those that fit in room places and have the selected one among them. more says what is left out; it takes
// the last place.
func around(names []string, selected string, room int) (cut []string, more string) {
	if len(names) <= room {
		return names, ""
	}
	room = max(room-1, 1)
	from := max(slices.Index(names, selected), 0) / room * room
	to := min(from+room, len(names))
	return names[from:to], "+" + strconv.Itoa(len(names)-(to-from)) + " more: " + strconv.Itoa(from+1) + "–" + strconv.Itoa(to) + " of " + strconv.Itoa(len(names)) + " here"
}

// graphRoom is how many rows the health section leaves to the graphs in a tall terminal.
const graphRoom = 12

// health draws what is wrong in the whole job and returns the row below.
func (o *Overview) health(f *part.Frame, y int) int {
	if len(f.Job.Findings) == 0 || y+2 > f.H-1 {
		return y
	}
	y++
	end := f.H - 1
	if f.H >= 40 && end-y > graphRoom+4 {
		end -= graphRoom
	}
	count := strconv.Itoa(len(f.Job.Findings))
	if o.filtered(f.Scene) {
		count += " in the whole job"
	}
	f.Section(y, "Health", count+", worst first")
	return part.Sentences(f, y+1, end, f.Health.Listed(""))
}

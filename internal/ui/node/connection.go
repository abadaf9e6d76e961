package node

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// The page of connection details shows how the selected node is reached, stage by stage, or why it cannot be reached.
// The pages of a node and of a GPU show this page instead while the node has no values.

// ConnectionPage shows the connection to the selected node, stage by stage.
type ConnectionPage struct {
	of   string // the node whose rows from scrolls
	from int    // number of rows scrolled away
}

// Settle recalls the last report of a failed node.
func (p *ConnectionPage) Settle(s *part.Scene) { s.Recall() }

// connectionCode is the code of the page's own actions.
var connectionCode = nav.CodeTable[*ConnectionPage]{{Of: keys.Open, Do: openNode}}

// Actions returns the actions that have code.
func (p *ConnectionPage) Actions() []key.Binding {
	return slices.Concat(connectionCode.Actions(), nav.PageMoves)
}

func openNode(_ *ConnectionPage, s *part.Scene) nav.Answer {
	if !tally.Shows(s.Node) {
		return nav.Answer{}
	}
	return nav.To(nav.Go{Page: keys.OnNode, Node: s.Node.Name})
}

// Press scrolls. The arrows lead to other jobs and nodes, and Enter to the node's numbers, even if they are old.
func (p *ConnectionPage) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if a := connectionCode.Do(p, msg, s); a.Taken {
		return a
	}
	_, w := p.drawWholePage(s)
	from, moved := nav.ScrollPages(msg, w.From, w.Shown, w.Shown, w.Hidden())
	if !moved {
		return nav.Answer{}
	}
	p.of, p.from = s.Node.Name, from
	return nav.Taken
}

// Wants returns nothing.
func (p *ConnectionPage) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Draw draws the page. It is also drawn in place of another page.
func (p *ConnectionPage) Draw(f *part.Frame) {
	header.Draw(f, true)
	header.Tabs(f)
	sheet, w := p.drawWholePage(f.Scene)
	f.Copy(connectionTop, sheet, connectionTop+w.From, w.Shown)
	retry := keys.HintOf(keys.Refresh)
	if f.Node.State == cluster.NodeFailed {
		retry = retry.As("retry now")
	}
	first := []keys.Hint{retry}
	if tally.Shows(f.Node) {
		open := keys.HintOf(keys.Open)
		if f.Node.Past != nil {
			open = open.As("its past")
		}
		first = append(first, open)
	}
	footer.Draw(f, w.Where(), slices.Concat(footer.MouseHints(f.Scene), first, footer.AroundHints(f.Scene),
		footer.LastHints)...)
}

const (
	connectionTop = 3   // the first row below the header
	mostAttempts  = 300 // the maximum number of rows below it
)

// drawWholePage draws the whole page, whatever the height of the terminal. It returns the page, and the part of it that
// is on the screen.
func (p *ConnectionPage) drawWholePage(s *part.Scene) (*draw.Canvas, nav.Window) {
	high := *s
	high.H = mostAttempts
	sheet := draw.New(s.W, mostAttempts)
	below := DrawConnection(&part.Frame{Canvas: sheet, Scene: &high}, connectionTop+1, s.H)
	room := max(s.H-1-connectionTop, 0)
	w := nav.Window{Shown: min(below-connectionTop, room), All: below - connectionTop}
	if p.of == s.Node.Name {
		w.From = min(p.from, w.Hidden())
	}
	return sheet, w
}

// DrawConnection draws from row y for a terminal of h rows, and returns the row below. It shows the stages of the
// attempt, the error message, its meaning and hints. Low terminals have no blank lines and name the stages that were
// not reached in one line; the lowest have only the failed stage and the message.
func DrawConnection(f *part.Frame, y, h int) int {
	low := h < part.Tall
	if low {
		y--
	}
	drawTitle(f, y)
	failure := f.Node.Failure
	if h < veryLow && failure != nil {
		y = lastStage(f, y+1)
		return f.Paragraphs(y, strings.Split(failure.Words, "\n"))
	}
	if low {
		y = drawStages(f, y+1, h)
	} else {
		y = drawStages(f, y+2, h) + 1
	}
	y = drawSection(f, y, h, "Warning", whyGivenUp(f.Node.Route.Passed))
	if failure != nil {
		y = drawTransports(f, y, h, failure.Doors)
		y = drawFailure(f, y, h, failure)
	}
	if tally.HasNumbers(f.Node) {
		y = onTheNode(f, y, h)
		y = drawSection(f, y, h, "What is missing", missingData(f))
	}
	y = lastSeen(f, y, h)
	return drawAttempts(f, y)
}

// veryLow is the height below which the page shows only the failure.
const veryLow = 12

// drawFailure draws the error message, its meaning and the hints. If there is no room for both meaning and hints, the
// hints come first.
func drawFailure(f *part.Frame, y, h int, failure *reach.Failure) int {
	y = drawSection(f, y, h, "Error message", strings.Split(failure.Words, "\n"))
	meaning := []string{failure.Meaning}
	var hints []string
	for _, hint := range failure.Hints {
		hints = append(hints, "→ "+hint)
	}
	rows := 4 // two titles, and two blank lines in a part.Tall terminal
	if h < part.Tall {
		rows = 2
	}
	for _, p := range append(meaning, hints...) {
		rows += len(f.Wrapped(p))
	}
	if y+rows > h-1 {
		y = drawSection(f, y, h, "What to try", hints)
		return drawSection(f, y, h, "What it means", meaning)
	}
	y = drawSection(f, y, h, "What it means", meaning)
	return drawSection(f, y, h, "What to try", hints)
}

// drawTitle draws the state of the connection in one line.
func drawTitle(f *part.Frame, y int) {
	n := f.Node
	var title, glyph string
	role := draw.CritFill
	var rest []string
	age := draw.Age(f.Snap.At.Sub(n.Since))
	switch n.State {
	case cluster.NodeFailed:
		title, glyph = n.Name+": no data", " ✗ "
		if n.Failure != nil {
			title = n.Name + ": " + n.Failure.Summary()
		}
		rest = append(rest, "for "+age)
		if n.Tries > 0 {
			rest = append(rest, part.Plural(n.Tries, "attempt", "attempts"))
		}
	case cluster.NodeStale:
		title, role, glyph = n.Name+" is not responding", draw.Warn, "▲ "
		rest = append(rest, "for "+draw.Age(n.Age))
	case cluster.NodeReporting:
		title, role, glyph = n.Name+" connected", draw.Strong, "✓ "
		rest = append(rest, "for "+age)
		if n.Interval > 0 {
			rest = append(rest, "reporting every "+part.Seconds(n.Interval))
		}
	default:
		title, role, glyph = "Connecting to "+n.Name, draw.Strong, "◌ "
		attempt := "first attempt"
		if n.Tries > 1 {
			attempt = "attempt " + strconv.Itoa(n.Tries)
		}
		if !n.Since.IsZero() {
			rest = append(rest, age)
		}
		rest = append(rest, attempt)
	}
	if next := header.RetryText(f, n); next != "" {
		rest = append(rest, next)
	}
	if n.Route.Door != "" {
		rest = append(rest, "transport "+n.Route.Door)
	}
	if role == draw.CritFill {
		title += " "
	}
	x := f.Put(1, y, draw.Clip(glyph+title, f.W-2), role)
	for len(rest) > 1 && draw.Width(strings.Join(rest, ", ")) > f.W-4-x {
		rest = rest[:len(rest)-1]
	}
	f.Left(x+3, y, f.W-4-x, strings.Join(rest, ", "), draw.Dim)
}

// wholeSeconds is a duration that still grows, in whole seconds, because the page is redrawn once a second.
func wholeSeconds(d time.Duration) string {
	if d < time.Minute {
		return strconv.Itoa(int(max(d, 0)/time.Second)) + " s"
	}
	return draw.Age(d)
}

// drawSection draws a section of paragraphs, as far as there is room, and returns the row below. Without paragraphs it
// draws nothing.
func drawSection(f *part.Frame, y, h int, title string, paragraphs []string) int {
	paragraphs = slices.DeleteFunc(slices.Clone(paragraphs), func(p string) bool { return p == "" })
	if len(paragraphs) == 0 || y+2 > f.H-1 {
		return y
	}
	f.Section(y, title, "")
	y = f.Paragraphs(y+1, paragraphs)
	if h >= part.Tall {
		y++
	}
	return y
}

// missingData lists the data that a reporting node does not provide.
func missingData(f *part.Frame) []string {
	var lines []string
	if h := f.Node.Hello; h != nil {
		if h.Fault != "" {
			lines = append(lines, "no GPU metrics: "+h.Fault)
		}
		if h.StandIn != "" {
			lines = append(lines, "using nvidia-smi instead of the probe ("+h.StandIn+
				"): no host metrics, Xids, NVLink or MIG instances; processes show only PID, name and GPU memory")
		}
		if len(h.Missing) > 0 {
			lines = append(lines, "NVML lacks "+strings.Join(h.Missing, ", "))
		}
	}
	for _, fault := range f.Node.Faults {
		lines = append(lines, fault.Collector+": "+fault.Error)
	}
	return lines
}

// drawAttempts lists the failed attempts and returns the row below.
func drawAttempts(f *part.Frame, y int) int {
	if len(f.Node.Attempts) == 0 || y+2 > f.H-1 {
		return y
	}
	f.Section(y, "Failed attempts", "")
	several := slices.ContainsFunc(f.Node.Attempts,
		func(a cluster.Attempt) bool { return a.Door != f.Node.Attempts[0].Door })
	for _, a := range f.Node.Attempts {
		y++
		if y >= f.H-1 {
			return y
		}
		x := f.Put(3, y, a.At.Format(time.TimeOnly)+"  ", draw.Dim)
		text := a.Summary
		if several {
			text = a.Door + ": " + text
		}
		if a.Took > 0 {
			text += " (" + draw.Took(a.Took) + ")"
		}
		f.Left(x, y, f.W-1-x, text, draw.Text)
	}
	return y + 1
}

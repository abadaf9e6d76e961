// Package node is the node view: the line of the node itself, its GPUs and their sum, processes, problems, and graphs.
// The page of connection details is here too.
package node

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Page shows one node: its line, its GPUs and their sum, then as far as there is room processes, its problems, and
// graphs. For a node without values it shows the connection to the node.
type Page struct {
	Processes Show

	filter     *footer.FilterPrompt // for the GPUs and the processes of the node
	connection ConnectionPage       // in place of the lists for a node without values
	shows      graphKind
	from       int // number of rows by which the lists are scrolled: first the GPUs, then the processes
}

// New returns the page in its first state.
func New(past *footer.History) *Page {
	return &Page{filter: footer.NewFilterPrompt(filter.Of(&rows.Processes), past)}
}

// Show says whether the processes are shown.
type Show uint8

// The values of Show.
const (
	ShowAuto Show = iota // where there is room
	ShowOn
	ShowOff
)

// Arrive shows the processes if the key that led here asks for them, and the graphs of the steps if they were chosen.
func (p *Page) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	if to.Choice == Steps {
		p.shows = ofSteps
		if !p.hasGraphs(s) {
			p.Processes = ShowOff
		}
	}
	if k, is := to.Key.(tea.KeyPressMsg); is && key.Matches(k, keys.Processes) {
		p.Processes = ShowOn
	}
	return nav.Answer{}
}

// Settle recalls the last report of a failed node.
func (p *Page) Settle(s *part.Scene) { s.Recall() }

// code is the code of the page's own actions.
var code = nav.CodeTable[*Page]{
	{Of: keys.Processes, Do: func(p *Page, s *part.Scene) nav.Answer { p.toggleProcesses(s); return nav.Taken }},
	{Of: keys.ToProcesses, Do: func(_ *Page, s *part.Scene) nav.Answer {
		return nav.To(nav.Go{Page: keys.OnProcesses, Node: s.Node.Name})
	}},
	{Of: keys.Connection, Do: unlessShown},
	{Of: keys.GPU, Do: openGPU},
	{Of: keys.Filter, Do: ofValues((*Page).openFilter)},
	{Of: keys.Back, Do: ofValues((*Page).unfilter)},
	{Of: keys.Grid, Do: ofValues((*Page).switchGraphs)},
}

// Actions returns the actions that have code.
func (p *Page) Actions() []key.Binding { return slices.Concat(code.Actions(), nav.PageMoves) }

// ofValues is the code of an action on the values of the node. It does nothing if there are none.
func ofValues(do func(*Page, *part.Scene) nav.Answer) func(*Page, *part.Scene) nav.Answer {
	return func(p *Page, s *part.Scene) nav.Answer {
		if !tally.Shows(s.Node) {
			return nav.Answer{}
		}
		return do(p, s)
	}
}

// unlessShown takes the key of the connection page while this page already shows the same.
func unlessShown(_ *Page, s *part.Scene) nav.Answer { return nav.Answer{Taken: !tally.Shows(s.Node)} }

func openGPU(_ *Page, s *part.Scene) nav.Answer {
	if !tally.Shows(s.Node) || len(s.GPUs(s.Node)) == 0 {
		return nav.Taken
	}
	return nav.To(nav.Go{Page: keys.OnGPU})
}

// Press shows and hides the processes, and scrolls.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if p.isTyping(s) {
		return p.passToPrompt(msg)
	}
	p.filter.Close() // the prompt was for another job, or for lists that are hidden now
	if a := code.Do(p, msg, s); a.Taken {
		return a
	}
	if !tally.Shows(s.Node) {
		return p.connection.Press(msg, s)
	}
	r := p.divideScreen(s)
	if m, ok := msg.(tea.MouseClickMsg); ok {
		return p.handleClick(m, s, &r)
	}
	from, moved := r.scrollLists(msg)
	if !moved {
		return nav.Answer{}
	}
	p.from = from
	return nav.Taken
}

// handleClick opens the GPU under the mouse, or the page of processes with the cursor on the process under the mouse.
func (p *Page) handleClick(m tea.MouseClickMsg, s *part.Scene, r *sectionRows) nav.Answer {
	if at := m.Y - r.first; m.Button == tea.MouseLeft && r.processes && at >= 0 && at < r.list.Shown {
		list, _, _ := p.matchingProcesses(s)
		w := list[r.list.From+at]
		return nav.To(nav.Go{Page: keys.OnProcesses, Process: &nav.Process{Node: s.Node.Name,
			ProcessID: wire.ProcessID{PID: w.PID, StartTicks: w.StartTicks}, GPU: w.GPU}})
	}
	row := m.Y - r.head - 1
	if m.Button != tea.MouseLeft || row < 0 || row >= r.gpus.Shown {
		return nav.Answer{}
	}
	g := r.rows[r.gpus.From+row]
	return nav.To(nav.Go{Page: keys.OnGPU, GPU: g.Key})
}

func (p *Page) toggleProcesses(s *part.Scene) {
	if p.showsProcesses(s) {
		p.Processes = ShowOff
	} else {
		p.Processes = ShowOn
	}
}

// Wants asks for the selected node.
func (p *Page) Wants(s *part.Scene) nav.Wants {
	return nav.Wants{Selected: true, Processes: s.Node != nil && (p.showsProcesses(s) || p.filter.On(s.Job.ID))}
}

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	if !tally.Shows(f.Node) {
		p.connection.Draw(f)
		return
	}
	header.Draw(f, true)
	p.drawBody(f)
	if p.isTyping(f.Scene) {
		p.filter.Draw(f, len(p.matchingGPUs(f.Scene)), len(f.GPUs(f.Node)))
		return
	}
	footer.Draw(f, "", p.footerHints(f.Scene)...)
}

// footerHints are the keys of the footer, the most useful first.
func (p *Page) footerHints(s *part.Scene) []keys.Hint {
	processes := keys.HintOf(keys.Processes)
	if p.showsProcesses(s) {
		processes = processes.As("hide procs")
	}
	hints := footer.AroundHints(s)
	if s.H >= part.Small { // otherwise there is no room for them
		hints = append(hints, processes)
	}
	if len(s.GPUs(s.Node)) > 0 {
		hints = append(hints, keys.HintOf(keys.GPU))
	}
	if s.Node.Past != nil {
		hints = append([]keys.Hint{keys.HintOf(keys.Connection).As("why"), keys.HintOf(keys.Refresh).As("retry now")},
			hints...)
	}
	var back []keys.Hint
	if p.filter.On(s.Job.ID) {
		back = []keys.Hint{keys.HintOf(keys.Back).As("clear filter")}
	}
	last := []keys.Hint{keys.HintOf(keys.Filter)}
	if s.Node.Past == nil {
		last = append(last, keys.HintOf(keys.Connection))
	}
	return slices.Concat(footer.MouseHints(s), back, hints, footer.CommonHints(s, s.Node.Name), last, footer.LastHints)
}

// drawBody draws everything between the header and the footer, and reports whether there was room for graphs.
func (p *Page) drawBody(f *part.Frame) (graphs bool) {
	r := p.divideScreen(f.Scene)
	if f.H >= part.Small {
		header.Tabs(f)
		if y := hostLines(f, 3); y < r.head {
			header.Progress(f, y)
		}
	}
	y := gpuTable(f, &r)
	if f.H < part.Small {
		return false
	}
	if r.processes {
		from := y
		y = p.processSection(f, y, &r)
		for row := from; row < y && f.Node.Past != nil; row++ {
			f.Fade(row, 0, f.W)
		}
	}
	return p.drawGraphs(f, drawProblems(f, y, f.H-1))
}

// Table draws the node's line and all of its GPUs from row y on, without a page around them, and returns the row below.
func Table(f *part.Frame, y int) int {
	gpus := f.GPUs(f.Node)
	n := len(gpus)
	return gpuTable(f, &sectionRows{head: hostLines(f, y), rule: true, gpus: nav.Window{Shown: n, All: n}, rows: gpus})
}

// gpuTable draws the GPUs, a rule and their sum, and returns the row below.
func gpuTable(f *part.Frame, r *sectionRows) int {
	y := r.head
	switch {
	case len(r.rows) == 0 && r.none != "":
		f.Left(2, y, f.W-3, r.none, draw.Text)
		return y + 1
	case len(r.rows) == 0:
		return table.NoGPUs(f, y)
	}
	t := table.NewGPUs(f)
	t.Head(f, y)
	y = t.These(f, y+1, r.rows[r.gpus.From:r.gpus.From+r.gpus.Shown])
	if r.where {
		whereRow(f, y, r)
		y++
	}
	if f.H >= part.Small {
		if r.rule {
			f.Fill(2, y, f.W-4, '╌', draw.Faint)
			y++
		}
		t.Sum(f, y)
		y++
	}
	if tally.Old(f.Node) {
		for row := r.head + 1; row < y; row++ {
			f.Fade(row, 0, f.W)
		}
	}
	return y
}

// processSection draws the processes of the node from row y and returns the row below.
func (p *Page) processSection(f *part.Frame, y int, r *sectionRows) int {
	list, own, of := p.matchingProcesses(f.Scene)
	where := r.list.Where()
	if r.tight {
		f.Fill(2, y, f.W-4, '╌', draw.Faint)
		f.RuleEnd(y, strings.TrimSpace(p.matchCount(f.Scene, len(list), of)+"  "+where))
	} else {
		y++
		f.Section(y, "Processes", "")
		right := strings.TrimSpace(strings.TrimPrefix(processCount(len(list), own)+p.hidingFilters(f, len(list), of)+
			oldList(f), ", ") + "  " + where)
		if draw.Width(right)+len(" Processes ")+8 > f.W {
			right = where
		}
		f.RuleEnd(y, right)
	}
	y++
	switch {
	case y >= r.end:
		return y
	case len(list) == 0:
		f.Left(2, y, f.W-3, p.noProcesses(f, of), draw.Dim)
		return max(y+1, r.below)
	}
	t := table.NewProcesses(f)
	t.Head(f, y)
	return max(t.Rows(f, y+1, list[r.list.From:r.list.From+r.list.Shown]), r.below)
}

// oldList tells the age of the list if the last report had none. The probe sends a list at once when asked, but seldom
// otherwise.
func oldList(f *part.Frame) string {
	if n := f.Node; !n.Listed || !n.ListedAt.Before(n.Arrived) {
		return ""
	}
	return ", listed " + draw.Age(f.Snap.At.Sub(f.Node.ListedAt)) + " ago"
}

// processCount tells the number of processes and their order.
func processCount(n, own int) string {
	if n == 0 {
		return ""
	}
	text := part.Plural(n, "process", "processes")
	if own < n {
		return text + ", " + strconv.Itoa(own) + " yours first, then by GPU"
	}
	return text + ", sorted by GPU"
}

// drawProblems draws the problems of the node from row y to row end and returns the row below. They have a title if
// there is room for it.
func drawProblems(f *part.Frame, y, end int) int {
	findings := f.Health.Listed(f.Node.Name)
	room := end - y
	switch {
	case len(findings) == 0 || room < 1:
		return y
	case room == 1:
		return header.DrawSentences(f, y, end, findings[:1])
	case room > 2 && f.H >= part.Tall || room > 4:
		y++ // a blank line
	}
	right := ""
	if all := f.Health.Listed(""); len(all) > len(findings) {
		right = part.Counted(all, "in this job", "in this job") + part.MoreKey
	}
	f.Section(y, "Problems on this node", right)
	if end-y == 2 {
		findings = findings[:1]
	}
	return header.DrawSentences(f, y+1, end, findings)
}

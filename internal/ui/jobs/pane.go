// Package jobs has two pages about more than one job: Jobs lists all jobs, those that wait and those that have just
// ended, Users who holds what on the nodes of the jobs.
//
// Their rows are worked out once per Snapshot (part.Scene keeps them), and only those on the screen are drawn: a
// thousand tasks of an array cost a key no more than a sort. A page belongs to one goroutine. Press changes it; Draw
// changes nothing.
package jobs

import (
	"strconv"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
)

// pane is what both pages are: a list of rows that a filter chooses, in one of some orders, with a cursor.
type pane struct {
	cursor nav.Cursor[string]
	filter *prompt.Filter
	order  uint8
}

func newPane(fields filter.Fields, past *prompt.History) pane {
	return pane{filter: prompt.New(fields, past)}
}

// every is the ID by which the filter is kept: it is for the rows of all jobs.
const every = ""

// titleRow is the row of the title, headRow that of the headings; the first row of the list is below.
const (
	titleRow = 2
	headRow  = titleRow + 1
)

// list is the list as it is now.
func (p *pane) list(s *part.Scene, n int, id func(i int) string) nav.List[string] {
	return nav.List[string]{N: n, Room: s.H - 1 - p.filter.Rows(every) - headRow - 1, Key: id}
}

// action is what a message has done to a pane.
type action uint8

const (
	passed  action = iota // nothing
	taken                 // nothing that its caller has to do
	moved                 // the cursor is on a row
	opened                // the row of the cursor is to be opened
	changed               // there are other rows, or they are in another order
)

// press answers what both pages answer alike, for a list that can be sorted in so many orders. at is the row of the
// cursor.
func (p *pane) press(msg tea.Msg, l nav.List[string], orders uint8) (did action, at int) {
	if p.filter.Typing(every) {
		if !p.filter.Press(msg) {
			return passed, 0
		}
		return changed, 0
	}
	if at, is := p.cursor.Move(msg, l); is {
		return moved, at
	}
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		return p.click(m, l)
	case tea.KeyPressMsg:
		return p.key(m, l, orders)
	}
	return passed, 0
}

// click selects the row under the mouse, and opens the one that is selected.
func (p *pane) click(m tea.MouseClickMsg, l nav.List[string]) (did action, at int) {
	switch at, again := p.cursor.Click(m, l, headRow+1); {
	case at < 0:
		return taken, 0
	case again:
		return opened, at
	default:
		return moved, at
	}
}

// key answers a key that does not move the cursor.
func (p *pane) key(k tea.KeyPressMsg, l nav.List[string], orders uint8) (did action, at int) {
	switch {
	case key.Matches(k, keys.Open) && l.N > 0:
		return opened, p.cursor.GoTo(l, p.cursor.At(l))
	case key.Matches(k, keys.Worst):
		p.order = (p.order + 1) % orders
		p.cursor = nav.Cursor[string]{} // on the first row in the new order
		return changed, 0
	case key.Matches(k, keys.Filter):
		p.filter.Open(every)
		return taken, 0
	case key.Matches(k, keys.Back) && p.filter.On(every):
		p.filter.Clear(every)
		return changed, 0
	// of what is not seen here
	case key.Matches(k, keys.Open, keys.Left, keys.Right, keys.PrevNode, keys.NextNode, keys.Mine):
		return taken, 0
	}
	return passed, 0
}

// title draws the rule above the list: the title, or how many of all rows match the filter, and which rows are on the
// screen.
func (p *pane) title(f *part.Frame, name string, w nav.Window, all int) {
	f.Section(titleRow, name, "")
	x := 2 + draw.Width(name) + 2
	if p.filter.On(every) {
		x = f.Put(x+1, titleRow, " "+p.filter.Title(every, w.All, all, "", "", f.W-x-6)+" ", draw.Strong)
	}
	if right := " " + w.Where() + " "; w.Hidden() > 0 && x+draw.Width(right)+2 < f.W-2 {
		f.Put(f.W-2-draw.Width(right), titleRow, right, draw.Dim)
	}
}

// foot draws the prompt, or the keys.
func (p *pane) foot(f *part.Frame, shown, all int, hints []keys.Hint) {
	if p.filter.Typing(every) {
		p.filter.Draw(f, shown, all)
		return
	}
	hints = append(part.MouseOff(f.Scene, keys.HintOf(keys.Mouse)), hints...)
	part.Footer(f, "", append(hints, keys.HintOf(keys.Back), keys.HintOf(keys.Help), keys.HintOf(keys.Quit))...)
}

// counted is "3 running", "" for none.
func counted(n int, what string) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n) + " " + what
}

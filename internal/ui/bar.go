package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lists"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// drawPage draws the page on the screen, and the bar of pages. The page is drawn as if there were no bar, which then
// takes a row of its own.
func (v *view) drawPage(f *part.Frame) {
	f.Memory.Footer.Forget()
	f.Memory.Targets.Forget()
	v.shownPage(f.Scene).Draw(f)
	if v.palette.IsOpen() {
		v.palette.Draw(f)
	}
	if f.WithBar {
		f.Insert(header.BarRow)
		header.Bar(f, v.barHint(f.Scene))
	}
}

// barHint returns the hint of the page on the screen in the bar of pages. A page that is not there counts as the page
// that it came from.
func (v *view) barHint(s *part.Scene) keys.Hint {
	if s.Job == nil && !v.hasProperty(needsNoJob) {
		return keys.Hint{}
	}
	for _, id := range slices.Backward(append(slices.Clone(v.trail), v.on)) {
		if hint := entryOf(id).barHint(); hint != (keys.Hint{}) {
			return hint
		}
	}
	return keys.Hint{}
}

// barHint returns the hint of a page in the bar of pages; the zero Hint: it is not there.
func (e *pageEntry) barHint() keys.Hint {
	switch {
	case e.number.Enabled():
		return keys.HintOf(e.number)
	case e.key.Enabled():
		return keys.HintOf(e.key)
	}
	return keys.Hint{}
}

// shiftMouseRow returns a message with the row of the mouse as the page counts rows, without the bar. onBar reports
// whether the mouse is on the bar of pages.
func shiftMouseRow(msg tea.Msg, s *part.Scene) (same tea.Msg, onBar bool) {
	if !s.WithBar {
		return msg, false
	}
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		if onBar = m.Y == header.BarRow; m.Y > header.BarRow {
			m.Y--
		}
		return m, onBar
	case tea.MouseWheelMsg:
		if m.Y > header.BarRow {
			m.Y--
		}
		return m, false
	}
	return msg, false
}

// clickBar goes to the page under the mouse, unless a prompt or a dialog has the keyboard.
func (v *view) clickBar(msg tea.Msg, s *part.Scene) nav.Answer {
	m := msg.(tea.MouseClickMsg)
	hint, is := header.BarAt(s, v.barHint(s), m.X)
	if !is || m.Button != tea.MouseLeft || v.focusedPage(s).Press(tea.KeyPressMsg{Code: tea.KeyF63}, s).Taken {
		return nav.Taken
	}
	v.palette.Close()
	to := &pages[slices.IndexFunc(pages, func(e pageEntry) bool { return e.barHint() == hint })]
	k := keys.Pressed(hint.Key)
	if to.id == v.on || !to.number.Enabled() && v.ledTo(k, v.focusedKeys(s)) != to { // the key means something else here
		v.turnTo(to, k, s)
		return nav.Taken
	}
	a := v.passMessage(k, s)
	if !a.Taken {
		v.handleGlobalKey(k, s)
		a.Taken = true
	}
	return a
}

// clickTarget goes to the node, the GPU or the problem under the mouse in the rows above a page. While a prompt or a
// dialog has the keyboard, nothing there can be chosen.
func (v *view) clickTarget(msg tea.Msg, s *part.Scene) (a nav.Answer, did bool) {
	m, is := msg.(tea.MouseClickMsg)
	if !is || m.Button != tea.MouseLeft || v.palette.IsOpen() {
		return a, false
	}
	to, is := s.Memory.Targets.At(m.X, m.Y)
	switch {
	case !is || v.focusedPage(s).Press(keys.Pressed(keys.Unused.Keys()[0]), s).Taken:
		return a, false
	case to.Node != "":
		return nav.To(nav.Go{Node: to.Node}), true
	case to.GPU != nil:
		v.pages[keys.OnGPU].(host).Arrive(s, nav.Go{GPU: to.GPU.Key})
		return nav.Taken, true
	case to.Problem != nil:
		return lists.OpenProblem(s, to.Problem), true
	}
	return nav.To(nav.Go{Page: keys.OnProblems}), true
}

// clickFooter presses the key of the footer under the mouse. While a prompt or a dialog has the keyboard, the footer
// does not belong to the page.
func (v *view) clickFooter(msg tea.Msg, s *part.Scene) (a nav.Answer, did bool) {
	m, is := msg.(tea.MouseClickMsg)
	if !is || m.Button != tea.MouseLeft || m.Y != s.H-1 {
		return a, false
	}
	shown, is := footer.KeyAt(s, m.X)
	if !is {
		return a, false
	}
	k, known := keys.Shown(shown)
	if !known || !v.palette.IsOpen() && v.focusedPage(s).Press(keys.Pressed(keys.Unused.Keys()[0]), s).Taken {
		return a, false
	}
	return nav.Answer{Taken: true, Do: []tea.Msg{k}}, true
}

// turnTo goes to the page of a digit.
func (v *view) turnTo(to *pageEntry, k tea.KeyPressMsg, s *part.Scene) {
	switch {
	case s.Job == nil && to.has&needsNoJob == 0:
	case to.id != v.on:
		v.enterWithKey(to.id, k, s)
	default:
		if p, is := v.chosenPage().(uncoverer); is {
			p.Uncover()
		}
	}
}

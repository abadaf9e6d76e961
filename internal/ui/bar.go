package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// drawPage draws the page on the screen, and the bar of pages. The page is drawn as if there were no bar, which then
// takes a row of its own.
func (v *view) drawPage(f *part.Frame) {
	f.Memory.Footer.Forget()
	v.shownPage(f.Scene).Draw(f)
	if v.palette.IsOpen() {
		v.palette.Draw(f)
	}
	if f.WithBar {
		f.Insert(header.BarRow)
		header.Bar(f, v.pageDigit(f.Scene))
	}
}

func (v *view) pageDigit(s *part.Scene) keys.Hint {
	if s.Job == nil && !v.hasProperty(keys.IsAside) {
		return keys.Hint{}
	}
	return keys.HintOf(entryOf(v.on).number)
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
	k, is := header.BarAt(s, v.pageDigit(s), m.X)
	if !is || m.Button != tea.MouseLeft || v.focusedPage(s).Press(tea.KeyPressMsg{Code: tea.KeyF63}, s).Taken {
		return nav.Taken
	}
	v.palette.Close()
	digit := tea.KeyPressMsg{Code: rune(k.Key[0]), Text: k.Key}
	a := v.passMessage(digit, s)
	if !a.Taken {
		v.handleGlobalKey(digit, s)
		a.Taken = true
	}
	return a
}

// clickFooter presses the key of the footer under the mouse. While a prompt or a dialog has the keyboard, the footer
// does not belong to the page.
func (v *view) clickFooter(msg tea.Msg, s *part.Scene) (a nav.Answer, did bool) {
	m, is := msg.(tea.MouseClickMsg)
	if !is || m.Button != tea.MouseLeft || m.Y != s.H-1 {
		return a, false
	}
	shown, is := footer.KeyAt(s, m.X)
	k, known := keys.Shown(shown)
	if !is || !known || !v.palette.IsOpen() && v.focusedPage(s).Press(keys.Pressed(keys.Unused.Keys()[0]), s).Taken {
		return a, false
	}
	return nav.Answer{Taken: true, Do: []tea.Msg{k}}, true
}

// turnTo goes to the page of a digit.
func (v *view) turnTo(to *pageEntry, k tea.KeyPressMsg, s *part.Scene) {
	switch {
	case s.Job == nil && to.has&keys.IsAside == 0:
	case to.id != v.on:
		v.enterWithKey(to.id, k, s)
	default:
		if p, is := v.chosenPage().(uncoverer); is {
			p.Uncover()
		}
	}
}

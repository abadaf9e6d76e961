package process

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// wheel moves the cursor; with Shift, or sideways, the commands, and with Ctrl the cursor by pages.
func (p *Page) wheel(m tea.MouseWheelMsg, s *part.Scene) nav.Answer {
	l := p.listing(s)
	notches := nav.Notches(m)
	switch {
	case m.Button == tea.MouseWheelLeft, m.Mod.Contains(tea.ModShift) && notches < 0:
		p.scroll(s, l, -scrollStep)
		return nav.Taken
	case m.Button == tea.MouseWheelRight, m.Mod.Contains(tea.ModShift):
		p.scroll(s, l, +scrollStep)
		return nav.Taken
	case m.Mod.Contains(tea.ModCtrl):
		list := p.list(s, l)
		return p.goTo(s, l, p.cursor.At(list)+notches*max(list.Room, 1))
	}
	at, _ := p.cursor.Move(m, p.list(s, l))
	return p.on(s, l, at)
}

// click selects the row under the mouse and opens the one that is selected, or sorts by the heading under it: once
// more, and the order is reversed.
func (p *Page) click(m tea.MouseClickMsg, s *part.Scene) nav.Answer {
	l, r := p.listing(s), p.mode.rooms(s, p.scope.of(s))
	if m.Button == tea.MouseLeft && m.Y == r.top-1 {
		if by, ok := p.table(s, l).OrderAt(m.X); ok {
			p.sort(s, p.sorting.heading(by))
		}
		return nav.Taken
	}
	at, again := p.cursor.Click(m, p.list(s, l), r.top)
	if again {
		a, _ := p.inspectRow(tea.KeyPressMsg{Code: tea.KeyEnter}, s)
		return a
	}
	return p.on(s, l, at)
}

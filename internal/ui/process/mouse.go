package process

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// handleWheel moves the cursor. With Shift, or a sideways wheel, it scrolls the commands; with Ctrl it moves the cursor
// by pages.
func (p *Page) handleWheel(m tea.MouseWheelMsg, s *part.Scene) nav.Answer {
	notches := nav.Notches(m)
	switch {
	case m.Button == tea.MouseWheelLeft, m.Mod.Contains(tea.ModShift) && notches < 0:
		p.scrollCommands(s, -scrollStep)
		return nav.Taken
	case m.Button == tea.MouseWheelRight, m.Mod.Contains(tea.ModShift):
		p.scrollCommands(s, +scrollStep)
		return nav.Taken
	case m.Mod.Contains(tea.ModCtrl):
		return p.GoTo(s, p.At(s)+notches*max(p.Window(s).Shown, 1))
	}
	return p.List.Press(m, s)
}

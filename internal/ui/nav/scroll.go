package nav

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// Scroll handles scroll keys and the wheel for a list without a cursor. It returns the new first row, at most last. up
// and down are the number of rows that a page up and a page down scroll.
func Scroll(msg tea.Msg, from, up, down, last int) (to int, moved bool) {
	var by int
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		by = Notches(m) * WheelRows
	case tea.KeyPressMsg:
		switch {
		case key.Matches(m, keys.Up):
			by = -1
		case key.Matches(m, keys.Down):
			by = +1
		case key.Matches(m, keys.PageUp):
			by = -max(up, 1)
		case key.Matches(m, keys.PageDown):
			by = max(down, 1)
		case key.Matches(m, keys.First):
			by = -from
		case key.Matches(m, keys.Last):
			by = last
		default:
			return from, false
		}
	default:
		return from, false
	}
	return max(min(from+by, last), 0), true
}

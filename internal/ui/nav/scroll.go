package nav

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// move is an action that moves a cursor, or scrolls.
type move uint8

const (
	no move = iota
	up
	down
	pageUp
	pageDown
	first
	last
)

var moves = [...]key.Binding{
	up: keys.Up, down: keys.Down, pageUp: keys.PageUp, pageDown: keys.PageDown, first: keys.First, last: keys.Last,
}

// Moves are the actions of Cursor.Move and Scroll, PageMoves those of ScrollPages.
var Moves, PageMoves = moves[up:], moves[pageUp:]

// moveOf returns the move of a key; no if it has none.
func moveOf(k tea.KeyPressMsg) move {
	for m := up; m <= last; m++ {
		if key.Matches(k, moves[m]) {
			return m
		}
	}
	return no
}

// Scroll handles scroll keys and the wheel for a list without a cursor. It returns the new first row, at most end.
// above and below are the number of rows that a page up and a page down scroll.
func Scroll(msg tea.Msg, from, above, below, end int) (to int, moved bool) {
	var by int
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		by = Notches(m) * WheelRows
	case tea.KeyPressMsg:
		switch moveOf(m) {
		case up:
			by = -1
		case down:
			by = +1
		case pageUp:
			by = -max(above, 1)
		case pageDown:
			by = max(below, 1)
		case first:
			by = -from
		case last:
			by = end
		default:
			return from, false
		}
	default:
		return from, false
	}
	return max(min(from+by, end), 0), true
}

// ScrollPages is Scroll for pages where the arrows have another meaning.
func ScrollPages(msg tea.Msg, from, above, below, end int) (to int, moved bool) {
	if k, is := msg.(tea.KeyPressMsg); is && (moveOf(k) == up || moveOf(k) == down) {
		return from, false
	}
	return Scroll(msg, from, above, below, end)
}

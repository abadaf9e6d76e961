package list

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Beside returns the scene of the list itself: without the columns of the pane, if there is one.
func (of *Of[Row, Key]) Beside(s *part.Scene) *part.Scene {
	if of.Detail == nil {
		return s
	}
	return s.Beside()
}

// Split draws the row under the cursor on the pane, and returns the frame of the list.
func (l *List[Row, Key]) Split(f *part.Frame) *part.Frame {
	if l.Detail == nil {
		return f
	}
	left, pane := f.Split()
	if v := l.View(f.Scene); pane != nil && v.Len() > 0 {
		l.Detail(pane, v.At(l.At(f.Scene)))
	}
	return left
}

func (of *Of[Row, Key]) onPane(m tea.MouseClickMsg, s *part.Scene) bool {
	left := of.Beside(s)
	return left != s && m.X > left.W && m.Y >= part.PaneTop && m.Y < s.H-1
}

package nav

import (
	tea "charm.land/bubbletea/v2"
)

// List describes the present list: its number of rows, their number of lines on the screen, and the subject of each
// row.
type List[K comparable] struct {
	N, Room int
	Key     func(i int) K
	Lines   func(i int) int // number of lines of a row; nil: one
}

// rowHeight returns the number of lines of a row.
func (l List[K]) rowHeight(i int) int {
	if l.Lines == nil {
		return 1
	}
	return l.Lines(i)
}

// firstRowAbove returns the first row that is on the screen if row i is the last. Row i counts even if it is too high.
func (l List[K]) firstRowAbove(i int) int {
	for room := l.linesOnScreen() - l.rowHeight(i); i > 0; i-- {
		if room -= l.rowHeight(i - 1); room < 0 {
			break
		}
	}
	return i
}

// rowsEndBelow returns the end of the rows that are on the screen if row i is the first.
func (l List[K]) rowsEndBelow(i int) int {
	room := l.linesOnScreen() - l.rowHeight(i)
	for i++; i < l.N; i++ {
		if room -= l.rowHeight(i); room < 0 {
			break
		}
	}
	return i
}

func (l List[K]) linesOnScreen() int { return max(l.Room, 1) }

// Cursor is a place in a list whose rows come, go and are sorted again. It stays on the thing that its row shows; when
// that thing is gone, it is on the row in its place. The zero Cursor is on the first row.
type Cursor[K comparable] struct {
	at   K
	last int // its place in the list
	from int // the first row on the screen
}

// On returns the thing that was under the cursor after its last move.
func (c *Cursor[K]) On() K { return c.at }

// At returns the row under the cursor; 0 in an empty list.
func (c *Cursor[K]) At(l List[K]) int {
	if c.last < l.N && l.Key(c.last) == c.at {
		return c.last
	}
	for i := range l.N {
		if l.Key(i) == c.at {
			return i
		}
	}
	return max(min(c.last, l.N-1), 0)
}

// Window returns the rows on the screen, which include the row of the cursor.
func (c *Cursor[K]) Window(l List[K]) Window {
	if l.N == 0 {
		return Window{}
	}
	at := c.At(l)
	from := max(min(c.from, at), l.firstRowAbove(at))
	from = min(from, l.firstRowAbove(l.N-1)) // the last page is full
	return Window{From: from, Shown: l.rowsEndBelow(from) - from, All: l.N}
}

// GoTo puts the cursor on a row, or on the nearest existing row, and returns that row; -1 if the list is empty.
func (c *Cursor[K]) GoTo(l List[K], i int) int {
	if l.N == 0 {
		return -1
	}
	i = max(min(i, l.N-1), 0)
	c.at, c.last = l.Key(i), i
	c.from = c.Window(l).From
	return i
}

// Top shows the rows from the first on, as far as the cursor stays visible.
func (c *Cursor[K]) Top() { c.from = 0 }

// Move answers the keys that move the cursor, and the wheel. It returns the row of the cursor, or -1 if the list is
// empty; ok is false if the message does not move it.
func (c *Cursor[K]) Move(msg tea.Msg, l List[K]) (at int, ok bool) {
	at = c.At(l)
	w := c.Window(l)
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		return c.GoTo(l, at+Notches(m)*WheelRows), true
	case tea.KeyPressMsg:
		switch moveOf(m) {
		case up:
			return c.GoTo(l, at-1), true
		case down:
			return c.GoTo(l, at+1), true
		case pageUp:
			return c.pageUp(l, at, w), true
		case pageDown:
			return c.pageDown(l, at, w), true
		case first:
			return c.GoTo(l, 0), true
		case last:
			return c.GoTo(l, l.N-1), true
		}
	}
	return at, false
}

// pageUp shows the rows that end above the present ones. The cursor stays on its line. If rows have several lines, it
// goes to the last of the new rows.
func (c *Cursor[K]) pageUp(l List[K], at int, w Window) int {
	if l.Lines != nil {
		c.from = 0
		return c.GoTo(l, w.From-1)
	}
	c.from = max(w.From-w.Shown, 0)
	return c.GoTo(l, at-w.Shown)
}

// pageDown shows the rows that begin below the present ones. The cursor stays on its line. If rows have several lines,
// it goes to the first of the new rows.
func (c *Cursor[K]) pageDown(l List[K], at int, w Window) int {
	c.from = w.From + w.Shown
	if l.Lines != nil {
		return c.GoTo(l, c.from)
	}
	return c.GoTo(l, at+w.Shown)
}

// Click puts the cursor on the row under the mouse; the list begins at line top of the screen. at is that row, or -1 if
// there is none; again says that the cursor was already there.
func (c *Cursor[K]) Click(m tea.MouseClickMsg, l List[K], top int) (at int, again bool) {
	w := c.Window(l)
	y := top
	for i := w.From; i < w.From+w.Shown && m.Button == tea.MouseLeft && m.Y >= top; i++ {
		if y += l.rowHeight(i); m.Y < y {
			again = i == c.At(l)
			return c.GoTo(l, i), again
		}
	}
	return -1, false
}

// WheelRows is the number of rows that a notch of the wheel scrolls.
const WheelRows = 3

// Notches returns the notches by which the wheel was turned; +1 is one notch down.
func Notches(m tea.MouseWheelMsg) int {
	switch m.Button {
	case tea.MouseWheelUp:
		return -1
	case tea.MouseWheelDown:
		return +1
	}
	return 0
}

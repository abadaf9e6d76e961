package signal

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// boxText is the content of a box: lines above a list, as many rows of the list as fit, lines below it, and the keys.
type boxText struct {
	title      string
	head, foot [][]part.Piece
	rows       int
	row        func(i int) []part.Piece
	from       int // the first row on the screen
	at         int // the row of the cursor; -1: none
	keys       []keys.Hint
	focus      keys.Hint // hint of the key that closes the box; it has the focus
}

const (
	narrow, wide = 77, 117 // columns
	veryWide     = 160     // width of the terminal
	mostRows     = 10
)

// textWidth returns the width of the text of a box.
func textWidth(s *part.Scene) int {
	w := narrow
	if s.W >= veryWide {
		w = wide
	}
	w, _ = s.ModalSize(w-2*2, 0)
	return w
}

// divideBox returns the number of blank lines between the parts, and the number of rows of the list on the screen.
func (b boxText) divideBox(s *part.Scene) (blanks, rows int) {
	_, room := s.ModalSize(0, s.H)
	rows = min(b.rows, mostRows)
	more := 0
	if b.rows > rows {
		more = 1
	}
	lines := len(b.head) + len(b.foot) + 1
	for _, n := range []int{len(b.head), rows, len(b.foot)} { // each part is followed by a blank line
		if n > 0 {
			blanks++
		}
	}
	if lines+blanks+rows+more > room {
		blanks = 0
	}
	if lines+rows+more > room && rows > 0 {
		rows = max(room-lines-1, 1)
	}
	return blanks, rows
}

// visibleRows returns the rows on the screen, beginning with row from if there are enough.
func (b boxText) visibleRows(s *part.Scene) nav.Window {
	_, rows := b.divideBox(s)
	from := max(min(b.from, b.rows-rows), 0)
	return nav.Window{From: from, Shown: min(rows, b.rows), All: b.rows}
}

// drawBox draws the box. If there is little room, it keeps the first lines and the keys.
func (b boxText) drawBox(f *part.Frame) {
	blanks, _ := b.divideBox(f.Scene)
	w := b.visibleRows(f.Scene)
	h := len(b.head) + w.Shown + len(b.foot) + 1 + blanks
	if w.Hidden() > 0 {
		h++
	}
	m := f.Modal(b.title, textWidth(f.Scene), h)
	y := 0
	put := func(pieces []part.Piece) {
		if y < m.H-1 { // the keys come last
			m.Line(y, pieces...)
		}
		y++
	}
	gap := func(n int) {
		if blanks > 0 && n > 0 {
			y++
		}
	}
	for _, l := range b.head {
		put(l)
	}
	gap(len(b.head))
	for i := w.From; i < w.From+w.Shown; i++ {
		if i == b.at {
			m.Select(m.Y+y, m.X-1, m.X+m.W+1)
		}
		put(b.row(i))
	}
	if w.Hidden() > 0 {
		put([]part.Piece{part.Dim(hiddenRowsText(w))})
	}
	if len(b.foot) > 0 {
		gap(w.Shown)
	}
	for _, l := range b.foot {
		put(l)
	}
	b.drawKeys(m)
}

// hiddenRowsText says how many rows are not shown, and which keys show them.
func hiddenRowsText(w nav.Window) string {
	if w.From == 0 {
		return "+" + strconv.Itoa(w.Hidden()) + " more  " + keys.Name(keys.PageDown)
	}
	return w.Where()
}

// drawKeys draws the keys in the last row, with the focused key last. Keys at the right that do not fit are left out.
func (b boxText) drawKeys(m part.Modal) {
	focus := " " + b.focus.Key + " " + b.focus.Verb + " "
	var pieces []part.Piece
	for _, h := range b.keys {
		name := m.KeyName(h.Key)
		next := append(pieces, part.Strong(name), part.Dim(" "+h.Verb+"   "))
		if part.Width(next)+draw.Width(focus) > m.W {
			break
		}
		pieces = next
	}
	m.Line(m.H-1, append(pieces, part.Piece{Text: focus, Role: draw.Tab})...)
}

package part

import "github.com/nvnodetop/nvnodetop/internal/lib/draw"

// Modal is a box in the middle of the screen. Its rows and columns are those inside the border and a margin of two
// columns.
type Modal struct {
	*Frame
	X, Y int // the first column and row
	W, H int
}

const (
	modalMargin = 2
	aboveBar    = 2 // the rows above the bar of pages, which stays visible
)

// ModalSize returns the size of the inside of a box for w columns and h rows, as far as this terminal has room.
func (s Size) ModalSize(w, h int) (int, int) {
	room := s.H - 2
	if s.WithBar {
		room -= 2 * aboveBar
	}
	return max(min(w, s.W-1-2-2*modalMargin), 0), max(min(h, room), 0)
}

// InModal reports whether a place of the screen is in a box of this size, or on its border.
func (s Size) InModal(x, y, w, h int) bool {
	w, h = s.ModalSize(w, h)
	wide := w + 2*modalMargin
	left, top := s.modalCorner(wide, h)
	return x >= left && x < left+wide+2 && y >= top && y < top+h+2
}

// modalCorner is where the border of a box begins.
func (s Size) modalCorner(wide, h int) (x, y int) {
	return max((s.W-1-wide-2)/2, 0), max((s.H-h-2)/2, 0)
}

// Modal draws a box with a title over the page, which is faint behind it.
func (f *Frame) Modal(title string, w, h int) Modal {
	f.Recede()
	w, h = f.ModalSize(w, h)
	wide := w + 2*modalMargin
	x, y := f.modalCorner(wide, h)
	for i := range h + 2 {
		f.Fill(max(x-1, 0), y+i, min(wide+4, f.W-1), ' ', draw.Text)
	}
	f.drawBorder(x, y, '╭', '╮', wide)
	for i := range h {
		f.Fill(x, y+1+i, 1, '│', draw.Text)
		f.Fill(x+wide+1, y+1+i, 1, '│', draw.Text)
	}
	f.drawBorder(x, y+h+1, '╰', '╯', wide)
	f.PutUntil(x+2, y, x+wide, " "+draw.Clip(title, wide-4)+" ", draw.Strong)
	return Modal{Frame: f, X: x + 1 + modalMargin, Y: y + 1, W: w, H: h}
}

// drawBorder draws the first or the last row of a box.
func (f *Frame) drawBorder(x, y int, left, right rune, w int) {
	f.Fill(x, y, 1, left, draw.Text)
	f.Fill(x+1, y, w, '─', draw.Text)
	f.Fill(x+1+w, y, 1, right, draw.Text)
}

// Line writes pieces into a row of the box, as far as they fit.
func (m Modal) Line(y int, pieces ...Piece) {
	if y < 0 || y >= m.H {
		return
	}
	x, end := m.X, m.X+m.W
	for _, p := range pieces {
		if x >= end {
			return
		}
		x = m.PutUntil(x, m.Y+y, end, draw.Clip(p.Text, end-x), p.Role)
	}
}

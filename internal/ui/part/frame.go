package part

import "github.com/nvnodetop/nvnodetop/internal/lib/draw"

// Frame is a Scene while it is being drawn, on a canvas of its size.
type Frame struct {
	*draw.Canvas
	*Scene
}

// Put writes s like the Canvas' own Put, but leaves the terminal's last column free, since some terminals wrap there.
func (f *Frame) Put(x, y int, s string, role draw.Role) int { return f.PutUntil(x, y, f.W-1, s, role) }

// Left is the Canvas' own Left, but leaves the last column free.
func (f *Frame) Left(x, y, w int, s string, role draw.Role) {
	f.Canvas.Left(x, y, min(w, f.W-1-x), s, role)
}

// Cursor marks the rows from y up to below as the place of the cursor. Call it after drawing them.
func (f *Frame) Cursor(y, below int) {
	f.Put(0, y, "▸", draw.Strong)
	for row := y; row < below; row++ {
		f.Select(row, 0, f.W)
	}
}

// Piece is a piece of a line.
type Piece struct {
	Text string
	Role draw.Role
}

// Pieces writes pieces one after the other and returns the column after the last.
func (f *Frame) Pieces(x, y int, pieces ...Piece) int {
	for _, p := range pieces {
		x = f.Put(x, y, p.Text, p.Role)
	}
	return x
}

// Width returns the number of columns of pieces.
func Width(pieces []Piece) int {
	n := 0
	for _, p := range pieces {
		n += draw.Width(p.Text)
	}
	return n
}

// Rule draws a line over the whole width.
func (f *Frame) Rule(y int) { f.Fill(0, y, f.W, '─', draw.Faint) }

// Section draws the rule that begins a part of the body, with its title.
func (f *Frame) Section(y int, title, right string) {
	f.Rule(y)
	x := f.Put(2, y, " "+draw.Clip(title, f.W-8)+" ", draw.Strong)
	if w := draw.Width(right) + 2; right != "" && x+w+4 <= f.W {
		f.Put(f.W-2-w, y, " "+right+" ", draw.Dim)
	}
}

// RuleEnd writes a text at the right end of a rule.
func (f *Frame) RuleEnd(y int, text string) {
	if w := draw.Width(text) + 2; text != "" && w+4 <= f.W {
		f.Put(f.W-2-w, y, " "+text+" ", draw.Dim)
	}
}

// Focus draws the rule above a part that has the keyboard, with its title, and returns the column after the title.
func (f *Frame) Focus(y int, title string) int {
	f.Fill(0, y, f.W, '─', draw.Data)
	return f.Put(2, y, " "+draw.Clip(title, f.W-8)+" ", draw.Tab)
}

// Paragraphs draws text as far as there is room, and returns the row below.
func (f *Frame) Paragraphs(y int, paragraphs []string) int {
	for _, p := range paragraphs {
		for _, s := range f.Wrapped(p) {
			if y >= f.H-1 {
				return y
			}
			f.Left(3, y, f.W-4, s, draw.Text)
			y++
		}
	}
	return y
}

// Wrapped returns the lines of a paragraph as Paragraphs draws them.
func (f *Frame) Wrapped(p string) []string { return draw.Wrap(p, max(f.W-5, 10), "") }

// Text, Strong and Dim return pieces with these roles.
func Text(s string) Piece   { return Piece{s, draw.Text} }
func Strong(s string) Piece { return Piece{s, draw.Strong} }
func Dim(s string) Piece    { return Piece{s, draw.Dim} }

// Package draw makes text pictures: a Canvas of cells, functions that put things of an exact width into them, and
// Themes that turn the finished Canvas into lines for a terminal. It also shortens names so that they still
// differ, and makes the bytes that alert a user on a terminal of any kind.
//
// A cell is a glyph and a Role. The Role is the purpose of the glyph ("a label", "a warning"), never its look. A Theme
// gives each Role its color when the Canvas is encoded, so all renderings of one picture have the same geometry, and
// ASCII is a glyph-for-glyph map. The looks are Lip Gloss styles. A Theme turns them into escape sequences once, when
// it is made.
//
// Guarantees: everything outside the Canvas is cut off, and so is text wider than its space. A glyph two columns wide
// takes two cells and is never cut in half. Marks without a width of their own (combining marks, joiners) are left out,
// so every line of an encoded Canvas has the same width on all terminals. No text and no number makes this package
// panic.
//
// A Canvas belongs to one goroutine at a time. Themes and the functions may be used by any number of goroutines.
package draw

import "cmp"

// cell is one column of one line. tail marks the second column of a wide glyph.
type cell struct {
	glyph rune
	role  Role
	on    cellBackground
}

// cellBackground is the background of a cell.
type cellBackground uint8

const (
	plain    cellBackground = iota
	selected                // the selected row
	pointed                 // the cursor itself, where a row has several cells to choose from
	groundCount
)

const tail rune = 0

// Canvas is a picture under construction.
type Canvas struct {
	w, h  int
	pitch int // cells from one row to the next; more than w in a part of a wider Canvas
	cells []cell

	receded bool // a box is drawn over the picture
}

// New returns an empty Canvas.
func New(w, h int) *Canvas {
	c := &Canvas{}
	c.Reset(w, h)
	return c
}

// Reset empties the Canvas and gives it a size. It keeps its memory.
func (c *Canvas) Reset(w, h int) {
	c.w, c.h = max(w, 0), max(h, 0)
	c.pitch = c.w
	n := c.w * c.h
	if cap(c.cells) < n {
		c.cells = make([]cell, n)
	}
	c.cells = c.cells[:n]
	c.Clear()
}

// Clear empties the Canvas.
func (c *Canvas) Clear() {
	c.receded = false
	clearCells(c.cells)
}

func clearCells(cells []cell) {
	for i := range cells {
		cells[i] = cell{glyph: ' '}
	}
}

// Part returns the part of a Canvas with these columns and rows, as far as the Canvas has them. Both share their cells:
// drawing on one draws on the other.
func (c *Canvas) Part(x, y, w, h int) *Canvas {
	x, y = min(max(x, 0), c.w), min(max(y, 0), c.h)
	p := &Canvas{w: max(min(w, c.w-x), 0), h: max(min(h, c.h-y), 0), pitch: c.pitch}
	if p.w > 0 && p.h > 0 {
		p.cells = c.cells[y*c.pitch+x:]
	}
	return p
}

func (c *Canvas) row(y int) []cell { return c.cells[y*c.pitch:][:c.w] }

// Put writes s from column x of row y and returns the column after it.
func (c *Canvas) Put(x, y int, s string, role Role) int {
	return c.PutUntil(x, y, c.w, s, role)
}

// PutUntil is Put, but writes nothing from column end on.
func (c *Canvas) PutUntil(x, y, end int, s string, role Role) int {
	end = min(end, c.w)
	for _, r := range s {
		g, n := drawnGlyph(r)
		switch {
		case n == 0:
			continue
		case x+n <= end:
			c.setGlyph(x, y, g, n, role)
		case x < end: // only half of a wide glyph fits
			c.setGlyph(x, y, ' ', 1, role)
		}
		x += n
	}
	return x
}

// Fill writes the glyph r, which is one column wide, n times.
func (c *Canvas) Fill(x, y, n int, r rune, role Role) int {
	for range n {
		c.setGlyph(x, y, r, 1, role)
		x++
	}
	return x
}

// Left writes s into the w columns from x, flush left, with "…" if it is cut. The other columns stay unchanged.
func (c *Canvas) Left(x, y, w int, s string, role Role) {
	c.PutUntil(x, y, x+w, Clip(s, w), role)
}

// Right writes s into the w columns from x, flush right.
func (c *Canvas) Right(x, y, w int, s string, role Role) {
	s = Clip(s, w)
	c.PutUntil(x+w-Width(s), y, x+w, s, role)
}

// setGlyph writes one glyph of n columns. Overwriting half of a wide glyph blanks its other half.
func (c *Canvas) setGlyph(x, y int, r rune, n int, role Role) {
	if y < 0 || y >= c.h || x < 0 || x+n > c.w {
		return
	}
	row := c.row(y)
	if row[x].glyph == tail && x > 0 {
		row[x-1].glyph = ' '
	}
	if last := x + n; last < c.w && row[last].glyph == tail {
		row[last].glyph = ' '
	}
	row[x].glyph, row[x].role = r, role
	if n == 2 {
		row[x+1].glyph, row[x+1].role = tail, role
	}
}

// Copy writes n rows of another Canvas, from its row from on, over the rows from row y on. Both have the same width.
func (c *Canvas) Copy(y int, other *Canvas, from, n int) {
	for i := range n {
		if y+i < c.h && from+i < other.h && c.w == other.w {
			copy(c.row(y+i), other.row(from+i))
		}
	}
}

// Insert moves the rows from row y on down by one, and empties row y. The last row is lost.
func (c *Canvas) Insert(y int) {
	if y < 0 || y >= c.h {
		return
	}
	copy(c.cells[(y+1)*c.w:], c.cells[y*c.w:(c.h-1)*c.w])
	clearCells(c.row(y))
}

// cellsBetween returns the cells from column x0 up to x1 of row y, as far as they are on the Canvas.
func (c *Canvas) cellsBetween(y, x0, x1 int) []cell {
	x0, x1 = max(x0, 0), min(x1, c.w)
	if y < 0 || y >= c.h || x0 >= x1 {
		return nil
	}
	return c.row(y)[x0:x1]
}

// Select marks the columns from x0 up to x1 of row y as selected.
func (c *Canvas) Select(y, x0, x1 int) {
	cells := c.cellsBetween(y, x0, x1)
	for i := range cells {
		cells[i].on = selected
	}
}

// Point makes the columns from x0 up to x1 of row y the cursor. Their glyphs stay.
func (c *Canvas) Point(y, x0, x1 int) {
	cells := c.cellsBetween(y, x0, x1)
	for i := range cells {
		cells[i].on = pointed
	}
}

// SelectCell is Select for a cell that may be filled: its letters keep their color, and the filling is removed.
func (c *Canvas) SelectCell(y, x0, x1 int) {
	cells := c.cellsBetween(y, x0, x1)
	for i := range cells {
		cells[i].role = cmp.Or(unfilled[cells[i].role], cells[i].role)
	}
	c.Select(y, x0, x1)
}

// unfilled maps the roles of filled cells to the same roles without the filling.
var unfilled = map[Role]Role{WarnFill: Warn, CritFill: Crit}

// Fade gives the columns from x0 up to x1 of row y the roles of old values.
func (c *Canvas) Fade(y, x0, x1 int) {
	cells := c.cellsBetween(y, x0, x1)
	for i := range cells {
		cells[i].role = faded[cells[i].role]
	}
}

// Recede turns the whole Canvas into the background of a box that is about to be drawn over it.
func (c *Canvas) Recede() {
	c.receded = true
	for y := range c.h {
		recedeCells(c.row(y))
	}
}

// RecedeRow turns row y into a part of the background of a box, if there is a box.
func (c *Canvas) RecedeRow(y int) {
	if c.receded {
		recedeCells(c.row(y))
	}
}

func recedeCells(cells []cell) {
	for i := range cells {
		cells[i].role, cells[i].on = behind[cells[i].role], plain
	}
}

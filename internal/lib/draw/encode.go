package draw

import (
	"strconv"
	"unicode/utf8"
)

// Encode appends the Canvas to dst as text: its lines, separated by newlines, without trailing spaces.
func (t *Theme) Encode(dst []byte, c *Canvas) []byte {
	p := cellWriter{t: t, dst: dst, now: &plainStyle}
	for y := range c.h {
		if y > 0 {
			p.dst = append(p.dst, '\n')
		}
		row := c.row(y)
		for x := range row[:t.filledColumns(row)] {
			if row[x].glyph != tail {
				p.writeCell(&row[x])
			}
		}
		p.resetStyle()
	}
	return p.dst
}

// filledColumns returns the number of columns of a row without the spaces at its end.
func (t *Theme) filledColumns(row []cell) int {
	n := len(row)
	for n > 0 && t.isBlank(&row[n-1]) {
		n--
	}
	return n
}

// Paint appends to dst the bytes that change a terminal from old to c. If old is nil or of another size, the terminal
// is cleared first.
func (t *Theme) Paint(dst []byte, old, c *Canvas) []byte {
	p := cellWriter{t: t, dst: dst, now: &plainStyle, brief: true, x: -1, w: c.w}
	if old == nil || old.w != c.w || old.h != c.h {
		p.dst = append(append(p.dst, t.ground...), "\x1b[H\x1b[2J"...)
		if old = New(c.w, c.h); t.paints { // not every terminal clears with a color
			old = &Canvas{w: c.w, h: c.h, pitch: c.w, cells: make([]cell, c.w*c.h)} // unlike c: all is written
		}
	}
	for y := range c.h {
		p.row(y, old.row(y), c.row(y))
	}
	p.resetStyle()
	return p.dst
}

// looksSame reports whether two cells look the same. The ASCII form of a glyph depends on the role.
func (t *Theme) looksSame(a, b *cell) bool {
	return *a == *b || a.glyph == b.glyph && !t.ascii && t.styleOf(a).id == t.styleOf(b).id
}

// row writes what has changed in one row.
func (p *cellWriter) row(y int, old, row []cell) {
	filled := p.t.filledColumns(row)
	for x := 0; x < len(row); x++ {
		if p.t.looksSame(&row[x], &old[x]) {
			continue
		}
		if x >= filled { // the rest is empty
			p.moveCursor(x, y)
			p.resetStyle()
			p.dst = append(p.dst, "\x1b[K"...)
			return
		}
		if row[x].glyph == tail {
			x--
		}
		x = p.writeChanged(x, y, old, row[:filled])
	}
}

// writeChanged writes the changed cells from x on, up to the next unchanged cells that are worth skipping, and returns
// the last column written.
func (p *cellWriter) writeChanged(x, y int, old, row []cell) int {
	for {
		x = p.glyphAt(x, y, row)
		gap := 0
		for x+gap < len(row) && gap <= bridge && row[x+gap].glyph != tail && p.t.looksSame(&row[x+gap], &old[x+gap]) {
			gap++
		}
		if x+gap >= len(row) || gap > 0 && !p.isRewriteCheaper(row[x:x+gap]) {
			return x - 1
		}
		for to := x + gap; x < to; {
			x = p.glyphAt(x, y, row)
		}
		if row[x].glyph == tail { // the first half is unchanged, but now elsewhere
			return x - 1
		}
	}
}

// glyphAt writes the glyph of a cell, and returns the column after it.
func (p *cellWriter) glyphAt(x, y int, row []cell) int {
	p.moveCursor(x, y)
	sure := p.writeCell(&row[x])
	for x++; x < len(row) && row[x].glyph == tail; x++ {
	}
	p.x = x
	if !sure || x >= p.w { // terminals differ after the last column
		p.x = -1
	}
	return x
}

// bridge is the longest gap of unchanged cells that may take no more bytes than moving the cursor over it.
const bridge = 5

// isRewriteCheaper reports whether writing unchanged cells again takes no more bytes than moving over them.
func (p *cellWriter) isRewriteCheaper(gap []cell) bool {
	n := 0
	for i := range gap {
		c := &gap[i]
		switch st := p.t.styleOf(c); {
		case c.glyph == ' ' && !st.shows:
			if p.now.shows {
				return false
			}
			n++
			continue
		case st.id != p.now.id:
			return false
		case c.glyph < utf8.RuneSelf || p.t.ascii:
			n++
		default:
			n += utf8.RuneLen(c.glyph)
		}
	}
	return p.x >= 0 && n <= len("\x1b[4C")
}

func (p *cellWriter) moveCursor(x, y int) {
	switch by := x - p.x; {
	case p.x < 0 || p.y != y || by < 0:
		p.dst = append(p.dst, "\x1b["...)
		p.dst = strconv.AppendInt(p.dst, int64(y+1), 10)
		if x > 0 {
			p.dst = append(p.dst, ';')
			p.dst = strconv.AppendInt(p.dst, int64(x+1), 10)
		}
		p.dst = append(p.dst, 'H')
	case by > 1:
		p.dst = append(p.dst, "\x1b["...)
		p.dst = strconv.AppendInt(p.dst, int64(by), 10)
		p.dst = append(p.dst, 'C')
	case by == 1:
		p.dst = append(p.dst, "\x1b[C"...)
	}
	p.x, p.y = x, y
}

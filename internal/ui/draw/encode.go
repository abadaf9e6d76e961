package draw

import "strconv"

// Encode appends the Canvas to dst as text: its lines, separated by newlines, without trailing spaces.
func (t *Theme) Encode(dst []byte, c *Canvas) []byte {
	p := pen{t: t, dst: dst, now: &plainStyle}
	for y := range c.h {
		if y > 0 {
			p.dst = append(p.dst, '\n')
		}
		row := c.row(y)
		for x := range row[:t.filled(row)] {
			if row[x].glyph != tail {
				p.put(&row[x])
			}
		}
		p.reset()
	}
	return p.dst
}

// filled is how many columns of a row are before the spaces at its end.
func (t *Theme) filled(row []cell) int {
	n := len(row)
	for n > 0 && t.empty(&row[n-1]) {
		n--
	}
	return n
}

// bridge is how many unchanged cells are written again rather than passed over: a cursor movement is about as long.
const bridge = 6

// Paint appends to dst the bytes that change a terminal from old to c. Where old is nil or of another size the
// terminal is cleared first.
func (t *Theme) Paint(dst []byte, old, c *Canvas) []byte {
	p := pen{t: t, dst: dst, now: &plainStyle}
	if old == nil || old.w != c.w || old.h != c.h {
		p.dst = append(p.dst, reset+"\x1b[H\x1b[2J"...)
		old = New(c.w, c.h)
	}
	for y := range c.h {
		p.row(y, old.row(y), c.row(y))
	}
	p.reset()
	return p.dst
}

// row writes the difference of one row.
func (p *pen) row(y int, old, row []cell) {
	filled := p.t.filled(row)
	for x := 0; x < len(row); x++ {
		if row[x] == old[x] {
			continue
		}
		if x >= filled { // the rest is empty
			p.move(x, y)
			p.reset()
			p.dst = append(p.dst, "\x1b[K"...)
			return
		}
		if row[x].glyph == tail {
			x--
		}
		x = p.run(x, y, old, row[:filled])
	}
}

// run writes the changed cells from x on, until enough of them are as they were, and returns the last column it has written.
func (p *pen) run(x, y int, old, row []cell) int {
	end := x + 1 // behind the last changed cell
	for i := x + 1; i < len(row) && i-end < bridge; i++ {
		if row[i] != old[i] {
			end = i + 1
		}
	}
	sure := false
	for i := x; i < end; i++ {
		if row[i].glyph == tail {
			continue
		}
		if !sure {
			p.move(i, y)
		}
		sure = p.put(&row[i])
	}
	if end < len(row) && row[end].glyph == tail { // written with its first half
		end++
	}
	return end - 1
}

// move puts the cursor into a cell.
func (p *pen) move(x, y int) {
	p.dst = append(p.dst, "\x1b["...)
	p.dst = strconv.AppendInt(p.dst, int64(y+1), 10)
	p.dst = append(p.dst, ';')
	p.dst = strconv.AppendInt(p.dst, int64(x+1), 10)
	p.dst = append(p.dst, 'H')
}

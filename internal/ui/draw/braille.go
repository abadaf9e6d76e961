package draw

import "math"

// Graph is a picture of a series in braille dots: two samples and four dots a cell.
type Graph struct {
	Low, High float64 // the scale; it is fixed, so that a picture can be compared with itself later
	Area      bool    // filled from below, for amounts; else a line, for what has no zero or is a minimum
	Line      Role    // the line, or the top of the area
	Body      Role    // what is below the top
}

// dots are the bits of a braille cell from the bottom up, for its left and its right half.
var dots = [2][4]rune{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}

// Draw draws the values into w×h cells. There should be 2w of them, see Resample; the newest is at the right. NaN is a gap.
func (g Graph) Draw(c *Canvas, x, y, w, h int, values []float32) {
	if w <= 0 || h <= 0 {
		return
	}
	for col := range w {
		left, right := at(values, 2*col-2*w), at(values, 2*col+1-2*w)
		before := at(values, 2*col-1-2*w)
		l0, l1 := g.reach(before, left, h)
		r0, r1 := g.reach(left, right, h)
		g.column(c, x+col, y, h, [2][2]int{{l0, l1}, {r0, r1}})
	}
}

// at is the value i from the end (i < 0), NaN before the beginning.
func at(values []float32, i int) float64 {
	if i += len(values); i < 0 || i >= len(values) {
		return math.NaN()
	}
	return float64(values[i])
}

// reach is the lowest and the highest dot of the sample v after prev; the highest is -1 for a gap.
func (g Graph) reach(prev, v float64, h int) (low, high int) {
	if math.IsNaN(v) {
		return 0, -1
	}
	n := g.dot(v, h)
	if g.Area {
		return 0, n
	}
	if math.IsNaN(prev) {
		return n, n
	}
	p := g.dot(prev, h)
	return min(n, p), max(n, p)
}

func (g Graph) dot(v float64, h int) int {
	top := float64(h*4 - 1)
	return int(math.Round(math.Min(math.Max((v-g.Low)/(g.High-g.Low), 0), 1) * top))
}

// column draws one column of cells from the reach of its two samples.
func (g Graph) column(c *Canvas, x, y, h int, reach [2][2]int) {
	role := g.Line
	for r := range h {
		floor := (h - 1 - r) * 4
		pattern := half(dots[0], reach[0], floor) | half(dots[1], reach[1], floor)
		if pattern == 0 {
			continue
		}
		c.set(x, y+r, brailleFirst+pattern, 1, role)
		if g.Area {
			role = g.Body
		}
	}
}

// half is the pattern of half a cell, whose lowest dot is floor, for one sample.
func half(bits [4]rune, reach [2]int, floor int) rune {
	low, high := max(reach[0]-floor, 0), min(reach[1]-floor, 3)
	var pattern rune
	for i := low; i <= high; i++ {
		pattern |= bits[i]
	}
	return pattern
}

// Resample reduces the newest values to n dots of per values each; missing ones are gaps at the left. newest is the absolute number of
// the last value: it fixes which values share a dot, so the picture scrolls without flickering. A dot shows the minimum of its values,
// so that a short dip does not vanish, or with highest the maximum.
func Resample(values []float32, per, newest, n int, highest bool) []float32 {
	dots := make([]float32, n)
	first := len(values) - 1 - newest%per // the first value of the last dot
	for i := range dots {
		from := first - (n-1-i)*per
		picked := float32(math.NaN())
		for k := max(from, 0); k < min(from+per, len(values)); k++ {
			if v := values[k]; v == v && (picked != picked || v < picked != highest) {
				picked = v
			}
		}
		dots[i] = picked
	}
	return dots
}

package draw

import "math"

// Graph is a picture of a series in braille dots: a cell has two samples side by side, each four dots high.
type Graph struct {
	Low, High float64 // the scale; it is fixed, so that two pictures can be compared
	Area      bool    // filled from below, for amounts; otherwise a line, for temperatures and minimums
	// a band: filled from the values up to these, which have the same length; its line is the lower edge
	Upper []float32
	Line  Role      // the line, or the top of the area
	Body  Role      // below the top, or above the lower edge
	Held  []float32 // above 0 where a rule held: there the line is a Warn; nil, or as long as values
	Usual []float32 // a thin dotted line, where nothing else is drawn; nil, or as long as values
}

// dots are the bits of a braille cell from the bottom up, for its left and its right half.
var dots = [2][4]rune{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}

// Draw draws the values into w×h cells. There should be 2w values (Sampling); the newest is at the right. NaN is a gap.
func (g Graph) Draw(c *Canvas, x, y, w, h int, values []float32) {
	if w <= 0 || h <= 0 {
		return
	}
	for col := range w {
		at0, at1 := 2*col-2*w, 2*col+1-2*w
		left, right := valueFromEnd(values, at0), valueFromEnd(values, at1)
		earlier, before := valueFromEnd(values, at0-2), valueFromEnd(values, at0-1)
		l0, l1 := g.dotRange(earlier, before, left, valueFromEnd(g.Upper, at0), h)
		r0, r1 := g.dotRange(before, left, right, valueFromEnd(g.Upper, at1), h)
		line := g.Line
		if valueFromEnd(g.Held, at0) > 0 || valueFromEnd(g.Held, at1) > 0 {
			line = Warn
		}
		g.drawColumn(c, x+col, y, h, line, [2][2]int{{l0, l1}, {r0, r1}})
		if g.Usual != nil {
			g.drawUsual(c, x+col, y, h, [2]float64{valueFromEnd(g.Usual, at0), valueFromEnd(g.Usual, at1)},
				[2][2]int{{l0, l1}, {r0, r1}})
		}
	}
}

// drawUsual draws two dots of the line of usual values: as dots in an empty cell, as holes in a full one. A cell with
// an edge of the picture stays as it is.
func (g Graph) drawUsual(c *Canvas, x, y, h int, values [2]float64, reach [2][2]int) {
	var lines [2]int // for each half, the lowest dot of its cell
	var bits [2]rune
	for i, v := range values {
		lines[i] = -1
		if v == v {
			dot := g.dotOf(v, h)
			lines[i], bits[i] = dot/4*4, dots[i][dot%4]
		}
	}
	if lines[0] == lines[1] {
		bits[0], lines[1] = bits[0]|bits[1], -1
	}
	for i, floor := range lines {
		if floor < 0 {
			continue
		}
		row := y + h - 1 - floor/4
		switch pattern := halfPattern(dots[0], reach[0], floor) | halfPattern(dots[1], reach[1], floor); {
		case pattern == 0:
			c.setGlyph(x, row, brailleFirst+bits[i], 1, Dim)
		case pattern == fullCell && min(reach[0][1], reach[1][1]) > floor+3:
			c.setGlyph(x, row, brailleFirst+pattern&^bits[i], 1, g.Body)
		}
	}
}

const fullCell = 0xff

// Row returns the row of a value in h rows, from the top.
func (g Graph) Row(v float64, h int) int { return h - 1 - g.dotOf(v, h)/4 }

// valueFromEnd returns the value i from the end (i < 0), or NaN before the beginning.
func valueFromEnd(values []float32, i int) float64 {
	if i += len(values); i < 0 || i >= len(values) {
		return math.NaN()
	}
	return float64(values[i])
}

// dotRange returns the lowest and the highest dot of the sample v after earlier and prev; the highest is -1 for a gap.
// A line joins a sample to the previous one, unless the values jump up and down all the time: joined, they would look
// like a slab.
func (g Graph) dotRange(earlier, prev, v, upper float64, h int) (low, high int) {
	if math.IsNaN(v) {
		return 0, -1
	}
	n := g.dotOf(v, h)
	switch {
	case g.Area:
		return 0, n
	case upper >= v:
		return n, g.dotOf(upper, h)
	}
	if math.IsNaN(prev) || g.isLeap(prev, v) && g.isLeap(earlier, prev) {
		return n, n
	}
	p := g.dotOf(prev, h)
	return min(n, p), max(n, p)
}

// isLeap reports whether two samples are more than half of the scale apart.
func (g Graph) isLeap(a, b float64) bool { return math.Abs(b-a) > (g.High-g.Low)/2 }

func (g Graph) dotOf(v float64, h int) int {
	top := float64(h*4 - 1)
	return int(math.Round(math.Min(math.Max((v-g.Low)/(g.High-g.Low), 0), 1) * top))
}

// drawColumn draws one column of cells from the dot ranges of its two samples.
func (g Graph) drawColumn(c *Canvas, x, y, h int, line Role, reach [2][2]int) {
	role := line
	for r := range h {
		floor := (h - 1 - r) * 4
		pattern := halfPattern(dots[0], reach[0], floor) | halfPattern(dots[1], reach[1], floor)
		if pattern == 0 {
			continue
		}
		if g.Upper != nil {
			role = g.Body
			if hasLowerEnd(reach[0], floor) || hasLowerEnd(reach[1], floor) {
				role = line
			}
		}
		c.setGlyph(x, y+r, brailleFirst+pattern, 1, role)
		if g.Area {
			role = g.Body
		}
	}
}

// hasLowerEnd reports whether the lower end of a sample is in the cell whose lowest dot is floor.
func hasLowerEnd(reach [2]int, floor int) bool {
	return reach[1] >= 0 && reach[0] >= floor && reach[0] < floor+4
}

// halfPattern returns the pattern of half a cell, whose lowest dot is floor, for one sample.
func halfPattern(bits [4]rune, reach [2]int, floor int) rune {
	low, high := max(reach[0]-floor, 0), min(reach[1]-floor, 3)
	var pattern rune
	for i := low; i <= high; i++ {
		pattern |= bits[i]
	}
	return pattern
}

// Pool says how samples that share a dot are combined.
type Pool uint8

// The pools: means for amounts, extremes for charts of the lowest or the highest value.
const (
	PoolMean Pool = iota
	PoolLowest
	PoolHighest
)

// Sampling spreads bins over dots. Both are numbered from the epoch: a dot always covers the same bins, so a picture
// scrolls without flickering.
type Sampling struct {
	Newest     int64 // number of the newest bin
	Bins, Dots int   // number of bins, and number of dots that show them
}

func (s Sampling) firstBin(dot int64) int64 {
	return (dot*int64(s.Bins) + int64(s.Dots) - 1) / int64(s.Dots)
}

// leftmostDot returns the dot at the left end.
func (s Sampling) leftmostDot() int64 {
	return s.Newest*int64(s.Dots)/int64(s.Bins) - int64(s.Dots) + 1
}

// Values returns the number of values, up to the newest, that fill the dots.
func (s Sampling) Values() int { return int(s.Newest-s.firstBin(s.leftmostDot())) + 2 }

// Resample pools values into dots. The last value belongs to the newest bin. With more dots than bins, values are
// repeated. Missing values are gaps.
func (s Sampling) Resample(values []float32, pool Pool) []float32 {
	dots := make([]float32, s.Dots)
	left := s.leftmostDot()
	oldest := s.Newest - int64(len(values)) + 1
	for i := range dots {
		from, to := s.firstBin(left+int64(i)), s.firstBin(left+int64(i)+1)
		if from == to {
			from--
		}
		from, to = max(from, oldest), min(to, s.Newest+1)
		dots[i] = float32(math.NaN())
		if from < to {
			dots[i] = pool.Of(values[from-oldest : to-oldest])
		}
	}
	return dots
}

// Of pools values; gaps do not count.
func (p Pool) Of(values []float32) float32 {
	pooled, n := float32(math.NaN()), 0
	for _, v := range values {
		switch {
		case v != v:
			continue
		case n == 0:
			pooled = v
		case p == PoolLowest:
			pooled = min(pooled, v)
		case p == PoolHighest:
			pooled = max(pooled, v)
		default:
			pooled += v
		}
		n++
	}
	if p == PoolMean && n > 1 {
		pooled /= float32(n)
	}
	return pooled
}

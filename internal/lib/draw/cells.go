package draw

import "math"

var heights = []rune("▁▂▃▄▅▆▇")

// Bar draws a bar of w columns that is percent full, to half a column. Above 0 it is never drawn empty, and below 100
// never full. A bar is thinner than its row: bars below each other must not become a wall.
func (c *Canvas) Bar(x, y, w int, percent float64, role Role) {
	full := w * 2
	n := 0
	if percent > 0 { // false for NaN
		n = int(math.Round(math.Min(percent, 100) / 100 * float64(full)))
		n = max(n, 1)
		if percent < 100 {
			n = min(n, full-1)
		}
	}
	end := x + w
	x = c.Fill(x, y, n/2, '━', role)
	if n%2 > 0 {
		x = c.Fill(x, y, 1, '╸', role)
	}
	c.Fill(x, y, end-x, '─', role)
}

// Height returns the glyph of one heat cell or one column of a spark, for a value of 0…100. NaN is a gap. There are
// seven heights: the free eighth at the top separates adjacent rows.
func Height(v float64) rune {
	if math.IsNaN(v) {
		return ' '
	}
	n := len(heights)
	return heights[min(max(int(v*float64(n)/100), 0), n-1)]
}

// Spark draws the newest of values, 0…100, in w columns: one value per column, the newest at the right.
func (c *Canvas) Spark(x, y, w int, values []float32, role Role) {
	if len(values) > w {
		values = values[len(values)-w:]
	}
	x += w - len(values)
	for _, v := range values {
		if r := Height(float64(v)); r != ' ' {
			c.setGlyph(x, y, r, 1, role)
		}
		x++
	}
}

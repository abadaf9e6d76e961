package part

import "github.com/nvnodetop/nvnodetop/internal/lib/draw"

// Span is the place of a table's cell in its row, and the number of blanks before it. W is 0 if there is no room for
// its column.
type Span struct{ X, W, Gap int }

// Shown reports whether there is room for the column.
func (s Span) Shown() bool { return s.W > 0 }

// Number writes a cell's text flush right, "n/a" if there is none. A text that is one column too wide may use the gap
// before the column; a wider one is replaced by a shorter form. Digits are never cut off: that would make another
// number.
func (f *Frame) Number(s Span, y int, text string, role draw.Role, shorter ...string) {
	if !s.Shown() {
		return
	}
	if text == "" {
		text, role = "n/a", draw.Dim
	}
	room := s.W
	if s.Gap > 1 {
		room++
	}
	for draw.Width(text) > room {
		if len(shorter) == 0 {
			text = "…"
			break
		}
		text, shorter = shorter[0], shorter[1:]
	}
	f.Put(s.X+s.W-draw.Width(text), y, text, role)
}

// Text writes a cell's text flush left, if there is room for its column.
func (f *Frame) Text(s Span, y int, text string, role draw.Role) { f.Left(s.X, y, s.W, text, role) }

// Meter draws a bar, if there is room for its column.
func (f *Frame) Meter(s Span, y int, percent float64, role draw.Role) {
	if s.Shown() {
		f.Bar(s.X, y, s.W, percent, role)
	}
}

// Trend draws the newest samples, if there is room for their column.
func (f *Frame) Trend(s Span, y int, samples func(n int) []float32, role draw.Role) {
	if s.Shown() {
		f.Spark(s.X, y, s.W, samples(s.W), role)
	}
}

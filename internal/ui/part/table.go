package part

import "github.com/nvnodetop/nvnodetop/internal/ui/draw"

// Col names a column of a table: a number below maxCols.
type Col uint8

const maxCols = 32

// Column is a column of a table: the blanks before it, its least width, and its place in the order in which columns come in as the
// terminal gets wider.
type Column struct {
	Key                Col
	Gap, Min, Priority int
}

// NewColumn is the column of that key.
func NewColumn(key Col, gap, least, priority int) Column {
	return Column{Key: key, Gap: gap, Min: least, Priority: priority}
}

// Stage is one step of giving out the width that is left over: these columns grow, together, up to Most.
type Stage struct {
	Most int
	Keys []Col
}

// Grow is the stage in which these columns grow up to most.
func Grow(most int, keys ...Col) Stage { return Stage{Most: most, Keys: keys} }

// Unbounded is the most of a column that takes all the rest.
const Unbounded = 1 << 16

// Span is where a column stands, and the blanks before it. A column that has not come in has no width.
type Span struct{ X, W, Gap int }

// Shown says that the column has come in.
func (s Span) Shown() bool { return s.W > 0 }

// Layout is where the columns of a table stand.
type Layout [maxCols]Span

// Fit places the columns in a terminal of that width, from the column margin on. They come in by priority while they fit; the first that
// does not fit ends it. What is left over is given out in stages. Nothing but the width decides.
func Fit(width int, columns []Column, growth []Stage, margin int) Layout {
	width-- // the last column stays free
	var l Layout
	used := margin
	for p := 1; ; p++ {
		some, ok := false, true
		for _, c := range columns {
			if c.Priority != p {
				continue
			}
			some = true
			if used+c.Gap+c.Min > width {
				ok = false
				break
			}
			l[c.Key].W = c.Min
			used += c.Gap + c.Min
		}
		if !some || !ok {
			break
		}
	}
	l.grow(width-used, growth)
	x := margin
	for _, c := range columns {
		if l[c.Key].Shown() {
			x += c.Gap
			l[c.Key].X, l[c.Key].Gap = x, c.Gap
			x += l[c.Key].W
		}
	}
	return l
}

// grow gives out the width that is left.
func (l *Layout) grow(left int, growth []Stage) {
	for _, s := range growth {
		var keys []Col
		for _, k := range s.Keys {
			if l[k].Shown() {
				keys = append(keys, k)
			}
		}
		if len(keys) == 0 {
			continue
		}
		by := max(min(left/len(keys), s.Most-l[keys[0]].W), 0)
		for _, k := range keys {
			l[k].W += by
		}
		left -= by * len(keys)
	}
}

// Heading is the title of a column: a long and a short form. Numbers have theirs at the right.
type Heading struct {
	Long, Short string
	Right       bool
}

// Left and Right are titles at that side of their columns, with a short form for narrow ones.
func Left(long, short string) Heading  { return Heading{Long: long, Short: short} }
func Right(long, short string) Heading { return Heading{Long: long, Short: short, Right: true} }

// Headings writes the titles of the columns that have come in.
func (f *Frame) Headings(y int, l *Layout, titles map[Col]Heading) {
	for key, t := range titles {
		s := l[key]
		if !s.Shown() {
			continue
		}
		text := t.Long
		if len(text) > s.W && t.Short != "" {
			text = t.Short
		}
		if t.Right {
			f.Right(s.X, y, s.W, text, draw.Dim)
		} else {
			f.Left(s.X, y, s.W, text, draw.Dim)
		}
	}
}

// Number writes a cell's text flush right, "n/a" when there is none. Text one column too wide may use the gap before the column; wider
// text is replaced by a shorter form. Digits are never cut: they would be another number.
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
	for _, t := range append([]string{text}, shorter...) {
		if draw.Width(t) <= room {
			f.Put(s.X+s.W-draw.Width(t), y, t, role)
			return
		}
	}
	f.Right(s.X, y, s.W, "…", role)
}

// Text writes a cell's text flush left in a column that may not have come in.
func (f *Frame) Text(s Span, y int, text string, role draw.Role) { f.Left(s.X, y, s.W, text, role) }

// Meter draws a bar in a column that may not have come in.
func (f *Frame) Meter(s Span, y int, percent float64, role draw.Role) {
	if s.Shown() {
		f.Bar(s.X, y, s.W, percent, role)
	}
}

// Trend draws the newest samples in a column that may not have come in.
func (f *Frame) Trend(s Span, y int, samples func(n int) []float32, role draw.Role) {
	if s.Shown() {
		f.Spark(s.X, y, s.W, samples(s.W), role)
	}
}

package draw

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

var (
	plainText = NewTheme(colorprofile.NoTTY, false, false)
	nan       = float32(math.NaN())
)

func drawn(c *Canvas) string { return string(plainText.Encode(nil, c)) }

func TestBar(t *testing.T) {
	for _, test := range []struct {
		percent float64
		want    string
	}{
		{0, "────"}, {0.1, "╸───"}, {25, "━───"}, {50, "━━──"}, {60, "━━╸─"}, {99.9, "━━━╸"}, {100, "━━━━"},
		{250, "━━━━"}, {-3, "────"}, {math.NaN(), "────"},
	} {
		c := New(4, 1)
		c.Bar(0, 0, 4, test.percent, BarData)
		if got := drawn(c); got != test.want {
			t.Errorf("a bar of %v %% is %q, want %q", test.percent, got, test.want)
		}
	}
}

func TestSpark(t *testing.T) {
	c := New(8, 1)
	c.Spark(0, 0, 6, []float32{99, 0, 14.2, 50, nan, 100, 85}, Cell)
	if got, want := drawn(c), "▁▁▄ ▇▆"; got != want {
		t.Errorf("the spark is %q, want %q: the newest six, 0 not empty, a gap for what is missing", got, want)
	}
	c.Reset(8, 1)
	c.Spark(1, 0, 5, []float32{50}, Cell)
	if got, want := drawn(c), "     ▄"; got != want {
		t.Errorf("one sample is %q, want %q: the newest at the right", got, want)
	}
}

func TestGraph(t *testing.T) {
	c := New(3, 2)
	Graph{High: 100, Area: true, Line: Data, Body: Body}.Draw(c, 0, 0, 3, 2, []float32{100, 100, nan, nan, 0, 50})
	if got, want := drawn(c), "⣿ ⢀\n⣿ ⣸"; got != want {
		t.Errorf("the area is\n%s\nwant\n%s", got, want)
	}
	if c.row(0)[0].role != Data || c.row(1)[0].role != Body {
		t.Error("the top of an area is not Data above Body")
	}
	c.Reset(1, 1)
	Graph{High: 100, Line: Data}.Draw(c, 0, 0, 1, 1, []float32{100, 0})
	if got, want := drawn(c), "⢹"; got != want {
		t.Errorf("the line is %q, want %q: falls are drawn through", got, want)
	}
}

func TestResample(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []float32
		newest int64
		bins   int
		dots   int
		pool   Pool
		want   []float32
	}{
		{"as many", []float32{1, 2, 3, 4}, 9, 4, 4, PoolMean, []float32{1, 2, 3, 4}},
		{"the newest", []float32{1, 2, 3, 4}, 9, 2, 2, PoolMean, []float32{3, 4}},
		{"the least of those that share a dot", []float32{1, 2, 4, 3}, 7, 4, 2, PoolLowest, []float32{1, 3}},
		{"the most", []float32{1, 2, 4, 3}, 7, 4, 2, PoolHighest, []float32{2, 4}},
		{"the mean", []float32{1, 2, 4, 3}, 7, 4, 2, PoolMean, []float32{1.5, 3.5}},
		{"one later, the same share a dot", []float32{1, 2, 4, 3, 5}, 8, 6, 3, PoolLowest, []float32{1, 3, 5}},
		{"a part of a bin more for a dot", []float32{1, 2, 3, 4, 5, 6}, 5, 6, 4, PoolLowest, []float32{1, 3, 4, 6}},
		{"more dots than bins", []float32{1, 2, 3}, 8, 3, 6, PoolMean, []float32{nan, 1, 1, 2, 2, 3}},
		{"young: gaps at the left", []float32{5}, 3, 4, 4, PoolMean, []float32{nan, nan, nan, 5}},
		{"a gap does not hide a value", []float32{nan, 7, nan, nan}, 3, 4, 2, PoolMean, []float32{7, nan}},
		{"none", nil, 5, 6, 2, PoolMean, []float32{nan, nan}},
	} {
		got := Sampling{Newest: test.newest, Bins: test.bins, Dots: test.dots}.Resample(test.values, test.pool)
		for i := range test.want {
			if got[i] != test.want[i] && !(got[i] != got[i] && test.want[i] != test.want[i]) {
				t.Errorf("%s: got %v, want %v", test.name, got, test.want)
				break
			}
		}
	}
}

// One bin later, the picture is the same, moved by a dot at most where dots have several bins; only the dot that was
// the newest may change.
func TestResampleDoesNotFlicker(t *testing.T) {
	for _, shape := range [][2]int{{120, 40}, {200, 104}, {200, 68}, {200, 148}, {200, 200}} {
		var values, before []float32
		var left int64
		for newest := range int64(500) {
			values = append(values, float32(newest*37%101))
			s := Sampling{Newest: newest, Bins: shape[0], Dots: shape[1]}
			got := s.Resample(values, PoolLowest)
			by := int(s.leftmostDot() - left)
			if before != nil && by > 1 {
				t.Fatalf("%v: at %d it moves by %d", shape, newest, by)
			}
			for i := 0; before != nil && i+by < len(before)-1; i++ {
				if was := before[i+by]; got[i] != was && was == was {
					t.Fatalf("%v: at %d dot %d was %v and is %v", shape, newest, i, was, got[i])
				}
			}
			if n := s.Values(); newest >= int64(n) {
				for i, v := range s.Resample(values[len(values)-n:], PoolLowest) {
					if v != got[i] {
						t.Fatalf("%v: of the last %d values dot %d is %v, of all %v", shape, n, i, v, got[i])
					}
				}
			}
			before, left = got, s.leftmostDot()
		}
	}
}

// A line that goes up and down all the time is dots, not a slab.
func TestABurstyLine(t *testing.T) {
	c := New(10, 4)
	values := make([]float32, 20)
	for i := range values {
		values[i] = float32(i%2) * 100
	}
	Graph{High: 100, Line: Data}.Draw(c, 0, 0, 10, 4, values)
	if got := c.row(1)[5].glyph; got != ' ' {
		t.Errorf("between top and bottom there is %q", got)
	}
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		how  func(string, int) string
		s    string
		w    int
		want string
	}{
		{Clip, "gpu", 3, "gpu"}, {Clip, "gpu-n01", 5, "gpu-…"}, {Clip, "gpu", 1, "g"}, {Clip, "gpu", 0, ""},
		{ClipMiddle, "gpu-rack12-07-n017", 13, "gpu-ra…7-n017"}, {ClipMiddle, "abcdef", 4, "ab…f"},
		{ClipMiddle, "abc", 2, "a…"},
		{Clip, "模型模型", 5, "模型…"}, {Clip, "模型模型", 4, "模…"}, {ClipMiddle, "模型模型", 7, "模…型"},
		{Clip, "e\u0301e\u0301", 2, "e\u0301e\u0301"},
	} {
		got := test.how(test.s, test.w)
		if got != test.want {
			t.Errorf("%q in %d columns is %q, want %q", test.s, test.w, got, test.want)
		}
		if Width(got) > max(test.w, 0) {
			t.Errorf("%q is %d columns wide, more than %d", got, Width(got), test.w)
		}
	}
}

func TestWrap(t *testing.T) {
	got := Wrap("Slowed by heat: 87°C, SM clock 1215 of 1980 MHz", 20, "  ")
	want := []string{"Slowed by heat:", "  87°C, SM clock", "  1215 of 1980 MHz"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, l := range Wrap("a "+strings.Repeat("x", 99)+" b", 10, "    ") {
		if Width(l) > 10 {
			t.Errorf("%q is wider than 10", l)
		}
	}
}

func TestChop(t *testing.T) {
	for _, test := range []struct {
		s    string
		w    int
		want string
	}{{"abcdefg", 3, "abc|def|g"}, {"abc", 3, "abc"}, {"", 3, ""}, {"模型a训", 3, "模|型a|训"}, {"a模b", 1, "a|b"},
		{"abc", 0, ""}, {"e\u0301e\u0301", 1, "e\u0301|e\u0301"}} {
		if got := strings.Join(Chop(test.s, test.w), "|"); got != test.want {
			t.Errorf("%q in pieces of %d: %q, want %q", test.s, test.w, got, test.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	const gb = uint64(1) << 30
	now, most, unit := Share(34*1024*gb, 38*1024*gb)
	for _, test := range [][2]string{
		{MiB(71313 << 20), "71313"}, {GiB(99 * gb), "99.0"}, {GiB(100 * gb), "100"}, {GiB(gb*9995/100 + 1), "100"},
		{GiB(0), "0.0"},
		{now + "/" + most + " " + unit, "34.0/38.0 TiB"}, {KW(4850), "4.8"}, {KW(99_900), "99.9"}, {KW(99_960), "100"},
		{KW(342_000), "342"},
		{Age(-time.Second), "0s"}, {Age(59 * time.Second), "59s"}, {Age(time.Minute), "1m"},
		{Age(3*time.Hour + 10*time.Minute), "3h10m"},
		{Age(8 * time.Hour), "8h"}, {Age(2*time.Hour + 5*time.Minute), "2h05m"},
		{Age(23*time.Hour + 59*time.Minute), "23h"}, {Age(52 * time.Hour), "2d4h"}, {Age(41 * 24 * time.Hour), "41d"},
		{JobTime(8*time.Hour + 3*time.Minute + 12*time.Second), "8:03:12"},
		{JobTime(27*time.Hour + 22*time.Minute + 40*time.Second), "1-03:22:40"}, {JobTime(-time.Hour), "0:00:00"},
		{Took(41 * time.Millisecond), "41 ms"}, {Took(1400 * time.Millisecond), "1.4 s"},
		{Took(40 * time.Second), "40s"},
	} {
		if test[0] != test[1] {
			t.Errorf("got %q, want %q", test[0], test[1])
		}
	}
	for d := time.Duration(0); d < 400*24*time.Hour; d += 7*time.Minute + 13*time.Second {
		if len(Age(d)) > 5 {
			t.Fatalf("the age %q is longer than five columns", Age(d))
		}
	}
}

// Every glyph of ours must be one column wide to all ways of counting, and must have an ASCII form of its own.
func TestGlyphs(t *testing.T) {
	for _, r := range Glyphs + "⠁⣿" {
		if w, wc := ansi.StringWidth(string(r)), ansi.StringWidthWc(string(r)); w != 1 || wc != 1 {
			t.Errorf("%q is %d columns wide by grapheme, %d by wcwidth", r, w, wc)
		}
		for _, role := range []Role{Text, BarData} {
			if a := toASCII(r, role); a < ' ' || a > '~' || a == '?' {
				t.Errorf("%q has no ASCII form: %q", r, a)
			}
		}
	}
	if len([]rune(Glyphs)) != len(asciiOf) {
		t.Error("a glyph is listed twice")
	}
}

// Odd text takes exactly the columns that Width says, whatever terminals do with it.
func TestOddText(t *testing.T) {
	for _, s := range []string{
		"模型-训练", "e\u0301te\u0301", "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "a\ufe0f", "\u200b\u200bx", "ﷺ", "क्षि", "한글ᄀ",
		"\x1b[31m", "\x00\u009b", "\xff\xfe", "\u2028", "½", "\U0010ffff", "\u00ad",
	} {
		c := New(20, 1)
		end := c.Put(2, 0, s, Text)
		if end-2 != Width(s) {
			t.Errorf("%q took %d columns, its width is %d", s, end-2, Width(s))
		}
		c.Put(end, 0, "|", Text)
		got := drawn(c)
		for _, method := range []func(string) int{ansi.StringWidth, ansi.StringWidthWc} {
			if w := method(got); w != end+1 {
				t.Errorf("%q became %q, %d columns for a terminal, %d for us", s, got, w, end+1)
			}
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
			t.Errorf("%q became %q, with a control character", s, got)
		}
	}
}

// A wide glyph is never cut in half: neither by the edge nor by what is written over it.
func TestWideGlyphs(t *testing.T) {
	for _, test := range []struct {
		name string
		draw func(c *Canvas)
		want string
	}{
		{"at the edge", func(c *Canvas) { c.Put(3, 0, "模", Text) }, ""},
		{"over its first half", func(c *Canvas) { c.Put(0, 0, "模x", Text); c.Put(0, 0, "a", Text) }, "a x"},
		{"over its second half", func(c *Canvas) { c.Put(0, 0, "模x", Text); c.Put(1, 0, "a", Text) }, " ax"},
		{"over two halves", func(c *Canvas) { c.Put(0, 0, "模型", Text); c.Put(1, 0, "訓", Text) }, " 訓"},
		{"in a cell too narrow", func(c *Canvas) { c.Put(0, 0, "....", Text); c.Left(0, 0, 1, "模", Text) }, "...."},
	} {
		c := New(4, 1)
		test.draw(c)
		if got := drawn(c); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestOutside(t *testing.T) {
	c := New(3, 2)
	c.Put(-2, 0, "abcdef", Text)
	c.Put(0, 5, "x", Text)
	c.Put(0, -1, "x", Text)
	c.Bar(2, 1, 9, 50, BarData)
	c.Select(9, -4, 99)
	c.Fade(-3, -4, 99)
	c.Fade(9, 0, 3)
	if got, want := drawn(c), "cde\n  ━"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A band is filled from its values up to the upper ones; where a rule held, its lower edge is a warning.
func TestBand(t *testing.T) {
	c := New(2, 3)
	g := Graph{High: 11, Upper: []float32{11, 11, 11, 3}, Line: Data, Body: Body, Held: []float32{0, 0, 1, 0}}
	g.Draw(c, 0, 0, 2, 3, []float32{0, 8, 4, 3})
	if got, want := string(plainText.Encode(nil, c)), "⣿⡇\n⡇⡇\n⡇⠈"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var roles []Role
	for _, cell := range c.cells {
		roles = append(roles, cell.role)
	}
	if want := []Role{Data, Body, Body, Warn, Data, Warn}; !slices.Equal(roles, want) {
		t.Errorf("the roles are %v, want %v", roles, want)
	}
	if top, bottom := g.Row(11, 3), g.Row(0, 3); top != 0 || bottom != 2 {
		t.Errorf("the ends of the scale are in rows %d and %d", top, bottom)
	}
}

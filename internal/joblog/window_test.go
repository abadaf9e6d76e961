package joblog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// disk is a file in memory that answers as package tail does.
type disk struct{ data []byte }

func (d *disk) read(q wire.ReadLog) *Piece {
	size := int64(len(d.data))
	from := q.From
	if from < 0 {
		from = max(size+from, 0)
	}
	from = min(from, size)
	if q.Latest {
		from = max(from, size-int64(q.Max))
	}
	return &Piece{At: noon, LogPiece: wire.LogPiece{Size: size, From: from,
		Data: bytes.Clone(d.data[from : from+min(size-from, int64(q.Max))])}}
}

// follow reads on until the end.
func (d *disk) follow(w *Window) {
	for w.Take(d.read(w.Next(false))); !w.AtEnd(); w.Take(d.read(w.Next(false))) {
	}
}

func texts(w *Window) (all []string) {
	for _, l := range w.Lines() {
		all = append(all, l.Text)
	}
	return all
}

func check(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%q, want\n%q", what, got, want)
	}
}

func TestFollow(t *testing.T) {
	d, w := &disk{[]byte("one\ntwo\nth")}, NewWindow(-wire.MaxLog)
	d.follow(w)
	check(t, "at first", texts(w), "one", "two", "th")
	d.data = append(d.data, "ree\n\nfive"...)
	d.follow(w)
	check(t, "then", texts(w), "one", "two", "three", "", "five")
	if l := w.Lines()[4]; l.At != 15 {
		t.Errorf("five is at %d", l.At)
	}
}

// The first line of a piece from the middle is cut, and is not shown.
func TestTail(t *testing.T) {
	d, w := &disk{[]byte("first line\nsecond\nthird\n")}, NewWindow(-10)
	d.follow(w)
	check(t, "tail", texts(w), "third")
	if n := w.TakeBefore(d.read(w.Before())); n != 2 || w.From() != 0 {
		t.Errorf("%d lines came before, from %d", n, w.From())
	}
	check(t, "with the lines before", texts(w), "first line", "second", "third")
}

func TestHarmless(t *testing.T) {
	for raw, want := range map[string]string{
		"\x1b[31mred\x1b[0m":                          "red",
		"\x1b]0;title\x07x":                           "x",
		"a\xff\xfeb":                                  "a\uFFFDb",
		"bell\x07 \u202egnp.exe":                      "bell? ?gnp.exe",
		"\tindented":                                  "    indented",
		" 10%|#   | 1/10\r 50%|##  | 5/10\r":          " 50%|##  | 5/10",
		"\r 10%\r 20%\r100%|####| 10/10\r\r":          "100%|####| 10/10",
		"windows\r":                                   "windows",
		"  9%|#|Traceback (most recent call last):\r": "  9%|#|Traceback (most recent call last):",
	} {
		d, w := &disk{[]byte(raw + "\n")}, NewWindow(0)
		d.follow(w)
		check(t, fmt.Sprintf("%q", raw), texts(w), want)
		for i := range raw { // in two pieces
			d, w := &disk{[]byte(raw[:i])}, NewWindow(0)
			w.Take(d.read(w.Next(true)))
			d.data = []byte(raw + "\n")
			w.Take(d.read(w.Next(true)))
			check(t, fmt.Sprintf("%q + %q", raw[:i], raw[i:]), texts(w), want)
		}
	}
}

// A line without an end takes no more memory than others.
func TestLongLine(t *testing.T) {
	d, w := &disk{bytes.Repeat([]byte("x"), 10<<20)}, NewWindow(0)
	d.follow(w)
	d.data = append(d.data, "\nend\n"...)
	d.follow(w)
	if l := w.Lines(); len(l) != 2 || !strings.HasSuffix(l[0].Text, "xx … 10.0 MiB more") || l[1].Text != "end" ||
		len(l[0].Text) > maxLine+40 {
		t.Errorf("%d lines: %.60q", len(l), texts(w))
	}
	w = NewWindow(-wire.MaxLog)
	d.follow(w)
	for w.From() > 0 {
		before := w.From()
		if w.TakeBefore(d.read(w.Before())); w.From() >= before {
			t.Fatalf("it stays at %d", before)
		}
	}
}

// However much is read, the memory is bounded, and the lines that are left follow each other.
func TestMemory(t *testing.T) {
	raced.Skip(t)
	var all bytes.Buffer
	for i := range 600_000 {
		fmt.Fprintf(&all, "line %d\n", i)
	}
	d, w := &disk{all.Bytes()}, NewWindow(0)
	d.follow(w)
	lines := w.Lines()
	if w.cost > maxWindow || len(lines) < 1000 || lines[len(lines)-1].Text != "line 599999" || w.From() != lines[0].At {
		t.Errorf("%d lines cost %d, the last is %q", len(lines), w.cost, lines[len(lines)-1].Text)
	}
	for w.From() > 0 {
		w.TakeBefore(d.read(w.Before()))
	}
	if lines = w.Lines(); w.cost > maxWindow || lines[0].Text != "line 0" || w.AtEnd() {
		t.Errorf("at the beginning, %d lines cost %d, at the end %v", len(lines), w.cost, w.AtEnd())
	}
	for i, l := range lines {
		if l.Text != fmt.Sprintf("line %d", i) {
			t.Fatalf("line %d is %q", i, l.Text)
		}
	}
	d.follow(w) // on again from there
	lines = w.Lines()
	for i, l := range lines[1:] {
		if before := lines[i]; l.At != before.At+int64(len(before.Text))+1 {
			t.Fatalf("%q is at %d, after %q at %d", l.Text, l.At, before.Text, before.At)
		}
	}
}

// A log that grows faster than it is followed has gaps, which say how much they omit.
func TestGap(t *testing.T) {
	d, w := &disk{[]byte("one\ntw")}, NewWindow(-wire.MaxLog)
	w.Take(d.read(w.Next(true)))
	d.data = append(d.data, "o\n"+strings.Repeat("filler\n", wire.MaxLog)...)
	w.Take(d.read(w.Next(true)))
	lines := w.Lines()
	if len(lines) < 100 || lines[1].Text != "tw" || !lines[2].Gap || !strings.HasPrefix(lines[2].Text, "384.0 KiB not") ||
		lines[3].Text != "filler" || !w.AtEnd() {
		t.Errorf("got %q", texts(w)[:5])
	}
}

// A file that was emptied, or replaced by a longer one, is noticed, and read from its end.
func TestAnotherFile(t *testing.T) {
	for name, now := range map[string]string{"emptied": "", "shorter": "new\n", "longer": strings.Repeat("new\n", 99)} {
		d, w := &disk{[]byte("old line one\nold line two\n")}, NewWindow(-wire.MaxLog)
		d.follow(w)
		d.data = []byte(now)
		w.Take(d.read(w.Next(true)))
		w.Take(d.read(w.Next(true)))
		lines := w.Lines()
		if len(lines) != 1+strings.Count(now, "\n") || !lines[0].Gap ||
			!strings.Contains(lines[0].Text, "replaced at 12:00:00") {
			t.Errorf("%s: %q", name, texts(w))
		}
	}
}

// A file that is gone leaves its lines. When there is one again, it is followed.
func TestGone(t *testing.T) {
	d, w := &disk{[]byte("one\n")}, NewWindow(-wire.MaxLog)
	d.follow(w)
	w.Take(&Piece{LogPiece: wire.LogPiece{Missing: true}})
	if check(t, "gone", texts(w), "one"); !w.Missing() {
		t.Error("it is not missing")
	}
	d.data = append(d.data, "two\n"...)
	d.follow(w)
	if check(t, "back", texts(w), "one", "two"); w.Missing() {
		t.Error("it is missing")
	}
}

// A piece that answers another question changes nothing.
func TestStrayPieces(t *testing.T) {
	d, w := &disk{[]byte(strings.Repeat("line\n", 100))}, NewWindow(-wire.MaxLog)
	d.follow(w)
	before := texts(w)
	w.Take(d.read(wire.ReadLog{From: 0, Max: 10}))
	w.Take(d.read(w.Next(true)))
	w.TakeBefore(d.read(wire.ReadLog{From: 0, Max: 10}))
	check(t, "after stray pieces", texts(w), before...)
}

// FuzzWindow: whatever a log contains and however it comes in pieces, the lines are the same, harmless and bounded.
func FuzzWindow(f *testing.F) {
	f.Add([]byte("a\nb\r\nc\rd\x1b[2J\n\xff\n"), []byte{3, 1, 200})
	f.Add([]byte("\r\r\n\r\rx\r\r\n"), []byte{1})
	f.Add(bytes.Repeat([]byte("0123456789"), 1000), []byte{255, 7})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		whole := &disk{data}
		want := NewWindow(0)
		whole.follow(want)
		d, w := &disk{}, NewWindow(0)
		for i, at := 0, 0; at < len(data); i++ {
			step := len(data)
			if len(cuts) > 0 {
				step = int(cuts[i%len(cuts)]) + 1
			}
			at = min(at+step, len(data))
			d.data = data[:at]
			w.Take(d.read(w.Next(true)))
		}
		check(t, "in pieces", texts(w), texts(want)...)
		for _, l := range w.Lines() {
			if len(l.Text) > maxLine+40 || strings.ContainsFunc(l.Text, func(r rune) bool {
				return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
			}) {
				t.Errorf("unsafe: %q", l.Text)
			}
		}
		back := NewWindow(-int64(len(data)/2 + 1))
		whole.follow(back)
		for back.From() > 0 {
			from := back.From()
			if back.TakeBefore(whole.read(back.Before())); back.From() >= from {
				t.Fatalf("stays at %d", from)
			}
		}
	})
}

// The zeros of a file that was emptied while its writer goes on behind its old end are no text.
func TestZeros(t *testing.T) {
	d, w := &disk{[]byte("\x00\x00\x00two\nth\x00ree\n")}, NewWindow(-wire.MaxLog)
	d.follow(w)
	check(t, "zeros", texts(w), "two", "three")
}

package draw

import (
	"strings"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Width returns the number of columns that s takes on a Canvas.
func Width(s string) int {
	if text.Plain(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		_, w := drawnGlyph(r)
		n += w
	}
	return n
}

// Clip cuts s to w columns; a cut text ends with "…".
func Clip(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w < 2 {
		return firstColumns(s, w)
	}
	return firstColumns(s, w-1) + "…"
}

// ClipMiddle cuts s to w columns by removing its middle.
func ClipMiddle(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w < 3 {
		return Clip(s, w)
	}
	back := (w - 1) / 2
	return firstColumns(s, w-1-back) + "…" + lastColumns(s, back)
}

// firstColumns returns the longest beginning of s that has at most w columns.
func firstColumns(s string, w int) string {
	n := 0
	for i, r := range s {
		_, rw := drawnGlyph(r)
		if n += rw; n > w {
			return s[:i]
		}
	}
	return s
}

// Chop cuts s into pieces of at most w columns, anywhere. A glyph wider than w is left out.
func Chop(s string, w int) []string {
	if Width(s) <= w {
		return []string{s}
	}
	var pieces []string
	for s != "" && w > 0 {
		piece := firstColumns(s, w)
		if piece == "" {
			_, size := utf8.DecodeRuneInString(s)
			s = s[size:]
			continue
		}
		pieces, s = append(pieces, piece), s[len(piece):]
	}
	return pieces
}

// Drop returns s without its first n columns.
func Drop(s string, n int) string {
	if n <= 0 {
		return s
	}
	return lastColumns(s, max(Width(s)-n, 0))
}

// lastColumns returns the longest end of s that has at most w columns.
func lastColumns(s string, w int) string {
	skip := Width(s) - w
	for i, r := range s {
		if skip <= 0 {
			return s[i:]
		}
		_, rw := drawnGlyph(r)
		skip -= rw
	}
	return ""
}

// Wrap breaks s at spaces into lines of at most w columns; a word that is longer is cut. All lines after the first
// begin with indent.
func Wrap(s string, w int, indent string) []string {
	if w < 1 {
		return nil
	}
	if Width(s) <= w {
		return []string{s}
	}
	lines := text.Fill(strings.Fields(s), w, w-Width(indent), Width)
	for i := range lines {
		if i > 0 {
			lines[i] = indent + lines[i]
		}
		lines[i] = Clip(lines[i], w)
	}
	return lines
}

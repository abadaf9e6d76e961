// Package safe makes text from other hosts safe to display. Its functions are pure. A Secret quotes text from programs
// that know a secret of the user.
package safe

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Line makes a string safe to display. It removes escape sequences, and characters that join two letters. It replaces
// every other character that a terminal acts on by '?', and bytes that are not UTF-8 by the replacement character. It
// cuts the string to at most limit bytes, between two characters. The result of a long string does not keep the rest in
// memory.
func Line(s string, limit int) string {
	if !text.Plain(s) {
		s = strings.Map(replaceUnsafe, withoutJoiners(ansi.Strip(strings.ToValidUTF8(s, "\uFFFD"))))
	}
	if len(s) <= limit {
		return s
	}
	return strings.Clone(text.Cut(s, limit))
}

// withoutJoiners removes U+200C and U+200D, which appear in Persian names and in emoji of several people: terminals
// disagree about the width of a joined sequence. A joiner that joins nothing stays.
func withoutJoiners(s string) string {
	after := ' '
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Join_Control, r) && unicode.IsPrint(after) && after != ' ' {
			return -1
		}
		after = r
		return r
	}, s)
}

// replaceUnsafe replaces runes that move the cursor, change the writing direction or are invisible.
func replaceUnsafe(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return '?'
	}
	return r
}

// Lines is Line for text of several lines. It keeps the line breaks, but removes empty lines at both ends.
func Lines(s string, limit int) string {
	lines := strings.Split(text.Cut(s, limit), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(Line(strings.TrimRight(line, "\r"), limit), " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

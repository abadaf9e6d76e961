package draw

import (
	"math/bits"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Glyphs lists every glyph beyond ASCII and braille that the screens may use. Each is one column wide everywhere and
// has no emoji form.
const Glyphs = "█▉▊▋▌▍▎▏░▁▂▃▄▅▆▇─━╸╌┄│╭╮╰╯├└┊▲✗✓◌·–▸●→←↑↓‹›…°×≤≥"

// asciiOf has the ASCII form of each of Glyphs. Bars have their own ASCII forms of block glyphs (barASCII).
var asciiOf = mapRunes(Glyphs,
	"@"+"####"+"..."+":"+".:-=+*#"+"-=---"+"|"+"++++"+"+"+"`"+":"+"!X+~.->*><^v<>~ x<>")

var barASCII = mapRunes("█━╸─", "###.")

func mapRunes(from, to string) map[rune]rune {
	m := make(map[rune]rune, len(to))
	for i, r := range []rune(from) {
		m[r] = rune(to[i])
	}
	return m
}

const brailleFirst, brailleLast = 0x2800, 0x28ff

// ASCII returns the ASCII form of a letter or mark.
func ASCII(r rune) rune { return toASCII(r, Text) }

// toASCII returns the ASCII form of a glyph.
func toASCII(r rune, role Role) rune {
	if r < 0x7f {
		return r
	}
	if r >= brailleFirst && r <= brailleLast {
		return rune(" .:-=+*#@"[bits.OnesCount32(uint32(r-brailleFirst))])
	}
	if role.isBar() {
		if a, ok := barASCII[r]; ok {
			return a
		}
	}
	if a, ok := asciiOf[r]; ok {
		return a
	}
	return '?'
}

// drawnGlyph returns the glyph drawn for r and its width: 0, 1 or 2. Terminals disagree about runes that join others or
// whose width depends on their neighbors: those become "?".
func drawnGlyph(r rune) (rune, int) {
	switch {
	case r >= 0x20 && r < 0x7f:
		return r, 1
	case isOwnGlyph(r):
		return r, 1
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return '?', 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0, 0
	case unicode.In(r, unicode.Mc, unicode.Co, unicode.Cs, unicode.Regional_Indicator) || r >= 0x1f3fb &&
		r <= 0x1f3ff || r == unicode.ReplacementChar:
		return '?', 1
	}
	s := string(r)
	w := ansi.StringWidth(s)
	if w != ansi.StringWidthWc(s) || w < 1 || w > 2 {
		return '?', 1
	}
	return r, w
}

// isOwnGlyph reports whether r is one of our own glyphs.
func isOwnGlyph(r rune) bool {
	if r >= brailleFirst && r <= brailleLast {
		return true
	}
	_, ok := asciiOf[r]
	return ok
}

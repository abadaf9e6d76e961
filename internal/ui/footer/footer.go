// Package footer draws the last row of a page: as many of its keys as fit, at the same places on every page. It has the
// hints that several pages share, and the prompt, in which the user types.
package footer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// keySlot is where a footer has a key, the same on every page.
type keySlot struct {
	at   int // from left to right
	keep int // where there is no room for all, the lowest go first
}

// places are the places of the keys that have a fixed one. Other keys stand between them.
var places = map[string]keySlot{
	keys.Pages.Key: {1, 7}, keys.Name(keys.Open): {2, 7}, keys.Name(keys.Back): {3, 1}, keys.Node.Key: {4, 4},
	keys.Job.Key: {5, 3}, keys.Jobs.Key: {6, 3}, "/": {7, 7}, "F": {7, 7},
	"w": {8, 6}, "W": {8, 6}, "t": {9, 6}, "T": {10, 6}, "s": {11, 6}, "o": {11, 6}, "v": {12, 6}, "p": {12, 6},
	"n": {13, 5}, keys.Name(keys.Write): {others, 6}, "!": {others, 0}, "m": {others, 0}, "()": {15, 1},
	"?": {16, always}, "q": {17, always},
}

const (
	others = 14       // the place of all other keys
	placed = 5        // the lowest keep of the keys with a place in 80 columns
	always = 100      // the keep of keys that are never left out
	sorted = "sort: " // before the name of the order, where there is room
)

// placeOf is the place of a hint: the hint that undoes the last action comes first.
func placeOf(h keys.Hint) keySlot {
	at, fixed := places[h.Key]
	switch {
	case h.Verb == "mouse: off", h.Key == keys.Name(keys.Back) && strings.HasPrefix(h.Verb, "clear"):
		return keySlot{0, 7}
	case h == keys.HintOf(keys.Back): // from what covers a page no digit and no q leads back
		return keySlot{at.at, always}
	case h == keys.HintOf(keys.Refresh):
		return keySlot{others, 0}
	case h.Key == "o" && !strings.HasPrefix(h.Verb, "sort"), !fixed:
		return keySlot{others, 2}
	}
	return at
}

// MouseOff says that the terminal has the mouse. It comes before all other hints, so that narrow terminals show it too.
// by is the key that takes the mouse back.
func MouseOff(s *part.Scene, by keys.Hint) []keys.Hint {
	if s.MouseFree {
		return []keys.Hint{by.As("mouse: off")}
	}
	return nil
}

// Draw draws the keys in the last row, the most useful first, and the text right at its end. It adds the hints that all
// pages have. Where there is no room for all, it shortens words and leaves out keys; ? and q always stay.
func Draw(f *part.Frame, right string, hints ...keys.Hint) {
	f.Fill(0, f.H-1, f.W, ' ', draw.Text) // in a terminal of a few rows the page has drawn there
	if f.Notice != "" {
		f.Left(1, f.H-1, f.W-2, f.Notice, draw.Strong)
		return
	}
	end := rightOf(f, right)
	drawButtons(f, end, fitHints(f.Scene, addCommonHints(f.Scene, hints), end-1))
}

// drawButtons draws as many keys as fit in the last row, and notes where they are.
func drawButtons(f *part.Frame, end int, hints []keys.Hint) {
	x := 1
	for _, h := range hints {
		from, named := x, nameKeys(f.Scene, h)
		if x+hintWidth(named)-2 > end {
			return
		}
		x = drawHint(f, x, f.H-1, named)
		if f.Memory != nil {
			f.Memory.Footer.Add(part.Button{Key: h.Key, X: from, To: x - 2})
		}
	}
}

// KeyAt returns the key of the footer in a column of the last row, as a screen writes it; on the left half of a pair,
// its first key. is is false if there is none.
func KeyAt(s *part.Scene, x int) (shown string, is bool) {
	b, is := s.Memory.Footer.At(x)
	if pair := []rune(b.Key); len(pair) == 2 && !unicode.IsDigit(pair[0]) && b.Key != keys.Name(keys.Settings) {
		wide := draw.Width(s.KeyName(b.Key))
		return string(pair[min(2*(x-b.X)/wide, 1)]), true
	}
	return b.Key, is
}

// rightOf writes a text at the end of the last row, and returns the end of the free columns.
func rightOf(f *part.Frame, text string) int {
	if text == "" {
		return f.W - 1
	}
	f.Put(f.W-1-draw.Width(text), f.H-1, text, draw.Dim)
	return f.W - 1 - draw.Width(text) - 2
}

// addCommonHints adds the hints that all pages have, and puts all hints in their places.
func addCommonHints(s *part.Scene, hints []keys.Hint) []keys.Hint {
	hints = slices.Clone(hints)
	back := keys.HintOf(keys.Back)
	if hints = slices.DeleteFunc(hints, func(h keys.Hint) bool { return h == back }); s.Out != "" &&
		!slices.ContainsFunc(hints, func(h keys.Hint) bool { return h.Key == back.Key }) {
		hints = append(hints, back.As(s.Out))
	}
	if s.LooksBack {
		hints = append(hints, keys.HintOf(keys.StepBack, keys.StepOn).As("past"))
	}
	if !s.WithBar && !s.Printed {
		hints = append(hints, keys.Pages)
	}
	slices.SortStableFunc(hints, func(a, b keys.Hint) int { return placeOf(a).at - placeOf(b).at })
	return hints
}

// Choices draws keys in the last row in the given order, as many as fit, and the text right at its end. It is for the
// keys that may follow a prefix key, and for the keys of what covers the page.
func Choices(f *part.Frame, right string, hints ...keys.Hint) {
	drawButtons(f, rightOf(f, right), hints)
}

// fitHints returns the hints that fit into room columns: hints without a place go first, then words get shorter.
func fitHints(s *part.Scene, hints []keys.Hint, room int) []keys.Hint {
	hints = slices.Clone(hints)
	for len(hints) > 0 && hintsWidth(s, hints) > room {
		last := len(hints) - 1 // the rightmost of the least important ones
		for i := range slices.Backward(hints) {
			if placeOf(hints[i]).keep < placeOf(hints[last]).keep {
				last = i
			}
		}
		switch keep := placeOf(hints[last]).keep; {
		case keep >= placed && shortenHints(hints):
		case keep == always:
			return hints
		default:
			hints = slices.Delete(hints, last, last+1)
		}
	}
	return hints
}

// shortenHints removes words that can be spared, and reports whether there were any.
func shortenHints(hints []keys.Hint) bool {
	if at := slices.IndexFunc(hints, func(h keys.Hint) bool { return strings.HasPrefix(h.Verb, sorted) }); at >= 0 {
		hints[at].Verb = "sort"
		return true
	}
	if at := slices.Index(hints, keys.Pages); at >= 0 {
		hints[at].Verb = ""
		return true
	}
	return false
}

func hintsWidth(s *part.Scene, hints []keys.Hint) int {
	wide := -2 // no blanks after the last
	for _, h := range hints {
		wide += hintWidth(nameKeys(s, h))
	}
	return wide
}

// nameKeys returns a hint with its keys as this terminal writes them.
func nameKeys(s *part.Scene, h keys.Hint) keys.Hint { return h.At(s.KeyName(h.Key)) }

// hintWidth returns the number of columns of a hint, with the blanks after it.
func hintWidth(h keys.Hint) int {
	if h.Verb == "" {
		return draw.Width(h.Key) + 2
	}
	return draw.Width(h.Key) + 1 + draw.Width(h.Verb) + 2
}

func drawHint(f *part.Frame, x, y int, h keys.Hint) int {
	return f.Pieces(x, y, part.Strong(h.Key), part.Dim(strings.TrimSuffix(" "+h.Verb, " "))) + 2
}

// HintsAt writes keys at the right end of row y, from column x on, if all of them fit, and returns the column where
// they begin.
func HintsAt(f *part.Frame, x, y int, hints ...keys.Hint) int {
	at := f.W - 1 - hintsWidth(f.Scene, hints)
	if at < x {
		return f.W - 1 + 2
	}
	for x, hints := at, hints; len(hints) > 0; hints = hints[1:] {
		x = drawHint(f, x, y, nameKeys(f.Scene, hints[0]))
	}
	return at
}

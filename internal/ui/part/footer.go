package part

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// lastHints stay at the end of a footer, where others are cut.
var lastHints = map[string]bool{"?": true, "q": true}

// places order the hints of all footers, so that a key has the same place on every page.
var places = map[string]int{"1-9": 1, "Enter": 2, "/": 3, "F": 3, "w": 4, "W": 4, "t": 5, "T": 6, "s": 7, "v": 8,
	"p": 8, "n": 9, "?": 11, "q": 12}

// place is the place of a hint: what takes back what the user has done comes first.
func place(h keys.Hint) int {
	const first, other = 0, 10
	switch at, fixed := places[h.Key]; {
	case h.Verb == "mouse: off", h.Key == "Esc" && h.Verb != keys.HintOf(keys.Back).Verb:
		return first
	case fixed && at > 0:
		return at
	}
	return other
}

// MouseOff says that the terminal has the mouse, before all other hints: narrow terminals must show it too. by is the
// key that takes it back.
func MouseOff(s *Scene, by keys.Hint) []keys.Hint {
	if s.MouseFree {
		return []keys.Hint{by.As("mouse: off")}
	}
	return nil
}

// Footer draws the keys in the last row, the most useful first, and the text right at its end. The keys are cut from
// the right; ? and q stay.
func Footer(f *Frame, right string, hints ...keys.Hint) {
	if f.Notice != "" {
		f.Left(1, f.H-1, f.W-2, f.Notice, draw.Strong)
		return
	}
	hints = slices.Clone(hints)
	if !f.WithBar && !f.Printed {
		hints = slices.Concat([]keys.Hint{keys.Pages}, hints)
	}
	slices.SortStableFunc(hints, func(a, b keys.Hint) int { return place(a) - place(b) })
	Choices(f, right, hints...)
}

// Choices draws keys in the last row as they come: what may follow a prefix key.
func Choices(f *Frame, right string, hints ...keys.Hint) {
	y, end := f.H-1, f.W-1
	hints = f.named(hints)
	if right != "" {
		end -= draw.Width(right) + 2
		f.Put(f.W-1-draw.Width(right), y, right, draw.Dim)
	}
	wide := -2 // no blanks after the last
	for _, h := range hints {
		wide += hintWidth(h)
	}
	for i := len(hints) - 1; i >= 0 && wide > end-1; i-- {
		if !lastHints[hints[i].Key] {
			wide -= hintWidth(hints[i])
			hints = slices.Concat(hints[:i], hints[i+1:])
		}
	}
	x := 1
	for _, h := range hints {
		if x+hintWidth(h)-2 > end {
			return
		}
		x = drawHint(f, x, y, h)
	}
}

// arrows names the arrow keys in ASCII: "^v" would be read as Ctrl-V.
var arrows = strings.NewReplacer("↑↓", "Up/Dn", "←→", "Lf/Rt", "↑", "Up", "↓", "Dn", "←", "Lf", "→", "Rt")

// KeyName returns keys as this terminal writes them.
func (s *Scene) KeyName(keys string) string {
	if s.ASCII {
		return arrows.Replace(keys)
	}
	return keys
}

// named returns hints with their keys as this terminal writes them.
func (s *Scene) named(hints []keys.Hint) []keys.Hint {
	hints = slices.Clone(hints)
	for i := range hints {
		hints[i].Key = s.KeyName(hints[i].Key)
	}
	return hints
}

// hintWidth returns the number of columns of a hint, with the blanks after it.
func hintWidth(h keys.Hint) int { return draw.Width(h.Key) + 1 + draw.Width(h.Verb) + 2 }

func drawHint(f *Frame, x, y int, h keys.Hint) int {
	return f.Pieces(x, y, Piece{h.Key, draw.Strong}, Piece{" " + h.Verb, draw.Dim}) + 2
}

// HintsAt writes keys at the right end of row y, from column x on, if all of them fit, and returns the column where
// they begin.
func HintsAt(f *Frame, x, y int, hints ...keys.Hint) int {
	hints = f.named(hints)
	at := f.W - 1 + 2
	for _, h := range hints {
		at -= hintWidth(h)
	}
	if at < x {
		return f.W - 1 + 2
	}
	for x, hints := at, hints; len(hints) > 0; hints = hints[1:] {
		x = drawHint(f, x, y, hints[0])
	}
	return at
}

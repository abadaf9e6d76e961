package part

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

var lastHints = map[string]bool{"Esc": true, "?": true, "q": true}

// Footer draws the keys in the last row, and right at its end. The keys are cut from the right; Esc, ? and q stay.
func Footer(f *Frame, right string, hints ...keys.Hint) {
	y := f.H - 1
	end := f.W - 1
	if right != "" {
		end -= draw.Width(right) + 2
		f.Put(f.W-1-draw.Width(right), y, right, draw.Dim)
	}
	var first, last []keys.Hint
	room := end - 1
	for _, h := range hints {
		if lastHints[h.Key] {
			last = append(last, h)
			room -= hintWidth(h)
		} else {
			first = append(first, h)
		}
	}
	x := 1
	for _, h := range first {
		if room -= hintWidth(h); room < -2 {
			break
		}
		x = drawHint(f, x, y, h)
	}
	for _, h := range last {
		if x+hintWidth(h)-2 > end {
			break
		}
		x = drawHint(f, x, y, h)
	}
}

// hintWidth is how many columns a hint takes, with the blanks behind it.
func hintWidth(h keys.Hint) int { return draw.Width(h.Key) + 1 + draw.Width(h.Verb) + 2 }

func drawHint(f *Frame, x, y int, h keys.Hint) int {
	return f.Pieces(x, y, Piece{h.Key, draw.Strong}, Piece{" " + h.Verb, draw.Dim}) + 2
}

// HintsAt writes keys at the right end of row y, from column x on, as far as all of them fit.
func HintsAt(f *Frame, x, y int, hints ...keys.Hint) {
	at := f.W - 1 + 2
	for _, h := range hints {
		at -= hintWidth(h)
	}
	if at < x {
		return
	}
	for _, h := range hints {
		at = drawHint(f, at, y, h)
	}
}

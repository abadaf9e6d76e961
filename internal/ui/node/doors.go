package node

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// drawTransports lists the transports that were tried or skipped, each with its answer and its first hint, and returns
// the row below. If a row has no room for both, the hint stands below.
func drawTransports(f *part.Frame, y, h int, tried []reach.Tried) int {
	if len(tried) == 0 || y+2 > f.H-1 {
		return y
	}
	const nameX, answerX, most = 6, 16, 50
	f.Section(y, "Transports", "")
	y++
	width := 0
	for i := range tried {
		width = max(width, min(draw.Width(tried[i].Summary), most))
	}
	beside := f.W-1-answerX-width-2 >= hintWidth(tried)
	for i := range tried {
		if y >= f.H-1 {
			return y
		}
		t := &tried[i]
		glyph, role := "✗", draw.Crit
		if t.Class == reach.ClassNoDoor {
			glyph, role = "·", draw.Dim
		}
		f.Put(3, y, glyph, role)
		f.Left(nameX, y, answerX-1-nameX, t.Door, draw.Text)
		answer := f.W - 1 - answerX
		if beside {
			answer = width
			f.Left(answerX+width+2, y, f.W-1-answerX-width-2, hintOf(t), draw.Dim)
		}
		f.Left(answerX, y, answer, t.Summary, role)
		y++
		if !beside && t.Hint != "" {
			for _, line := range draw.Wrap(hintOf(t), max(f.W-1-answerX, 10), "") {
				f.Left(answerX, y, f.W-1-answerX, line, draw.Dim)
				y++
			}
		}
	}
	if h >= part.Tall {
		y++
	}
	return y
}

// whyGivenUp returns why a door of another kind was given up, if the user has to know.
func whyGivenUp(t *reach.Tried) []string {
	if t == nil {
		return nil
	}
	lines := []string{t.Door + ": " + t.Summary +
		". What is shown here comes through another transport, which does not depend on ssh."}
	if t.Hint != "" {
		lines = append(lines, hintOf(t))
	}
	return lines
}

func hintOf(t *reach.Tried) string {
	if t.Hint == "" {
		return ""
	}
	return "→ " + t.Hint
}

func hintWidth(tried []reach.Tried) int {
	longest := slices.MaxFunc(tried, func(a,
		b reach.Tried) int {
		return draw.Width(hintOf(&a)) - draw.Width(hintOf(&b))
	})
	return draw.Width(hintOf(&longest))
}

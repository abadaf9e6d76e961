package footer

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
)

// cycle has the choices that Tab goes through.
type cycle struct {
	filter.Completion
	at   int
	rest string // the text after the choice
}

// completeWord replaces the word at the cursor by the next choice. If there is only one choice, it is final.
func (l *openPrompt) completeWord(fields filter.Fields, by int) {
	text := l.Text()
	if l.cycle == nil {
		c := filter.Complete(text, l.cursorByte(), fields)
		if len(c.Choices) == 0 {
			return
		}
		l.cycle = &cycle{Completion: c, at: -1, rest: text[l.cursorByte():]}
		if by < 0 {
			l.cycle.at = 0
		}
	}
	c := l.cycle
	c.at = (c.at + by + len(c.Choices)) % len(c.Choices)
	before := text[:c.From] + c.Choices[c.at]
	l.setText(before+c.rest, len(before))
	l.back, l.half = 0, slices.Contains(fields.Names(), c.Choices[c.at])
	if len(c.Choices) == 1 {
		l.cycle = nil
	}
}

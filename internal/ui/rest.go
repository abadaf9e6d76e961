package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// stillTime is the time for which a question must be on the screen, with no key pressed, before a key can answer it.
const stillTime = 300 * time.Millisecond

// stillMsg reports that stillTime has passed since the start of a rest.
type stillMsg struct{ rest int }

// rests numbers the rests: times in which no key is pressed.
type rests struct{ rested int }

// awaitStill waits until the screen has been still for stillTime.
func (r *rests) awaitStill(s *part.Scene) tea.Cmd {
	r.endRest(s)
	rest := stillMsg{r.rested}
	return tea.Tick(stillTime, func(time.Time) tea.Msg { return rest })
}

func (r *rests) endRest(s *part.Scene) {
	r.rested++
	s.Still = false
}

// handleRestEnd handles the end of a rest. behind means that the question is still on its way to the terminal.
func (r *rests) handleRestEnd(end stillMsg, s *part.Scene, behind bool) tea.Cmd {
	if end.rest != r.rested {
		return nil
	}
	if behind {
		return r.awaitStill(s)
	}
	s.Still = true
	return nil
}

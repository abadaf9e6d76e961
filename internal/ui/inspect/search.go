package inspect

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// search has the words that are searched for, and the line in which the user types them.
type search struct {
	text string
	line *footer.InputLine // nil: it is closed
}

// mostTyped limits the search, in characters.
const mostTyped = 100

func (s *search) lowerWords() []string { return strings.Fields(strings.ToLower(s.text)) }

// openInput opens the line in which the user types the search.
func (s *search) openInput() { s.line = footer.NewInputLine(s.text, mostTyped) }

// handleMessage passes a message to the line, which takes every key except Ctrl-C. The shown variables change while the
// user types.
func (s *search) handleMessage(msg tea.Msg) (taken bool) {
	k, _ := msg.(tea.KeyPressMsg)
	switch {
	case key.Matches(k, keys.Interrupt):
		return false
	case key.Matches(k, keys.Keep):
		s.line = nil
	case key.Matches(k, keys.Cancel):
		*s = search{}
	case s.line.Edit(msg):
		s.text = s.line.Text()
	default:
		return false
	}
	return true
}

// drawInput draws the line in the last row, with its keys at the right if they fit.
func (s *search) drawInput(f *part.Frame) {
	y := f.H - 1
	x := s.line.Draw(f, f.Put(1, y, "/", draw.Strong), y, draw.Text, -1)
	footer.HintsAt(f, x+3, y, keys.HintOf(keys.Keep), keys.HintOf(keys.Cancel))
}

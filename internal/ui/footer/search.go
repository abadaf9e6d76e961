package footer

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Search has the words that are searched for on a page without fields, and the line in which the user types them. The
// zero Search finds everything.
type Search struct {
	text string
	line *InputLine // nil: it is closed
}

// mostTyped limits the search, in characters.
const mostTyped = 100

// Text is what the user has typed; "": everything is shown.
func (s *Search) Text() string { return s.text }

// Typing reports whether the line has the keyboard.
func (s *Search) Typing() bool { return s.line != nil }

// Matcher returns a function that reports whether a text has all words.
func (s *Search) Matcher() func(text string) bool {
	words := strings.Fields(strings.ToLower(s.text))
	return func(text string) bool {
		text = strings.ToLower(text)
		for _, w := range words {
			if !strings.Contains(text, w) {
				return false
			}
		}
		return true
	}
}

// Open opens the line in which the user types.
func (s *Search) Open() { s.line = NewInputLine(s.text, mostTyped) }

// End ends the search, and reports whether there was one.
func (s *Search) End() (was bool) {
	was = s.text != ""
	*s = Search{}
	return was
}

// Press passes a message to the line, which takes every key except Ctrl-C. What is shown changes while the user types.
func (s *Search) Press(msg tea.Msg) (taken bool) {
	k, _ := msg.(tea.KeyPressMsg)
	switch {
	case key.Matches(k, keys.Interrupt):
		return false
	case key.Matches(k, keys.Keep):
		s.line = nil
	case key.Matches(k, keys.Cancel):
		*s = Search{}
	case s.line.Edit(msg):
		s.text = s.line.Text()
	default:
		return false
	}
	return true
}

// Draw draws the line in the last row, with its keys at the right if they fit.
func (s *Search) Draw(f *part.Frame) {
	y := f.H - 1
	f.Fill(0, y, f.W, ' ', draw.Text)
	x := s.line.Draw(f, f.Put(1, y, "/", draw.Strong), y, draw.Text, -1)
	HintsAt(f, x+3, y, keys.HintOf(keys.Keep), keys.HintOf(keys.Cancel))
}

// None says that nothing matches, and names the key that shows everything again.
func (s *Search) None(what string) string {
	return "No " + what + ` matches "` + s.text + `". ` + keys.Name(keys.Back) + " shows all."
}

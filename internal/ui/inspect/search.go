package inspect

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// search is the words that are searched for, and the line in which they are typed.
type search struct {
	text   string
	prompt *textinput.Model // nil: it is closed
}

// mostTyped is how many characters can be typed.
const mostTyped = 100

// words are the words in lower case.
func (s *search) words() []string { return strings.Fields(strings.ToLower(s.text)) }

// open opens the line.
func (s *search) open() {
	p := textinput.New()
	p.CharLimit = mostTyped
	p.KeyMap.Paste.SetEnabled(false) // it would run a program to read a clipboard; the terminal's own paste comes as a message
	p.SetValue(s.text)
	p.CursorEnd()
	p.Focus()
	s.prompt = &p
}

// press gives a message to the line, which takes every key except Ctrl-C. The variables follow while the user types.
func (s *search) press(msg tea.Msg) (taken bool) {
	switch m := msg.(type) {
	case tea.PasteMsg:
		msg = tea.PasteMsg{Content: printable(m.Content)}
	case tea.KeyPressMsg:
		switch {
		case key.Matches(m, keys.Interrupt):
			return false
		case key.Matches(m, keys.Keep):
			s.prompt = nil
			return true
		case key.Matches(m, keys.Cancel):
			*s = search{}
			return true
		}
		m.Text = printable(m.Text)
		msg = m
	default:
		return false
	}
	*s.prompt, _ = s.prompt.Update(msg) // its commands let a cursor blink that is not drawn
	s.text = s.prompt.Value()
	return true
}

// printable is a text that was typed or pasted as one line without characters that a terminal acts on.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, s)
}

// draw draws the line in the last row, with its keys at the right where they fit.
func (s *search) draw(f *part.Frame) {
	y := f.H - 1
	x := f.Put(1, y, "/", draw.Strong)
	text, at := []rune(s.prompt.Value()), s.prompt.Position()
	from := 0
	for from < at && draw.Width(string(text[from:at])) > f.W-4-x { // the cursor must be seen
		from++
	}
	x = f.Put(x, y, string(text[from:at]), draw.Text)
	if at == len(text) {
		x = f.Put(x, y, "█", draw.Text)
	} else {
		x = f.Put(x, y, string(text[at]), draw.Tab)
		x = f.Put(x, y, string(text[at+1:]), draw.Text)
	}
	part.HintsAt(f, x+3, y, keys.HintOf(keys.Keep), keys.HintOf(keys.Cancel))
}

package page

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

// promptMost is how many characters can be typed.
const promptMost = 100

// prompt is a line in the place of the keys in which a person types. It has the keyboard while it is open.
type prompt struct {
	title string // before the text
	input textinput.Model
}

func newPrompt(title, text string) *prompt {
	p := &prompt{title: title, input: textinput.New()}
	p.input.CharLimit = promptMost
	p.input.KeyMap.Paste.SetEnabled(false) // it would run a program to read a clipboard; the terminal's own paste comes as a message
	p.input.SetValue(text)
	p.input.CursorEnd()
	p.input.Focus()
	return p
}

// ending is what a message did to a prompt.
type ending uint8

const (
	stillOpen ending = iota
	kept             // the text is to be kept
	cancelled        // it is to be forgotten
)

// press gives the message to the prompt. All that comes from the keyboard is the prompt's, but for Ctrl-C.
func (p *prompt) press(msg tea.Msg) (taken bool, end ending) {
	switch m := msg.(type) {
	case tea.PasteMsg:
		msg = tea.PasteMsg{Content: printable(m.Content)}
	case tea.KeyPressMsg:
		switch {
		case key.Matches(m, keys.Abort):
			return false, stillOpen
		case key.Matches(m, keys.Keep):
			return true, kept
		case key.Matches(m, keys.Cancel):
			return true, cancelled
		}
		m.Text = printable(m.Text)
		msg = m
	default:
		return false, stillOpen
	}
	p.input, _ = p.input.Update(msg) // its commands let a cursor blink that is not drawn
	return true, stillOpen
}

func (p *prompt) text() string { return p.input.Value() }

// printable is s without what is no character of a line: control characters, and marks that change the direction of what follows.
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

// draw draws the prompt in the last row, with its keys at the right where there is room for them.
func (p *prompt) draw(f *part.Frame, hints ...keys.Hint) {
	y := f.H - 1
	x := f.Put(1, y, p.title, draw.Strong)
	text, at := []rune(p.text()), p.input.Position()
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
	part.HintsAt(f, x+3, y, hints...)
}

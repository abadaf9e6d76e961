package footer

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// InputLine is a line of text that the user types. It has a cursor, and supports the keys of a shell that move it and
// delete text.
type InputLine struct{ input textinput.Model }

// NewInputLine returns a line with a text, and a limit in characters.
func NewInputLine(text string, most int) *InputLine {
	l := &InputLine{textinput.New()}
	l.input.CharLimit = most
	// pasting would run a program to read the clipboard; the terminal's own paste comes as a message
	l.input.KeyMap.Paste.SetEnabled(false)
	l.input.Focus()
	l.setText(text, -1)
	return l
}

// Text returns the text of the line.
func (l *InputLine) Text() string { return l.input.Value() }

// setText replaces the text, with the cursor before byte at; -1: at the end.
func (l *InputLine) setText(text string, at int) {
	l.input.SetValue(text)
	l.input.CursorEnd()
	if at >= 0 {
		l.input.SetCursor(len([]rune(text[:at])))
	}
}

// cursorByte returns the byte after the cursor.
func (l *InputLine) cursorByte() int { return len(string([]rune(l.Text())[:l.input.Position()])) }

// Edit passes a key or a paste to the line. It ignores any other message.
func (l *InputLine) Edit(msg tea.Msg) (taken bool) {
	switch m := msg.(type) {
	case tea.PasteMsg:
		msg = tea.PasteMsg{Content: stripControls(m.Content)}
	case tea.KeyPressMsg:
		m.Text = stripControls(m.Text)
		msg = m
	default:
		return false
	}
	l.input, _ = l.input.Update(msg) // its command would blink a cursor that is not drawn
	return true
}

// stripControls returns s without control characters and marks that change the direction of text.
func stripControls(s string) string {
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

// Draw writes the text and returns the column after it. Text from byte wrong on is amber (-1: there is no mistake). The
// cursor is always visible.
func (l *InputLine) Draw(fr *part.Frame, x, y int, role draw.Role, wrong int) int {
	text, at, bad := []rune(l.Text()), l.input.Position(), -1
	if wrong >= 0 {
		bad = len([]rune(l.Text()[:wrong]))
	}
	from := 0
	for from < at && draw.Width(string(text[from:at])) > fr.W-4-x {
		from++
	}
	roleOf := func(i int) draw.Role {
		switch {
		case i == at && i < len(text):
			return draw.Tab
		case bad >= 0 && i >= bad:
			return draw.Warn
		}
		return role
	}
	for from < len(text) { // characters that belong together are written together
		to := from + 1
		for to < len(text) && to != at && roleOf(to) == roleOf(from) {
			to++
		}
		x = fr.Put(x, y, string(text[from:to]), roleOf(from))
		from = to
	}
	if at == len(text) {
		x = fr.Put(x, y, "█", roleOf(at))
	}
	return x
}

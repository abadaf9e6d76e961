package terminal

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

const (
	saveTitle, restoreTitle = "\x1b[22;2t", "\x1b[23;2t"
	noMouse                 = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr

	// Pastes are bracketed, so that they do not press keys.
	enter = saveTitle + ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste
	leave = ansi.ResetStyle + noMouse + ansi.ResetModeBracketedPaste + ansi.SetModeTextCursorEnable +
		ansi.ResetModeAltScreenSaveCursor + restoreTitle
)

// mice are the sequences of the mouse modes.
var mice = map[tea.MouseMode]string{
	tea.MouseModeNone:       noMouse,
	tea.MouseModeCellMotion: ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr,
}

// enterScreen takes over the terminal, unless it has already.
func (t *Terminal) enterScreen(b []byte) []byte {
	if t.opened {
		return b
	}
	t.opened, t.title, t.mouse = true, "", tea.MouseModeNone
	return append(b, enter...)
}

// setModes changes the modes that differ from those of the view.
func (t *Terminal) setModes(b []byte, v tea.View) []byte {
	if v.WindowTitle != t.title {
		t.title = v.WindowTitle
		b = append(b, ansi.SetWindowTitle(t.title)...)
	}
	if v.MouseMode != t.mouse {
		t.mouse = v.MouseMode
		b = append(b, mice[t.mouse]...)
	}
	return b
}

func (t *Terminal) leaveScreen() {
	if t.opened {
		t.opened = false
		t.writeBytes([]byte(leave))
	}
}

package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/tape"
)

// turn moves in the recording that is shown, if the key says so.
func (m *model) turn(k tea.KeyPressMsg) bool {
	if m.Tape == nil {
		return false
	}
	order, known := tape.OrderOf(k)
	if !known {
		return false
	}
	m.scene.Notice = m.Tape.Turn(order)
	m.takeSnapshot()
	return true
}

// switched says what has become of a recording.
type switched struct{ said string }

// record begins to record what happens, or ends it. A file may be on a file system that does not answer, so this is not
// waited for.
func (m *model) record() tea.Cmd {
	if m.Record == nil {
		return nil
	}
	return func() tea.Msg { return switched{m.Record.Switch()} }
}

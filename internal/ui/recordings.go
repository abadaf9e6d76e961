package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/lookback"
)

// turnTape moves in the recording on the screen, and reports whether the key is for that.
func (m *model) turnTape(k tea.KeyPressMsg) bool {
	if m.Tape == nil {
		return false
	}
	order, known := lookback.TapeOrderOf(k)
	if !known {
		return false
	}
	m.scene.Notice = m.Tape.Turn(order)
	m.takeSnapshot()
	return true
}

// recordingMsg reports the start or end of a recording.
type recordingMsg struct{ said string }

// switchRecording begins or ends a recording. It does not block the screen, because the file system may not answer.
func (o *Options) switchRecording() tea.Cmd {
	if o.Record == nil {
		return nil
	}
	return func() tea.Msg { return recordingMsg{o.Record.Switch()} }
}

package ui

import (
	"errors"
	"fmt"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// errPast is the reason why nothing is asked of nodes or SLURM while the screen shows the past.
var errPast = errors.New(inThePast)

const inThePast = "the screen shows the past: Esc leads back to now"

// lookBack answers the keys that move the live screen through the last minutes.
func (m *model) lookBack(k tea.KeyPressMsg) bool {
	if m.Tape != nil || !m.view.answers(k, m.scene) {
		return false
	}
	switch {
	case key.Matches(k, keys.StepBack):
		m.scene.Notice = m.past.Step(-1)
	case key.Matches(k, keys.StepOn):
		m.scene.Notice = m.past.Step(+1)
	case key.Matches(k, keys.LongBack):
		m.scene.Notice = m.past.Step(-time.Minute)
	case key.Matches(k, keys.LongOn):
		m.scene.Notice = m.past.Step(+time.Minute)
	case !m.past.Live() && key.Matches(k, keys.Back):
		m.past.Return()
	case !m.past.Live() && key.Matches(k, keys.Refresh):
		m.scene.Notice = inThePast
	default:
		return false
	}
	m.show()
	return true
}

// canLookBack reports whether the page on the screen has the keys that look back, and there is a past.
func (m *model) canLookBack() bool {
	at := m.view.keys(m.scene)
	return m.Tape == nil && m.scene.NoPast == "" && keys.Main.Is(at, m.view.hasOf(at))
}

// show puts the Snapshot of now, or of the chosen moment, on the screen. In the past nothing can be sent to processes.
func (m *model) show() {
	var age time.Duration
	m.scene.Snap, age = m.past.Shown()
	m.scene.Ago, m.scene.ReadOnly, m.scene.NoPast = "", m.ReadOnly, m.past.None()
	if !m.past.Live() {
		s := int(age / time.Second)
		m.scene.Ago, m.scene.ReadOnly = fmt.Sprintf("−%dm%02ds", s/60, s%60), inThePast
	}
	m.resolve()
}

package ui

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// errPast is the reason why nodes and SLURM are not asked while the screen shows the past.
var errPast = errors.New(inThePast)

var inThePast = "the screen shows the past: " + keys.Name(keys.Back) + " leads back to now"

// lookBack moves the live screen through the last minutes.
func lookBack(by time.Duration) func(m *model) tea.Cmd {
	return func(m *model) tea.Cmd {
		m.scene.Notice = m.past.Step(by)
		m.showSnapshot()
		return nil
	}
}

func leavePast(m *model) tea.Cmd {
	m.past.Return()
	m.showSnapshot()
	return nil
}

func refusePast(m *model) tea.Cmd {
	m.scene.Notice = inThePast
	m.showSnapshot()
	return nil
}

// canLookBack reports whether the page on the screen has the keys that look back, and there is a past to look at.
func (m *model) canLookBack() bool {
	at := m.view.focusedKeys(m.scene)
	return m.Tape == nil && m.scene.NoPast == "" && keys.Main.Is(at, m.view.hasOf(at))
}

// showSnapshot puts the newest Snapshot, or the one of the chosen moment, on the screen. In the past no signals can be
// sent.
func (m *model) showSnapshot() {
	var age time.Duration
	m.scene.Snap, age = m.past.Shown()
	m.scene.Ago, m.scene.ReadOnly, m.scene.NoPast = "", m.ReadOnly, m.past.None()
	if !m.past.Live() {
		s := int(age / time.Second)
		m.scene.Ago, m.scene.ReadOnly = fmt.Sprintf("−%dm%02ds", s/60, s%60), inThePast
	}
	m.resolveScene()
}

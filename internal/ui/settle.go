package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// begin gives the settings of the run to the page that changes them.
func (m *model) begin() {
	m.view.settings.Begin(settings.Choices{
		Theme: m.Theme, Classic: m.view.classic, View: m.Options.View, Levels: m.Levels, MemoryLevels: m.MemoryLevels,
		Columns: m.Columns,
	})
	m.settle()
}

// settle puts into effect what has been chosen on the page of settings, and writes it where the user asked for that.
func (m *model) settle() tea.Cmd {
	now := &m.view.settings.Now
	m.scene.Levels, m.scene.MemoryLevels, m.scene.Columns = now.Levels, now.MemoryLevels, now.Columns
	if m.Theme != now.Theme {
		m.Theme = now.Theme
		m.retheme()
	}
	return m.write()
}

// write writes what the user wants to be written. The next is written when the model has been told about this one.
func (m *model) write() tea.Cmd {
	if m.Save == nil {
		return nil
	}
	wanted, changed := m.view.settings.Unwritten()
	if len(changed) == 0 {
		return nil
	}
	saved := settings.Saved{Choices: wanted}
	return func() tea.Msg { // a home directory may be slow
		saved.Path, saved.Err = m.Save(saved.Choices, changed)
		return saved
	}
}

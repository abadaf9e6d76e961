package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// applySettings puts the user's choices on the page of settings into effect, and writes them if the user asked for
// that.
func (m *model) applySettings() tea.Cmd {
	now := &m.view.settings.Now
	if m.Theme != now.Theme {
		m.Theme = now.Theme
		m.applyTheme()
	}
	return tea.Batch(m.writeSettings(&m.view.settings), m.tryNews(&m.view.settings))
}

// tryNews sends the test message that the user wants.
func (o *Options) tryNews(p *settings.Page) tea.Cmd {
	way := p.Wanted()
	if way == "" || o.TryNews == nil {
		return nil
	}
	return func() tea.Msg { return settings.Tried{Way: way, Err: o.TryNews(way)} }
}

// writeSettings writes the changes that the user wants written. The next write waits for the result of this one.
func (o *Options) writeSettings(p *settings.Page) tea.Cmd {
	if o.Save == nil {
		return nil
	}
	wanted, changed := p.Unwritten()
	if len(changed) == 0 {
		return nil
	}
	saved := settings.Saved{Choices: wanted}
	return func() tea.Msg { // a home directory may be slow
		saved.Path, saved.Err = o.Save(saved.Choices, changed)
		return saved
	}
}

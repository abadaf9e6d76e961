package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// Alert tells something to a user who may be looking elsewhere.
type Alert struct {
	Sequence string          // bytes for the terminal, which change nothing on the screen
	Notice   string          // for the footer; may be empty
	Ways     []settings.News // if any: what the page of settings now shows about news
}

// forwardAlerts forwards the alerts until ctx ends.
func (o *Options) forwardAlerts(ctx context.Context, send func(tea.Msg)) {
	for {
		select {
		case a := <-o.Alerts:
			send(a)
		case <-ctx.Done():
			return
		}
	}
}

// showAlert writes the alert's bytes to the terminal, and shows its notice in the footer for a while.
func (m *model) showAlert(a Alert) tea.Cmd {
	if a.Sequence != "" {
		m.terminal.Say(a.Sequence)
	}
	if len(a.Ways) > 0 {
		m.view.settings.News, m.dirty = a.Ways, true
		m.scene.Ways = m.view.settings.Ways()
	}
	if a.Notice == "" {
		return nil
	}
	m.scene.Notice, m.dirty = a.Notice, true
	return m.scheduleFade(alertTime)
}

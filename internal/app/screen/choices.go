package screen

import (
	"context"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/ui"
)

// settle is how long after a choice it is saved: if a view is toggled repeatedly, only the last choice counts.
const settle = time.Second

// saver saves the user's choices in the background: a home directory may be slow, and the screen must not wait for it.
type saver struct {
	fixed map[string]bool // chosen by the command line, for this run only
	rung  bell.Bell

	mu      sync.Mutex
	choices map[string]string // not yet saved
}

// newSaver returns nil for the demo, where nothing is saved.
func newSaver(cfg *config.Config) *saver {
	if cfg.Demo != "" {
		return nil
	}
	fixed := map[string]bool{config.View: cfg.View != ui.ViewAuto, config.Colors: cfg.Colors != ""}
	return &saver{fixed: fixed, rung: bell.New(), choices: map[string]string{}}
}

// rememberChoice saves a choice soon.
func (s *saver) rememberChoice(what, value string) {
	if s == nil || s.fixed[what] {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choices[what] = value
	s.rung.Ring()
}

// runSaver saves until ctx ends, and then saves the remaining choices.
func (s *saver) runSaver(ctx context.Context) error {
	for ended := false; s != nil && !ended; {
		select {
		case <-s.rung:
		case <-ctx.Done():
			ended = true
		}
		select {
		case <-time.After(settle):
		case <-ctx.Done():
		}
		s.saveChoices()
	}
	return nil
}

// saveChoices saves the choices. An error is ignored: a full home directory is no reason to disturb the user.
func (s *saver) saveChoices() {
	s.mu.Lock()
	choices := s.choices
	s.choices = map[string]string{}
	s.mu.Unlock()
	for what, value := range choices {
		_ = config.Remember(what, value)
	}
}

package app

import (
	"context"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/ui"
)

// settle is how long after a choice it is saved: of a view that is toggled, only the last one counts.
const settle = time.Second

// keeper saves the user's choices in the background: a home directory may be slow, and the screen must not wait for it.
type keeper struct {
	fixed map[string]bool // chosen by the command line, for this run only
	rung  bell.Bell

	mu      sync.Mutex
	choices map[string]string // not yet saved
}

// newKeeper returns nil for the demo, where nothing is saved.
func newKeeper(cfg *config.Config) *keeper {
	if cfg.Demo != "" {
		return nil
	}
	fixed := map[string]bool{config.View: cfg.View != ui.ViewAuto, config.Colors: cfg.Colors != ""}
	return &keeper{fixed: fixed, rung: bell.New(), choices: map[string]string{}}
}

// remember has a choice saved soon.
func (k *keeper) remember(what, value string) {
	if k == nil || k.fixed[what] {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.choices[what] = value
	k.rung.Ring()
}

// run saves until ctx ends, and then what is left.
func (k *keeper) run(ctx context.Context) error {
	for ended := false; k != nil && !ended; {
		select {
		case <-k.rung:
		case <-ctx.Done():
			ended = true
		}
		select {
		case <-time.After(settle):
		case <-ctx.Done():
		}
		k.save()
	}
	return nil
}

// save saves the choices. An error is ignored: a full home directory is no reason to disturb the user.
func (k *keeper) save() {
	k.mu.Lock()
	choices := k.choices
	k.choices = map[string]string{}
	k.mu.Unlock()
	for what, value := range choices {
		_ = config.Remember(what, value)
	}
}

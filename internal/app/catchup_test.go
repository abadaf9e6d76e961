package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/demo"
)

// The screen waits for the past of a demo, with --readonly too.
func TestTheScreenWaitsForThePastOfADemo(t *testing.T) {
	for _, from := range []string{"", "--readonly"} {
		synctest.Test(t, func(t *testing.T) {
			cfg := config.Default()
			cfg.ReadOnlyFrom = from
			ctx, cancel := context.WithCancel(t.Context())
			caught := false
			go func() {
				catchUp(ctx, guarded(&cfg, demo.New(1, 1, demo.Seed, time.Second, time.Minute)))
				caught = true
			}()
			synctest.Wait()
			if caught {
				t.Errorf("%q: it does not wait", from)
			}
			cancel()
			synctest.Wait()
			if !caught {
				t.Errorf("%q: it waits when the program ends", from)
			}
		})
	}
}

package feed

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
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
				untold := lateStory{demo.New(1, 1, demo.Seed, time.Second, time.Minute), make(chan struct{})}
				source.StartSession(ctx, guardFeed(&cfg, untold)).CatchUp(source.PastPatience)
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

// lateStory is a demo that takes seconds to tell its past.
type lateStory struct {
	*demo.Demo
	caught chan struct{}
}

func (s lateStory) CaughtUp() <-chan struct{} { return s.caught }

// A printout waits, too: halfway through the past, all reports are old.
func TestTheSnapshotWaitsForThePastOfADemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config.Default()
		cfg.Timeout = time.Minute
		story := lateStory{demo.New(1, 1, demo.Seed, cfg.Poll, Need{}.demoPast(cfg.Poll)), make(chan struct{})}
		time.AfterFunc(source.PastPatience/2, func() { close(story.caught) })
		p := &cli.Program{Config: cfg, Streams: cli.Streams{Err: io.Discard}}
		_ = Printed(p, Need{}, func(*cluster.Snapshot) error {
			select {
			case <-story.caught:
			default:
				t.Error("it is printed before")
			}
			return nil
		}, Verdict)(t.Context(), Heard(story, func(cluster.Event) {}))
	})
}

package app

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/ui"
)

// touched counts keys.
type touched struct {
	feed
	keys atomic.Int32
}

func (t *touched) Touch() { t.keys.Add(1) }

func TestKeysPutOffTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, from := time.Now(), &touched{}
		a := &attended{from, bell.New()}
		go func() {
			for range 3 {
				time.Sleep(50 * time.Minute)
				a.Touch()
			}
		}()
		err := a.left(t.Context(), time.Hour, "key")
		if took := time.Since(began); err == nil || took != 3*50*time.Minute+time.Hour || from.keys.Load() != 3 {
			t.Errorf("%v after %v and %d keys", err, took, from.keys.Load())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
		defer cancel()
		if err := a.left(ctx, 0, "key"); err != nil || ctx.Err() == nil {
			t.Errorf("without a limit: %v", err)
		}
	})
}

// A screen that nobody uses ends by itself, and says why on the terminal that it has given back.
func TestTheIdleScreenEnds(t *testing.T) {
	t.Setenv("TERM", "xterm")
	tty, written := terminal(t)
	cfg := config.Default()
	cfg.Demo, cfg.IdleExit = "1x1", 300*time.Millisecond
	began := time.Now()
	err := watch(t.Context(), &cfg, streams{in: tty, out: tty, err: &bytes.Buffer{}}, demo.New(1, 1, 1, time.Second, 0))
	shown := written()
	exit, ours := errors.AsType[*exitError](err)
	if !ours || exit.code != exitOK || exit.err.Error() != "ended after 300ms without a key (nvnodetop config shows where idle_exit is set)" {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took < cfg.IdleExit || took > 10*time.Second || shown == "" {
		t.Errorf("it took %v and wrote %d bytes", took, len(shown))
	}
}

// A page that asks every second is no user who presses a key every second, but never one who is away.
func TestRequestsCountAsFewKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &touched{}
		s := &sparing{feed: from}
		for range 3600 {
			s.Touch()
			time.Sleep(time.Second)
		}
		if n := from.keys.Load(); n != 3 || touchEvery >= ui.IdleAfter {
			t.Errorf("%d keys in an hour of requests", n)
		}
	})
}

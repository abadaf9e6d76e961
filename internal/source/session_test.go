package source

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
)

// told is a Source that emits Events and then follows its orders.
type told struct {
	events []cluster.Event
	then   func(context.Context) error
}

func (s told) Run(ctx context.Context, emit func(cluster.Event)) error {
	for _, e := range s.events {
		emit(e)
	}
	return s.then(ctx)
}

func untilTheEnd(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// Each taker gets each Event, and who waits is woken. Ending a session is no failure of its Source.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		note := func(who string) func(cluster.Event) {
			return func(e cluster.Event) {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, who+e.Node)
			}
		}
		s := StartSession(t.Context(), told{[]cluster.Event{{Node: "1"}, {Node: "2"}}, untilTheEnd}, note("a"), note("b"))
		began := time.Now()
		s.Await(time.Minute, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(got) == 4
		})
		if took := time.Since(began); strings.Join(got, " ") != "a1 b1 a2 b2" || took > 100*time.Millisecond {
			t.Errorf("got %v after %v", got, took)
		}
		if err := s.Stop(time.Second); err != nil {
			t.Errorf("it fails: %v", err)
		}
		if ended, _ := s.Wait(0); !ended || s.Context().Err() == nil {
			t.Error("it goes on")
		}
	})
}

// Who waited for Events that will not come knows why at once.
func TestTheSourceFails(t *testing.T) {
	broken := errors.New("broken")
	for range 100 {
		s := StartSession(t.Context(), told{then: func(context.Context) error { return broken }})
		if s.Await(0, func() bool { return false }); !errors.Is(s.Err(), broken) {
			t.Fatalf("got %v", s.Err())
		}
	}
	s := StartSession(t.Context(), told{then: func(context.Context) error { panic("a source that panics") }})
	if <-s.Done(); !strings.Contains(s.Err().Error(), "session_test.go") {
		t.Errorf("the panic is told as %v", s.Err())
	}
}

// Neither a wait nor the end takes longer than it may.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := told{then: func(context.Context) error { time.Sleep(time.Hour); return nil }}
		cfg := config.Default()
		w := OpenWatch(t.Context(), &cfg, 0, slow)
		began := time.Now()
		w.Settle(nil)
		if took := time.Since(began); took < cfg.Timeout || took > cfg.Timeout+time.Second {
			t.Errorf("Settle took %v of %v", took, cfg.Timeout)
		}
		looks := 0
		w.Each(time.Second, func(*cluster.Snapshot) bool {
			looks++
			return looks < 3
		})
		began = time.Now()
		if err := w.Stop(time.Second); err != nil || looks != 3 || time.Since(began) != time.Second {
			t.Errorf("%v after %v, %d looks", err, time.Since(began), looks)
		}
		time.Sleep(time.Hour)
	})
}

// hears is a wrapped Source that hears its Events.
type hears struct {
	cluster.Source
	heard func(cluster.Event)
}

func (h hears) Unwrap() cluster.Source { return h.Source }
func (h hears) Hear(e cluster.Event)   { h.heard(e) }

// An Event that is not the Source's reaches all who get those of the Source, once, and wakes who waits.
func TestTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		got := map[string]int{}
		note := func(who string) func(cluster.Event) {
			return func(e cluster.Event) {
				mu.Lock()
				defer mu.Unlock()
				got[who+e.Node]++
			}
		}
		from := hears{hears{told{then: untilTheEnd}, note("inner")}, note("outer")}
		s := StartSession(t.Context(), from, note("taker"))
		time.AfterFunc(time.Minute, func() { s.Tell(cluster.Event{Node: "1"}) })
		began := time.Now()
		s.Await(time.Hour, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(got) == 3
		})
		if took := time.Since(began); took > time.Minute+time.Second || got["inner1"] != 1 || got["outer1"] != 1 ||
			got["taker1"] != 1 {
			t.Errorf("got %v after %v", got, took)
		}
		if err := s.Stop(time.Second); err != nil {
			t.Error(err)
		}
	})
}

package poller

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// A probe that hangs in the driver is given up, with the reason, and another is tried.
func TestSilentProbeIsReplaced(t *testing.T) {
	c := newFakeCluster(&fakeNode{quiet: 10 * time.Second})
	watch(t, c, 1, func(m *Manager, r *record) {
		pass(43 * time.Second)
		if c.tries("a") != 1 {
			t.Errorf("%d tries, 34 s after the last report", c.tries("a"))
		}
		pass(4 * time.Second)
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && e.Down.Failure.Class == reach.ClassSilent &&
				e.Down.Failure.Summary() == "no report for 35s"
		}); n != 1 {
			t.Errorf("%d failures of that kind, want one", n)
		}
		if c.tries("a") != 2 {
			t.Errorf("%d tries after the silence, want another", c.tries("a"))
		}
	})
}

// A report that slips in while a silent session is being closed does not hide why.
func TestSilenceIsToldWhateverSlipsIn(t *testing.T) {
	c := newFakeCluster(&fakeNode{quiet: 10 * time.Second, late: true})
	watch(t, c, 1, func(m *Manager, r *record) {
		pass(45 * time.Second)
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && e.Down.Failure.Summary() == "no report for 35s"
		}); n != 1 {
			t.Errorf("%d failures of that kind, want one", n)
		}
	})
}

// A connection that is found dead after half a minute of silence is called that, and not a driver that hangs.
func TestDeadConnectionIsNotCalledSilent(t *testing.T) {
	c := newFakeCluster(&fakeNode{quiet: 10 * time.Second, life: 41 * time.Second})
	watch(t, c, 1, func(m *Manager, r *record) {
		pass(42 * time.Second)
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && e.Down.Failure.Class == reach.ClassClosed
		}); n != 1 {
			t.Errorf("%d failures of the connection, want one", n)
		}
	})
}

func TestUnforeseenErrorsAreShown(t *testing.T) {
	c := newFakeCluster(&fakeNode{fail: func(int) error { return errors.New("the moon is in the way") }})
	watch(t, c, 1, func(m *Manager, r *record) {
		synctest.Wait()
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && e.Down.Failure.Summary() == "the moon is in the way"
		}); n != 1 {
			t.Error("the error did not become a failure")
		}
	})
}

// A panic of ours about one node must not harm the others.
func TestAPanicCostsOneNode(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{fail: func(try int) error { panic("the moon fell down") }}
	c.nodes["b"] = &fakeNode{}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a", "b"})
		pass(10 * time.Second)
		if n := r.count(func(e cluster.Event) bool { return e.Node == "b" && e.Report != nil }); n != 3 {
			t.Errorf("b sent %d reports in 10 s, want 3", n)
		}
		if n := r.count(func(e cluster.Event) bool {
			return e.Node == "a" && e.Down != nil && strings.HasPrefix(e.Down.Failure.Words, "the moon fell down\n")
		}); n < 2 {
			t.Errorf("a said %d times what happened", n)
		}
	})
}

// A panic over a failure is reported in its place, and the other nodes go on.
func TestAPanicOverAFailureCostsOneNode(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{fail: func(int) error { return &reach.Failure{Class: reach.ClassRefused} }}
	c.nodes["b"] = &fakeNode{}
	r := &record{}
	emit := func(e cluster.Event) {
		if e.Down != nil && e.Down.Failure.Class == reach.ClassRefused || e.Gone {
			panic("the moon fell down")
		}
		r.emit(e)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		m := New(Config{Opener: c, Interval: 3 * time.Second, Retries: 2})
		m.SetNodes([]string{"a", "b"})
		m.Run(ctx, emit)
	})
	if n := r.count(func(e cluster.Event) bool {
		return e.Down != nil && e.Down.Failure.Class == reach.ClassLocal
	}); n < 2 || c.tries("a") != n {
		t.Errorf("reported %d times in %d tries", n, c.tries("a"))
	}
	if n := r.count(func(e cluster.Event) bool { return e.Node == "b" && e.Report != nil }); n != 3 {
		t.Errorf("b sent %d reports in 10 s, want 3", n)
	}
}

// The stages of an attempt are those of the connection, and the last one is the poller's own.
func TestAnAttemptTellsItsStages(t *testing.T) {
	c := newFakeCluster(&fakeNode{})
	watch(t, c, 1, func(m *Manager, r *record) {
		synctest.Wait()
		if n := r.count(func(e cluster.Event) bool {
			return e.Try != nil && slices.Equal(e.Try.Stages, []reach.Stage{"name", StageStream})
		}); n != 1 {
			t.Error("the attempt does not list its stages")
		}
	})
}

// A session that ends fails in the stage stream: nothing says any longer that reports come.
func TestTheEndOfAStreamIsItsStage(t *testing.T) {
	c := newFakeCluster(&fakeNode{life: 10 * time.Second})
	watch(t, c, 1, func(m *Manager, r *record) {
		pass(10500 * time.Millisecond)
		end := r.events[len(r.events)-2:]
		want := reach.Step{Stage: StageStream, State: reach.StepFailed, Text: "connection closed",
			Took: 10 * time.Second}
		if end[0].Step == nil || *end[0].Step != want || end[1].Down == nil {
			t.Errorf("the last events are %+v and %+v, want %+v and the failure", end[0], end[1], want)
		}
	})
}

// A probe that refuses the pace would never report: the session ends with its words. Other refusals are answers.
func TestARefusedPaceEndsTheSession(t *testing.T) {
	c := newFakeCluster(&fakeNode{})
	c.answer = func(wire.Request) (wire.Reply, error) { return wire.Reply{Error: "what is a pace?"}, nil }
	watch(t, c, 1, func(m *Manager, r *record) {
		synctest.Wait()
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && e.Down.Failure.Class == reach.ClassGarbage &&
				e.Down.Failure.Words == "what is a pace?"
		}); n != 1 {
			t.Error("the session goes on, or ended for another reason")
		}
	})
}

// A panic beside the stream costs that node's session too, and nothing else.
func TestAPanicWhilePacingCostsOneNode(t *testing.T) {
	c := newFakeCluster(&fakeNode{})
	c.answer = func(wire.Request) (wire.Reply, error) { panic("the moon fell down") }
	watch(t, c, 1, func(m *Manager, r *record) {
		synctest.Wait()
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && strings.HasPrefix(e.Down.Failure.Words, "the moon fell down\n")
		}); n != 1 {
			t.Error("it is not reported")
		}
	})
}

// An attempt that panics before it dials costs its node, not the others their turn to retry.
func TestAPanicBeforeDialingFreesItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFakeCluster()
		c.nodes["a"], c.nodes["b"] = &fakeNode{}, &fakeNode{fail: func(try int) error {
			if try == 1 {
				return &reach.Failure{Class: reach.ClassRefused, Short: "no"}
			}
			return nil
		}}
		ctx, cancel := context.WithCancel(t.Context())
		m, r := New(Config{Opener: c, Interval: 3 * time.Second, Retries: 1}), &record{}
		var wg sync.WaitGroup
		wg.Go(func() {
			m.Run(ctx, func(e cluster.Event) {
				if e.Node == "a" && e.Try != nil {
					panic("an emit that panics")
				}
				r.emit(e)
			})
		})
		m.SetNodes([]string{"a"})
		pass(7 * time.Second) // two attempts
		m.SetNodes([]string{"a", "b"})
		pass(10 * time.Second)
		if n := r.count(func(e cluster.Event) bool { return e.Node == "b" && e.Report != nil }); n == 0 {
			t.Error("the other node was never dialed again")
		}
		cancel()
		wg.Wait()
	})
}

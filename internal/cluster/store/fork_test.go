package store_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/same"
)

// other returns an Event with other values for all GPUs; one GPU is lost.
func other(e cluster.Event) cluster.Event {
	if e.Report == nil {
		return e
	}
	r := *e.Report
	r.GPUs = append([]wire.GPU(nil), r.GPUs...)
	for i := range r.GPUs {
		for _, id := range []metric.ID{metric.Util, metric.Power, metric.Temperature} {
			r.GPUs[i].Values.Set(id, 5)
		}
	}
	r.GPUs[0] = wire.GPU{Index: r.GPUs[0].Index, Lost: "GPU is lost", LostID: wire.LostFellOff}
	e.Report = &r
	return e
}

// A Store and its fork share nothing that either of them changes.
func TestForksAreApart(t *testing.T) {
	const poll = time.Second
	var events []cluster.Event
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		_ = demo.New(4, 8, 1, poll, time.Minute).Run(ctx, func(e cluster.Event) { events = append(events, e) })
	})
	begins := slices.IndexFunc(events, func(e cluster.Event) bool { return e.Discovery != nil })
	job := events[begins].Discovery.Jobs[0].ID
	events = slices.Insert(events, len(events)/2-1, cluster.Event{At: events[len(events)/2-1].At,
		Stacks: &rankstacks.Verdict{Job: job, State: rankstacks.Stuck}})
	feed := func(s *store.Store, events []cluster.Event, as func(cluster.Event) cluster.Event) {
		for _, e := range events {
			s.Apply(as(e))
		}
	}
	unchanged := func(e cluster.Event) cluster.Event { return e }
	empty := func() *store.Store { return store.New(poll, health.Rules(health.Defaults())) }
	first, second := events[:len(events)/2], events[len(events)/2:]
	alone, alike, store := empty(), empty(), empty()
	feed(alone, events, unchanged)
	feed(alike, first, unchanged)
	feed(alike, second, other)
	feed(store, first, unchanged)
	fork := store.Fork()
	for _, e := range second { // both at the same time: neither can repair the other's change
		fork.Apply(other(e))
		store.Apply(e)
	}
	at := events[len(events)-1].At
	if alone.Snapshot(at).Stacks[job] == nil {
		t.Errorf("no stacks of job %s", job)
	}
	if diff := cmp.Diff(alone.Snapshot(at), store.Snapshot(at), same.State); diff != "" {
		t.Errorf("the fork changed its origin:\n%.4000s", diff)
	}
	if diff := cmp.Diff(alike.Snapshot(at), fork.Snapshot(at), same.State); diff != "" {
		t.Errorf("the origin changed its fork:\n%.4000s", diff)
	}
	if cmp.Equal(alone.Snapshot(at), alike.Snapshot(at), same.State) {
		t.Error("both stories are the same")
	}
}

package soak

import (
	"bytes"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// jumps are the jumps of this host's clock, one after the other: a wrong time zone is corrected, NTP answers, a
// suspended machine continues.
var jumps = []time.Duration{-time.Hour, 2 * time.Hour, -10 * time.Minute, 7 * time.Second, -4 * time.Second,
	30 * 24 * time.Hour, -40 * 24 * time.Hour}

// clock is a wall clock that jumps, without the monotonic clock of Go's times: so no code here can rely on that.
type clock struct{ now time.Time }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

// watched is a job on two nodes that is watched and recorded by a clock that jumps.
type watched struct {
	*testing.T
	clock
	store  *store.Store
	file   bytes.Buffer
	writer *recording.Writer
	events int
	seq    uint64
	node   int64 // the clocks of the nodes, which do not jump
}

var watchedNodes = []string{"n1", "n2"}

func newWatched(t *testing.T) *watched {
	w := &watched{
		T: t, clock: clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)},
		store: store.New(poll, health.Rules(health.Defaults())), node: 1e12,
		writer: recording.NewWriter(recording.Header{Program: "soak", Poll: poll, User: "alice", Host: "login1"}),
	}
	if err := w.writer.Begin(&w.file, w.now); err != nil {
		t.Fatal(err)
	}
	w.discover()
	for _, n := range watchedNodes {
		w.apply(cluster.Event{Node: n, Try: &cluster.Try{Interval: poll, Route: reach.Route{Door: "ssh"}}})
		card := wire.Card{UUID: "GPU-" + n, Name: "NVIDIA H100", Minor: new(int)}
		w.apply(cluster.Event{Node: n, Hello: &wire.Hello{Version: wire.Version, Host: n, Driver: "550",
			GPUs: []wire.Card{card}}})
	}
	return w
}

func (w *watched) apply(e cluster.Event) {
	e.At = w.now
	w.events++
	w.store.Apply(e)
	if err := w.writer.Write(e); err != nil {
		w.Fatal(err)
	}
}

func (w *watched) discover() {
	job := cluster.Job{ID: "1", Number: "1", Name: "train", User: "alice", Nodes: watchedNodes,
		Minors: map[string][]int{"n1": {0}, "n2": {0}}}
	w.apply(cluster.Event{Discovery: &cluster.Discovery{Command: "squeue", User: "alice", Host: "login1", Asked: w.now,
		Answered: w.now, Jobs: []cluster.Job{job}}})
}

// report sends the next report of each node.
func (w *watched) report() {
	w.pass(poll)
	w.node += poll.Milliseconds()
	w.seq++
	for _, n := range watchedNodes {
		values := metric.Make(map[metric.ID]float64{metric.Util: 90, metric.Temperature: 60})
		w.apply(cluster.Event{Node: n, Report: &wire.Report{Seq: w.seq, MonoMS: w.node, WallMS: w.node,
			GPUs: []wire.GPU{{Values: values}}}})
	}
}

// anew is the number of reports after which the history follows the clock: until then a jump forward looks like a node
// that is behind.
const anew = 16

// TestTheClockOfThisHostJumps: two reports after a jump the screen is the same as without it, soon the history is too,
// and the recording can be read to the end.
func TestTheClockOfThisHostJumps(t *testing.T) {
	w := newWatched(t)
	for _, jump := range append([]time.Duration{0}, jumps...) {
		w.pass(jump)
		for i := range 240 {
			w.report()
			if i%10 == 0 {
				w.discover()
			}
			if i >= 2 {
				checkAfterJump(t, jump, i, w.store.Snapshot(w.now.Add(time.Second)))
			}
		}
	}
	if err := w.writer.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(t.Context(), bytes.NewReader(w.file.Bytes()), int64(w.file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	if err := r.Run(t.Context(), func(cluster.Event) { read++ }); err != nil || read != w.events {
		t.Errorf("%d of %d Events were read from the recording, %v", read, w.events, err)
	}
}

func checkAfterJump(t *testing.T, jump time.Duration, i int, snap *cluster.Snapshot) {
	t.Helper()
	for _, n := range snap.Nodes {
		if n.State != cluster.NodeReporting || n.Age != time.Second {
			t.Fatalf("%d reports after a jump of %v, %s is %s, and its report %v old", i, jump, n.Name, n.State, n.Age)
		}
		if i < anew {
			continue
		}
		newest := snap.At.UnixNano() / int64(poll)
		for k, v := range n.GPUs[0].History.Tail(nil, metric.Util, newest-1,
			min(i-anew+1, history.Len(poll, 0)-2)) {
			if v != 90 {
				t.Fatalf("%d reports after a jump of %v, value %d of the history of %s is %v", i, jump, k, n.Name, v)
			}
		}
	}
	for _, f := range snap.Jobs[0].Findings {
		if f.Since.After(snap.At) || f.Severity > cluster.Note && f.Holds() {
			t.Fatalf("%d reports after a jump of %v: %+v at %v", i, jump, f, snap.At)
		}
	}
}

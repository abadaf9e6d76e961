package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// xids sends a report with events of a GPU, which happened before seconds earlier.
func (w world) xids(sec, before float64, gpu int, codes ...uint64) {
	r := &wire.Report{MonoMS: int64(sec * 1000), GPUs: []wire.GPU{{Index: 0}, {Index: 1}}}
	for _, code := range codes {
		r.Xids = append(r.Xids, wire.Xid{GPU: gpu, Code: code, MonoMS: r.MonoMS - int64(before*1000)})
	}
	w.Apply(cluster.Event{At: at(sec), Node: "n", Report: r})
}

// TestXidsAreKept: each Xid has the time at which the node got it and the GPU's key. It lasts an hour, through later
// Reports and lost connections. An older Snapshot keeps its own.
func TestXidsAreKept(t *testing.T) {
	w := newWorld()
	w.hello(0, "n", 2)
	w.xids(10, 1.5, 1, 79, 48)
	first := w.node(10, "n").Xids
	want := []cluster.Xid{{At: at(8.5), Code: 79, Key: "n-b"}, {At: at(8.5), Code: 48, Key: "n-b"}}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Fatal(diff)
	}
	w.down(12, "n", "closed")
	w.hello(20, "n", 2)
	w.xids(21, 0, 0, 31)
	want = append(want, cluster.Xid{At: at(21), Code: 31, Key: "n-a"})
	if diff := cmp.Diff(want, w.node(21, "n").Xids); diff != "" {
		t.Error(diff)
	}
	w.xids(cluster.Remember.Seconds()+9, 0, 0)
	if diff := cmp.Diff(want[2:], w.node(cluster.Remember.Seconds()+9, "n").Xids); diff != "" {
		t.Errorf("an hour after the first two: %s", diff)
	}
	w.xids(cluster.Remember.Seconds()+30, 0, 0)
	if got := w.node(cluster.Remember.Seconds()+30, "n").Xids; len(got) != 0 {
		t.Errorf("an hour after the last: %v", got)
	}
	if len(first) != 2 || first[0].Code != 79 {
		t.Errorf("the first Snapshot has changed: %v", first)
	}
}

// TestXidsOfAHostileNode: Xids of unknown GPUs and from the future are harmless, and there are never too many.
func TestXidsOfAHostileNode(t *testing.T) {
	w := newWorld()
	w.hello(0, "n", 2)
	w.xids(5, 0, 9, 13)
	w.xids(6, -100, 0, 13)
	w.xids(7, 1e9, 1, 14)
	got := w.node(7, "n").Xids
	if want := []cluster.Xid{{At: at(6), Code: 13, Key: "n-a"},
		{At: at(7).Add(-cluster.Remember), Code: 14, Key: "n-b"}}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	w.xids(8, 0, 0, make([]uint64, 5000)...)
	if got := w.node(8, "n").Xids; len(got) > wire.MaxXids+2 {
		t.Errorf("%d events of one report", len(got))
	}
	for i := range 10 {
		w.xids(9+float64(i), 0, 0, make([]uint64, wire.MaxXids)...)
	}
	if got := w.node(20, "n").Xids; len(got) != clean.MaxXids || got[0].At.Before(at(17)) {
		t.Errorf("%d events, the oldest at %v", len(got), got[0].At.Sub(at(0)))
	}
	if cluster.Remember != time.Hour {
		t.Errorf("events last %v: say so in the schema", cluster.Remember)
	}
}

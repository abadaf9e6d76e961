package demo

import (
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// stacksOf asks all nodes of the training job, and returns what its ranks do by the function that waits.
func stacksOf(w *world, now time.Duration) map[string]int {
	doing := map[string]int{}
	for _, h := range w.hosts {
		if !h.isTraining() {
			continue
		}
		n := probe{h, w, now}
		var ids []wire.ProcessID
		for _, p := range w.listProcesses(h, now) {
			ids = append(ids, wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks})
		}
		for _, p := range n.answerRequest(&wire.Request{Stacks: &wire.Stacks{Processes: ids}}).Stacks {
			switch {
			case p.Of == 0:
				doing[p.Threads[0].Frames[0].Function]++
			case p.Threads[0].WaitsFor != nil:
				doing[p.Threads[0].WaitsFor.FileSystem]++
			}
		}
	}
	return doing
}

// The job of a demo that hangs does not move: one rank waits for data, and the others for it. The job of another demo
// moves.
func TestTheStacksOfAHang(t *testing.T) {
	hangs := New(4, 8, Seed, 3*time.Second, time.Minute).Hang().world
	for _, at := range []time.Duration{told, told + time.Second, told + time.Hour} {
		if got := stacksOf(hangs, at); got["all_reduce"] != 31 || got["select"] != 1 || got["lustre"] != 2 {
			t.Errorf("after %v: %v", at, got)
		}
	}
	works := New(4, 8, Seed, 3*time.Second, time.Minute).world
	var seen []int
	for i := range 5 {
		seen = append(seen, stacksOf(works, told+time.Duration(i)*time.Second)["all_reduce"])
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) == 1 {
		t.Errorf("as many ranks are in all_reduce at all times: %v", seen)
	}
}

// A process that is not the user's, or has ended, has a reason in place of a stack.
func TestStacksThatNobodyMayRead(t *testing.T) {
	w := New(1, 8, Seed, 3*time.Second, time.Minute).world
	shared := w.hosts[slices.IndexFunc(w.hosts, func(h *host) bool { return h.name == "gpu-s11" })]
	n := probe{shared, w, told}
	list := w.listProcesses(shared, told)
	id := func(i int) wire.ProcessID { return wire.ProcessID{PID: list[i].PID, StartTicks: list[i].StartTicks} }
	got := n.readStacks([]wire.ProcessID{id(0), {PID: 4}})
	if len(got) != 2 || got[0].Refusal.ID != wire.RefusedUser || got[1].Refusal.ID != wire.RefusedGone {
		t.Errorf("%+v", got)
	}
}

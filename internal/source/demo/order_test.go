package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// visit runs a demo of 2 nodes with 8 GPUs, all processes listed, while test runs. look takes a Snapshot some seconds
// later.
func visit(t *testing.T, test func(t *testing.T, d *Demo, look func() *cluster.Snapshot)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := New(2, 8, 1, 3*time.Second, time.Minute)
		d.Look(cluster.EveryNode, true)
		store := store.New(3*time.Second, health.Rules(health.Defaults()))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- d.Run(ctx, store.Apply) }()
		test(t, d, func() *cluster.Snapshot {
			time.Sleep(7 * time.Second)
			synctest.Wait()
			return store.Snapshot(time.Now())
		})
		cancel()
		<-done
	})
}

// on is the process on a GPU of a node; nil: there is none.
func on(s *cluster.Snapshot, node string, gpu int) *wire.Process {
	for i := range s.Nodes[node].Processes {
		if p := &s.Nodes[node].Processes[i]; p.GPU == gpu {
			return p
		}
	}
	return nil
}

func send(t *testing.T, d *Demo, node string, name string, ids ...wire.ProcessID) []wire.Signaled {
	t.Helper()
	reply, err := d.Ask(t.Context(), node,
		wire.Request{ID: 5, Signal: &wire.Signal{Number: wire.SignalNumber(name), Processes: ids}})
	if err != nil || reply.ID != 5 {
		t.Fatalf("%s: %+v, %v", name, reply, err)
	}
	return reply.Signaled
}

func idOf(p *wire.Process) wire.ProcessID {
	return wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks}
}

// A signal ends its process, whose GPU then idles; other signals are refused as on a real node.
func TestSignals(t *testing.T) {
	visit(t, func(t *testing.T, d *Demo, look func() *cluster.Snapshot) {
		s := look()
		own, other, bobs := on(s, "gpu-n01", 2), on(s, "gpu-n01", 3), on(s, "gpu-s11", 0)
		if own == nil || other == nil || bobs == nil || own.User != me || bobs.User != "bob" {
			t.Fatalf("processes: %+v, %+v, %+v", own, other, bobs)
		}
		got := send(t, d, "gpu-n01", "TERM", wire.ProcessID{PID: other.PID, StartTicks: 1}, idOf(own),
			wire.ProcessID{PID: 7})
		want := []wire.Signaled{{PID: other.PID, Error: "has exited, and another process has this PID now",
			ErrorID: "reused"}, {PID: own.PID}, {PID: 7, Error: "has exited", ErrorID: "gone"}}
		if !slices.Equal(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got := send(t, d, "gpu-s11", "KILL", idOf(bobs)); got[0].ErrorID != wire.SignalOtherUser ||
			got[0].Error != "belongs to bob" {
			t.Errorf("bob's: %+v", got)
		}
		s = look()
		if on(s, "gpu-n01", 2) != nil || on(s, "gpu-n01", 3) == nil || on(s, "gpu-s11", 0) == nil {
			t.Errorf("processes now: %+v", s.Nodes["gpu-n01"].Processes)
		}
		if util := s.Nodes["gpu-n01"].GPUs[2].Float(metric.Util); util != 0 {
			t.Errorf("the GPU is busy at %v %%", util)
		}
		if _, err := d.Ask(t.Context(), "gpu-x", wire.Request{Environ: &wire.ProcessID{}}); err == nil {
			t.Error("a node that does not exist answers")
		}
	})
}

// A stopped process uses no GPU until it is continued. Signals for checkpoints leave it running, and only KILL ends it
// while it is stopped.
func TestStopAndContinue(t *testing.T) {
	visit(t, func(t *testing.T, d *Demo, look func() *cluster.Snapshot) {
		id := idOf(on(look(), "gpu-n01", 2))
		for _, step := range []struct {
			signals, state string
			busy           bool
		}{{"USR1", "R", true}, {"STOP", "T", false}, {"TERM", "T", false}, {"CONT", "R", true},
			{"STOP KILL", "", false}} {
			for name := range strings.FieldsSeq(step.signals) {
				send(t, d, "gpu-n01", name, id)
			}
			s := look()
			state := ""
			if p := on(s, "gpu-n01", 2); p != nil {
				state = p.State
			}
			if busy := s.Nodes["gpu-n01"].GPUs[2].Float(metric.Util) > 0; state != step.state || busy != step.busy {
				t.Errorf("after %s: state %q, busy %t", step.signals, state, busy)
			}
		}
	})
}

func TestQuestionsAboutProcesses(t *testing.T) {
	visit(t, func(t *testing.T, d *Demo, look func() *cluster.Snapshot) {
		s := look()
		p, bobs := on(s, "gpu-n01", 2), on(s, "gpu-s11", 0)
		ask := func(node string, r wire.Request) wire.Reply {
			reply, err := d.Ask(t.Context(), node, r)
			if err != nil {
				t.Fatal(err)
			}
			return reply
		}
		id, his := idOf(p), idOf(bobs)
		if e := ask("gpu-n01", wire.Request{Environ: &id}).Environ; e == nil ||
			!slices.Contains(e.Variables, fmt.Sprint("RANK=", p.Rank.Rank)) ||
			!slices.Contains(e.Variables, "SLURM_JOB_ID=48211") {
			t.Errorf("environment: %+v", e)
		}
		if r := ask("gpu-s11", wire.Request{Environ: &his}); r.Environ != nil ||
			!strings.Contains(r.Error, "belongs to bob") {
			t.Errorf("bob's environment: %+v", r)
		}
		if r := ask("gpu-s11", wire.Request{Process: &his}); r.Process == nil || r.Process.User != "bob" ||
			r.Process.Directory != "" {
			t.Errorf("bob's process: %+v", r)
		}
		family := ask("gpu-n01", wire.Request{Family: &wire.Family{PIDs: []int{p.PID}}}).Family
		parents := map[int]int{}
		for _, r := range family {
			parents[r.PID] = r.Parent
		}
		if len(family) != 6 || family[0].Name != "slurmstepd" || parents[p.PID] != p.Parent ||
			parents[parents[p.Parent]] != family[0].PID || parents[p.PID+1] != p.PID {
			t.Errorf("family of %d: %+v", p.PID, family)
		}
		first := ask("gpu-n01", wire.Request{Family: &wire.Family{PIDs: []int{p.PID}}})
		look()
		second := ask("gpu-n01", wire.Request{Family: &wire.Family{PIDs: []int{p.PID}}})
		used := *second.Family[4].CPUTicks - *first.Family[4].CPUTicks // of a process that loads data
		if percent := 1000 * float64(used) / float64(second.ReadMS-first.ReadMS); !(percent > 29 && percent < 33) {
			t.Errorf("a process that loads data uses %.1f%% of a CPU", percent)
		}
		if all := ask("gpu-n01", wire.Request{Family: &wire.Family{PIDs: []int{family[0].PID}}}).Family; len(all) != 3+
			3*8 {
			t.Errorf("the whole step has %d processes", len(all))
		}
	})
}

// A canceled job goes, with its processes and its nodes. A job that only gets a signal stays.
func TestCancel(t *testing.T) {
	visit(t, func(t *testing.T, d *Demo, look func() *cluster.Snapshot) {
		look()
		if err := d.Cancel(t.Context(), "48377_3", "TERM"); err != nil {
			t.Error(err)
		}
		if s := look(); on(s, "gpu-s11", 2) != nil || on(s, "gpu-s11", 0) == nil || len(s.Jobs) != 4 {
			t.Errorf("after TERM: %d jobs, %+v", len(s.Jobs), s.Nodes["gpu-s11"].Processes)
		}
		for _, id := range []string{trainingID, "48377_4", "48390"} {
			if err := d.Cancel(t.Context(), id, ""); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		s := look()
		if over := s.Discovery.Ended; len(over) != 5 || over[0].State != cluster.JobCanceled ||
			over[0].Exit.Signal != 15 {
			t.Errorf("ended: %+v", over)
		}
		if len(s.Jobs) != 2 || s.Jobs[0].ID != "48377_3" || len(s.Nodes) != 1 ||
			slices.ContainsFunc(s.Discovery.Pending, func(j cluster.PendingJob) bool { return j.ID == "48390" }) {
			t.Errorf("jobs %+v, %d nodes, pending %+v", s.Jobs, len(s.Nodes), s.Discovery.Pending)
		}
		if err := d.Cancel(t.Context(), trainingID, ""); err == nil ||
			!strings.Contains(err.Error(), "Invalid job id") {
			t.Errorf("again: %v", err)
		}
		time.Sleep(cycle)
		if s := look(); len(s.Jobs) != 3 {
			t.Errorf("in the next run of the story there are %d jobs", len(s.Jobs))
		}
	})
}

// A question ends with its context, also when the demo does not run or the node is silent.
func TestUnansweredQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := New(1, 1, 1, 3*time.Second, 0).Cancel(ctx, trainingID, ""); err == nil {
			t.Error("a demo that does not run cancels a job")
		}
	})
}

package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// listing sends a report of node a, with a list of processes: that of GPU 1 has failed.
func (w world) listing(sec float64, processes ...wire.Process) {
	w.Apply(cluster.Event{At: at(sec), Node: "a", Report: &wire.Report{
		MonoMS: int64(1000 * sec), GPUs: []wire.GPU{{Index: 0}, {Index: 1, Unlisted: "no permission"}}, Listed: true,
		Processes: processes,
	}})
}

// listed is the PIDs that the node has in a Snapshot, whether they are a list, and why GPU 1 is not in it.
func (w world) listed(sec float64) (pids []int, listed bool, unlisted string) {
	n := w.node(sec, "a")
	for _, p := range n.Processes {
		pids = append(pids, p.PID)
	}
	if len(n.GPUs) == 2 {
		unlisted = n.GPUs[1].Unlisted
	}
	return pids, n.Listed, unlisted
}

// A list of processes stays until the next list, for some minutes at most, and while it can be about the reporting
// node.
func TestListStays(t *testing.T) {
	old := cluster.KeepList.Seconds()
	for _, test := range []struct {
		name  string
		after func(w world)
		sec   float64
		want  []int
		says  string // of GPU 1
	}{
		{"the last report has one", func(world) {}, 0, []int{7, 8}, "no permission"},
		{"the next has none", func(w world) { w.report(3, "a", 1, 1) }, 3, []int{7, 8}, "no permission"},
		{"the next have none", func(w world) { w.report(3, "a", 1, 1); w.report(6, "a", 1, 1) }, 6, []int{7, 8},
			"no permission"},
		{"another list", func(w world) { w.listing(60, wire.Process{PID: 9}) }, 60, []int{9}, "no permission"},
		{"an empty one", func(w world) { w.listing(60) }, 60, nil, "no permission"},
		{"as old as it may be", func(w world) { w.report(old, "a", 1, 1) }, old, []int{7, 8}, "no permission"},
		{"GPU 0 is lost", func(w world) {
			w.Apply(cluster.Event{At: at(3), Node: "a",
				Report: &wire.Report{MonoMS: 3000, GPUs: []wire.GPU{{Index: 0, Lost: "fell off"}, {Index: 1}}}})
		}, 3, []int{8}, "no permission"},
	} {
		w := newWorld()
		w.try(-2, "a")
		w.hello(-1, "a", 2)
		w.listing(0, wire.Process{PID: 7}, wire.Process{PID: 8, GPU: 1})
		before := w.node(0, "a")
		test.after(w)
		got, listed, says := w.listed(test.sec)
		if diff := cmp.Diff(test.want, got); diff != "" || !listed || says != test.says {
			t.Errorf("%s: listed %v, GPU 1 %q, processes (-want +got):\n%s", test.name, listed, says, diff)
		}
		if len(before.Processes) != 2 || before.Processes[0].PID != 7 || before.GPUs[1].Unlisted != "no permission" {
			t.Errorf("%s: the Snapshot before has changed: %+v", test.name, before.Processes)
		}
	}
	for name, after := range map[string]func(w world){
		"too old": func(w world) { w.report(old+1, "a", 1, 1) },
		"a new session": func(w world) {
			w.down(1, "a", "closed")
			w.try(2, "a")
			w.hello(3, "a", 2)
			w.report(4, "a", 1, 1)
		},
		"another Hello": func(w world) { w.hello(3, "a", 2); w.report(4, "a", 1, 1) },
		"none is listed": func(w world) {
			w.Apply(cluster.Event{At: at(3), Node: "a",
				Report: &wire.Report{GPUs: []wire.GPU{{Unlisted: "x"}, {Index: 1}}}})
		},
	} {
		w := newWorld()
		w.try(-2, "a")
		w.hello(-1, "a", 2)
		w.listing(0, wire.Process{PID: 7})
		after(w)
		sec := w.nodes["a"].Arrived.Sub(t0).Seconds()
		if got, listed, _ := w.listed(sec); listed || got != nil {
			t.Errorf("%s: listed %v, %v", name, listed, got)
		}
	}
}

// ranked is a process with a rank of a program of four.
func ranked(pid, rank, gpu int) wire.Process {
	return wire.Process{
		PID: pid, StartTicks: uint64(10 * pid), GPU: gpu, ElapsedSec: new(int64(100)),
		Identity: wire.Identity{Job: "16", Rank: &wire.Rank{Rank: rank, World: new(4), From: "RANK"}},
	}
}

// A rank that ends stays known with its place until its job has ended. A process that turns out to be no rank does not.
func TestSeenRanks(t *testing.T) {
	w := newWorld()
	job := cluster.Job{ID: "2_1", Number: "16", Nodes: []string{"a"}}
	w.jobs(-3, job)
	w.try(-2, "a")
	w.hello(-1, "a", 2)
	other := ranked(9, 0, 0)
	other.Job = "17" // of a job that is not known
	again := ranked(5, 1, 0)
	w.listing(0, other, ranked(5, 1, 1), again, ranked(6, 2, 0))
	seen := func(rank, pid int, key string, number int, began, sec float64) cluster.SeenRank {
		return cluster.SeenRank{Rank: wire.Rank{Rank: rank, World: new(4), From: "RANK"}, Job: "2_1", PID: pid,
			Start: uint64(10 * pid), Key: key, Number: number, Began: at(began), Seen: at(sec)}
	}
	expect := func(name string, sec float64, want ...cluster.SeenRank) {
		t.Helper()
		got := w.node(sec, "a").Ranks
		if len(want) != len(got) {
			t.Fatalf("%s: %+v", name, got)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(cluster.SeenRank{}, cluster.Launch{})); len(want) > 0 &&
			diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	expect("two run", 0, seen(1, 5, "a-b", 1, -100, 0), seen(2, 6, "a-a", 0, -100, 0))
	before := w.node(0, "a")
	w.listing(60, ranked(6, 2, 0))
	expect("one is gone", 60, seen(2, 6, "a-a", 0, -100, 60), seen(1, 5, "a-b", 1, -100, 0))
	w.report(63, "a", 1, 1)
	w.down(64, "a", "closed")
	expect("the node does not report", 300, seen(2, 6, "a-a", 0, -100, 60), seen(1, 5, "a-b", 1, -100, 0))
	w.listing(301, ranked(7, 1, 0), wire.Process{PID: 6, StartTicks: 60})
	expect("one began anew, the other never was one", 301, seen(1, 7, "a-a", 0, 201, 301))
	if before.Ranks[0].PID != 5 || len(before.Ranks) != 2 {
		t.Errorf("the Snapshot before has changed: %+v", before.Ranks)
	}
	w.jobs(302, cluster.Job{ID: "18", Number: "18", Nodes: []string{"a"}})
	expect("the job has ended", 302)
}

// A node cannot make us remember more ranks than there may be, nor ranks that there cannot be.
func TestHostileRanks(t *testing.T) {
	w := newWorld()
	w.jobs(-3, cluster.Job{ID: "1", Number: "16", Nodes: []string{"a"}})
	w.try(-2, "a")
	w.hello(-1, "a", 2)
	bad := ranked(7, 4, 0)
	negative := ranked(8, -1, 0)
	w.listing(0, bad, negative)
	if n := w.node(0, "a"); len(n.Ranks) != 0 || n.Processes[0].Rank != nil || n.Processes[1].Rank != nil {
		t.Errorf("%+v of %+v", n.Ranks, n.Processes)
	}
	for sec := range 3 {
		var list []wire.Process
		for i := range wire.MaxProcesses {
			p := ranked(1+sec*wire.MaxProcesses+i, sec*wire.MaxProcesses+i, 0)
			p.Rank.World, p.ElapsedSec = nil, new(int64(1)<<62)
			list = append(list, p)
		}
		w.listing(float64(sec), list...)
	}
	n := w.node(3, "a")
	if len(n.Ranks) != maxRanks || n.Ranks[0].Rank.Rank != 2*wire.MaxProcesses || n.Ranks[0].Began.After(at(0)) {
		t.Errorf("%d ranks, the first is %+v", len(n.Ranks), n.Ranks[0])
	}
}

// A process is the job's if its cgroup or its environment says so, otherwise if its GPU is.
func TestRuns(t *testing.T) {
	n := &cluster.Node{Name: "a", GPUs: []cluster.GPU{{GPU: &wire.GPU{Index: 0}, Number: 4},
		{GPU: &wire.GPU{Index: 1}, Number: 5}}}
	j := &cluster.Job{Number: "16", Minors: map[string][]int{"a": {4}}}
	for _, test := range []struct {
		job  string
		gpu  int
		want bool
	}{{"16", 1, true}, {"17", 0, false}, {"", 0, true}, {"", 1, false}, {"", 9, false}} {
		if got := j.Runs(n, &wire.Process{GPU: test.gpu, Identity: wire.Identity{Job: test.job}}); got != test.want {
			t.Errorf("a process of job %q on GPU %d: %v", test.job, test.gpu, got)
		}
	}
	if hosts := (&cluster.Job{}); !hosts.Runs(n, &wire.Process{GPU: 1, Identity: wire.Identity{Job: "17"}}) {
		t.Error("without SLURM all processes count")
	}
}

package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Only a proof makes GPUs a job's: indices that can be minor numbers, or the job's own cgroup.
func TestShare(t *testing.T) {
	const unknown = "?"
	for _, tc := range []struct {
		name       string
		cgroup     string
		minors     []int // nil: SLURM does not say which
		count      int   // if so; -1: nor how many
		configured int   // -1: not known
		list       string
		want       string // indices in the list of the job's GPUs
		missing    int
	}{
		{"indices of a whole node", "", []int{2, 3}, -1, 4, "0 1 2 3", "23", 0},
		{"configuration not known", "", []int{2, 3}, -1, -1, "0 1 2 3", "23", 0},
		{"nvidia1 to 3", "", []int{0, 1}, -1, 3, "1 2 3", unknown, 0},
		{"nvidia1 to 3, one that SLURM does not have", "", []int{0, 1}, -1, 3, "0 1 2 3", unknown, 0},
		{"nvidia1 to 3, all of them", "", []int{0, 1, 2}, -1, 3, "1 2 3", "012", 0},
		{"nvidia1 to 3, in the cgroup", "1", []int{0, 1}, -1, 3, "1 2", "01", 0},
		{"nvidia1 to 3, in the cgroup, the last", "1", []int{2}, -1, 3, "3", "0", 0},
		{"nvidia1 to 3, in the cgroup, one is missing", "1", []int{0, 1}, -1, 3, "2", "0", 1},
		{"nvidia1 to 3, in the cgroup of another job", "9", []int{2}, -1, 3, "3", unknown, 0},
		{"in the cgroup, which hides nothing", "1", []int{2, 3}, -1, 4, "0 1 2 3", "23", 0},
		{"in the cgroup, one lost", "1", []int{2, 3}, -1, 4, "x 3", "01", 0},
		{"one fell off", "", []int{2, 3}, -1, 4, "0 1 3", "2", 1},
		{"an index beyond the configuration", "", []int{4}, -1, 4, "0 1 2 3", unknown, 0},
		{"counted, not named", "", nil, 2, 4, "0 1 2 3", unknown, 0},
		{"counted, all of the node", "", nil, 4, 4, "0 1 2 3", "0123", 0},
		{"counted, in the cgroup", "1", nil, 2, 4, "1 3", "01", 0},
		{"counted, in the cgroup, one is missing", "1", nil, 2, 4, "3", "0", 1},
		{"counted, in a cgroup that hides nothing", "1", nil, 2, 4, "0 1 2 3", unknown, 0},
		{"counted, configuration not known", "", nil, 4, -1, "0 1 2 3", unknown, 0},
		{"not counted, in the cgroup", "1", nil, -1, 4, "1 3", unknown, 0},
		{"none", "", []int{}, -1, 4, "0 1 2 3", "", 0},
		{"none, counted", "", nil, 0, 4, "0 1 2 3", "", 0},
		{"MIG", "", []int{2, 3}, -1, 4, "0 1 2 3 mig", unknown, 0},
		{"MIG, in the cgroup", "1", []int{2}, -1, 4, "0 mig", unknown, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := strings.TrimSuffix(tc.list, " mig")
			hello := &wire.Hello{Job: tc.cgroup, GPUs: cards(list)}
			hello.GPUs[0].MIG = list != tc.list
			job := cluster.Job{ID: "1", Number: "1", Nodes: []string{"a"}}
			if tc.minors != nil {
				job.Minors = map[string][]int{"a": tc.minors}
			}
			if tc.count >= 0 {
				job.Counts = map[string]int{"a": tc.count}
			}
			if tc.configured >= 0 {
				job.Configured = map[string]int{"a": tc.configured}
			}
			w := newWorld()
			w.jobs(0, job)
			w.try(0, "a")
			w.Apply(cluster.Event{At: at(0), Node: "a", Hello: hello})
			w.report(0, "a", 1, 2, 3, 4)
			n := w.node(0, "a")
			got, share := "", job.Share(n)
			for i := range n.GPUs {
				if job.Owns(n, &n.GPUs[i]) {
					got += fmt.Sprint(n.GPUs[i].Card.Index)
				}
			}
			if !share.Known && len(got) == len(n.GPUs) {
				got = unknown
			}
			if missing := job.Missing(n).Count; got != tc.want || missing != tc.missing {
				t.Errorf("owns %q, %d missing; want %q, %d", got, missing, tc.want, tc.missing)
			}
		})
	}
}

// Before SLURM has answered which GPUs a job has, it has none of a node that has more than the job requests.
func TestShareBeforeItIsTold(t *testing.T) {
	for count, want := range map[int]int{2: 0, 4: 4} {
		w := newWorld()
		w.jobs(0, cluster.Job{ID: "1", Number: "1", Nodes: []string{"a"}, Counts: map[string]int{"a": count}, Asking: true})
		w.try(0, "a")
		w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{GPUs: cards("0 1 2 3")}})
		w.report(0, "a", 1, 2, 3, 4)
		j := &w.Snapshot(at(0)).Jobs[0]
		if j.GPUs != count || j.GPUsSeen != want {
			t.Errorf("%d requested: %d GPUs, %d of them seen", count, j.GPUs, j.GPUsSeen)
		}
	}
}

// In the cgroup of an unknown job no GPU is missing, hidden by a certain job, or numbered by its place: all may be
// hidden.
func TestCgroupOfAnUnknownJob(t *testing.T) {
	for _, tc := range []struct {
		minors    []int
		list      string
		hidden    bool
		unnumbers int // GPUs without a number
	}{
		{[]int{0, 1, 2, 3}, "0 1 2 3", false, 0},
		{[]int{0, 1, 2, 3}, "0 1 2", true, 0},
		{[]int{2, 3}, "0 1", true, 0},
		{[]int{2, 3}, "", true, 0},
		{[]int{2, 3}, "3 x", true, 1},
		{[]int{0, 1, 2, 3}, "0 1 2 x", true, 1},
		{[]int{}, "0 1", false, 0},
	} {
		job := cluster.Job{ID: "1", Number: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": tc.minors},
			Configured: map[string]int{"a": 4}}
		w := newWorld()
		w.jobs(0, job)
		w.try(0, "a")
		w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{SLUID: "sEKNKTV3WPV500", GPUs: cards(tc.list)}})
		w.report(0, "a", 1, 2, 3, 4)
		n := w.node(0, "a")
		if m := job.Missing(n); m.Count > 0 || m.Hidden || job.OtherCgroup(n) {
			t.Errorf("%+v: %+v, in the cgroup of another job: %v", tc, m, job.OtherCgroup(n))
		}
		if got := job.MayBeHidden(n); got != tc.hidden {
			t.Errorf("%+v: GPUs may be hidden: %v", tc, got)
		}
		got := 0
		for i := range n.GPUs {
			if n.GPUs[i].Number == cluster.NoNumber {
				got++
			}
		}
		if got != tc.unnumbers {
			t.Errorf("%+v: %d without a number", tc, got)
		}
	}
}

func TestOtherCgroup(t *testing.T) {
	for _, tc := range []struct {
		cgroup     string
		minors     []int
		configured int // 0: not known
		list       string
		want       bool
	}{
		{"9", []int{2, 3}, 4, "0 1 2", true},
		{"9", []int{2, 3}, 4, "0 1 2 3", false}, // it hides nothing
		{"9", []int{2, 3}, 0, "0 1 2 3", false},
		{"9", []int{2, 3}, 0, "0 1 2", true},
		{"9", []int{}, 4, "0 1 2", false},
		{"9", nil, 4, "0", true},
		{"1", []int{2, 3}, 4, "2", false},
		{"", []int{2, 3}, 4, "2", false},
	} {
		job := cluster.Job{ID: "1", Number: "1"}
		if tc.minors != nil {
			job.Minors = map[string][]int{"a": tc.minors}
		}
		if tc.configured > 0 {
			job.Configured = map[string]int{"a": tc.configured}
		}
		w := oneNode()
		w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{Job: tc.cgroup, GPUs: cards(tc.list)}})
		w.report(0, "a", 1, 2, 3, 4)
		n := w.node(0, "a")
		if got := job.OtherCgroup(n); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

// processes lists one process for each GPU of a node with four; the job has the last two.
func processes(t *testing.T, list ...wire.Process) (*cluster.Node, *cluster.Job) {
	t.Helper()
	w := newWorld()
	job := cluster.Job{ID: "1", Number: "1", User: "alice", Nodes: []string{"a"}, Minors: map[string][]int{"a": {2, 3}}}
	w.jobs(0, job)
	w.try(0, "a")
	w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{GPUs: cards("0 1 2 3")}})
	for i := range list {
		list[i].PID = i + 1
	}
	w.Apply(cluster.Event{At: at(100), Node: "a", Report: &wire.Report{Seq: 1, GPUs: make([]wire.GPU, 4), Listed: true,
		Processes: list}})
	return w.node(100, "a"), &job
}

func pids(list []*wire.Process) (out []int) {
	for _, p := range list {
		out = append(out, p.PID)
	}
	return out
}

func TestStrangers(t *testing.T) {
	who := func(gpu int, kind, user, job string, uid int) wire.Process {
		return wire.Process{GPU: gpu, Type: kind, Identity: wire.Identity{User: user, Job: job, UID: &uid}}
	}
	n, job := processes(t,
		who(2, "C", "alice", "1", 1001), // its own
		who(2, "C", "alice", "7", 1001), // 2: of another job of the same user
		who(3, "C", "bob", "", 1002),    // 3: of another user
		who(3, "C", "alice", "", 1001),  // perhaps its own
		who(3, "C", "1001", "", 1001),   // perhaps its own: the node does not know the name
		who(0, "C", "bob", "8", 1002),   // not on its GPUs
		who(3, "C", "root", "", 0),      // of the node
		who(3, "G", "gdm", "", 120),     // it draws
		wire.Process{GPU: 3, Type: "C"}, // hidden by /proc
	)
	if got := pids(job.Strangers(n)); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("strangers %v, want 2 and 3", got)
	}
	job.Minors = nil
	if got := job.Strangers(n); got != nil {
		t.Errorf("strangers %v on GPUs that may not be the job's", pids(got))
	}
}

func TestOrphans(t *testing.T) {
	who := func(user, job string, mib uint64, elapsed int64) wire.Process {
		return wire.Process{GPUMemory: new(mib << 20), ElapsedSec: &elapsed,
			Identity: wire.Identity{User: user, Job: job}}
	}
	unknown := who("alice", "7", 500, 90)
	unknown.GPUMemory = nil
	n, job := processes(t,
		who("alice", "1", 500, 90), // it runs
		who("alice", "7", 500, 90), // 2
		who("alice", "7", 15, 90),  // only a context
		who("bob", "8", 500, 90),   // jobs that are not listed
		who("alice", "", 500, 90),  // of no job
		who("alice", "9", 500, 10), // newer than the list
		unknown,
	)
	d := &cluster.Discovery{User: "alice", Answered: at(50), Jobs: []cluster.Job{*job}}
	if got := pids(n.Orphans(d)); !slices.Equal(got, []int{2}) {
		t.Errorf("orphans %v, want 2", got)
	}
	if d.Others = []string{"7"}; n.Orphans(d) != nil {
		t.Error("orphans of a job that runs, since another one was asked for")
	}
	d.Others = nil
	for _, d := range []*cluster.Discovery{{}, {Answered: at(50)}, {User: "alice"}} {
		if got := n.Orphans(d); got != nil {
			t.Errorf("%+v: orphans %v", d, pids(got))
		}
	}
	if d.Answered = at(50).Add(-time.Hour); n.Orphans(d) != nil {
		t.Error("orphans, of a list of jobs that is older than the processes")
	}
}

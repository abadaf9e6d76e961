package feed

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// oneNode is a Store after the Hello of the only node of a job, which has n GPUs.
func oneNode(n int, minors map[string][]int) (*store.Store, time.Time) {
	now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	s := store.New(time.Second, health.Rules(health.Defaults()))
	slurmSays(s, now, minors)
	hello := &wire.Hello{}
	for i := range n {
		hello.GPUs = append(hello.GPUs, wire.Card{Index: i, UUID: string(rune('a' + i)), Minor: new(i)})
	}
	s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: time.Second}})
	s.Apply(cluster.Event{At: now, Node: "n1", Hello: hello})
	return s, now
}

// slurmSays applies a Discovery of one job. Without minors it is still asking for them.
func slurmSays(s *store.Store, at time.Time, minors map[string][]int) {
	jobs := []cluster.Job{{ID: "1", Number: "1", Nodes: []string{"n1"}, Minors: minors}}
	s.Apply(cluster.Event{At: at, Discovery: &cluster.Discovery{Asked: at, Answered: at, Jobs: jobs,
		Asking: minors == nil}})
}

// A GPU is missing also if SLURM says only after the report which GPUs the job has.
func TestOnceFindsWhatIsMissingAfterTheReport(t *testing.T) {
	s, now := oneNode(1, nil)
	s.Apply(cluster.Event{At: now, Node: "n1", Report: &wire.Report{}})
	if tally.Settled(s.Snapshot(now)) {
		t.Error("settled while SLURM is asked for the GPUs")
	}
	slurmSays(s, now, map[string][]int{"n1": {0, 1}})
	snap := s.Snapshot(now)
	if err := Verdict(snap); !tally.Settled(snap) || err == nil {
		t.Errorf("settled %v, exit code of %v", tally.Settled(snap), err)
	}
}

// While a GPU has no values because a call has not returned, --once waits: it may be hung. If there is no more time,
// this is a failure.
func TestOnceWaitsForAGPUThatMayHang(t *testing.T) {
	values := metric.Make(map[metric.ID]float64{metric.Util: 50})
	for name, tc := range map[string]struct {
		gpu     wire.GPU
		minors  []int
		settled bool
		says    string
	}{
		"a call is out": {wire.GPU{HangsMS: 250}, []int{0}, false,
			"exit code 1: no answer from the driver: n1 GPU0"},
		"its turn is later": {wire.GPU{Reading: true, Unlisted: "the driver does not respond"}, []int{0}, false,
			"exit code 1: no answer from the driver: n1 GPU0"},
		"it hangs":      {wire.GPU{HangsMS: 10_000}, []int{0}, true, "exit code 1: critical: n1 GPU0 (hung)"},
		"it has values": {wire.GPU{HangsMS: 250, Values: values, AgeMS: 1000}, []int{0}, true, ""},
		"it is lost": {wire.GPU{HangsMS: 250, Lost: "x", LostID: wire.LostReset}, []int{0}, true,
			"exit code 1: critical: n1 GPU0 (lost)"},
		"no values, no call": {wire.GPU{}, []int{0}, true, ""},
		"another job's GPU":  {wire.GPU{HangsMS: 250}, []int{1}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, now := oneNode(2, map[string][]int{"n1": tc.minors})
			s.Apply(cluster.Event{At: now, Node: "n1", Report: &wire.Report{GPUs: []wire.GPU{tc.gpu}}})
			snap := s.Snapshot(now)
			says := ""
			if err := Verdict(snap); err != nil {
				says = err.Error()
			}
			if tally.Settled(snap) != tc.settled || says != tc.says {
				t.Errorf("settled %v, %q, want %v, %q", tally.Settled(snap), says, tc.settled, tc.says)
			}
			if waits := waitingFor(snap, 80); (waits == "") != tc.settled || waits != "" &&
				waits != "waiting for the driver: n1 GPU0" {
				t.Errorf("it says %q", waits)
			}
		})
	}
}

// A node that no job has any more, and that is not gone yet, is neither waited for nor a failure.
func TestOnceIgnoresADroppedNode(t *testing.T) {
	s, now := oneNode(1, map[string][]int{"n1": {0}})
	s.Apply(cluster.Event{At: now, Node: "n1", Report: &wire.Report{}})
	s.Apply(cluster.Event{At: now, Node: "n2", Try: &cluster.Try{Interval: time.Second}})
	snap := s.Snapshot(now)
	if err := Verdict(snap); !tally.Settled(snap) || err != nil {
		t.Errorf("settled %v, exit code of %v", tally.Settled(snap), err)
	}
}

// A printout waits for the names of users, but not for long: on a busy node they come with the next report, or with
// none.
func TestOnceWaitsForTheUsersOfProcesses(t *testing.T) {
	s, now := oneNode(1, map[string][]int{"n1": {0}})
	values := []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Util: 50})}}
	list := func(at time.Time, p wire.Process) *cluster.Snapshot {
		s.Apply(cluster.Event{At: at, Node: "n1", Report: &wire.Report{GPUs: values, Listed: true,
			Processes: []wire.Process{p}}})
		return s.Snapshot(at)
	}
	var whole tally.Settling
	if whole.Over(list(now, wire.Process{PID: 7, StartTicks: 70})) {
		t.Error("printed without the name of the user")
	}
	later := now.Add(3 * time.Second)
	for name, p := range map[string]wire.Process{
		"named":                {PID: 7, StartTicks: 70, Identity: wire.Identity{User: "alice"}},
		"hidden":               {PID: 7},
		"in another container": {PID: 7, StartTicks: 70, Identity: wire.Identity{Foreign: true}},
	} {
		if !whole.Over(list(later, p)) {
			t.Errorf("a process that is %s is waited for", name)
		}
	}
	if whole.Over(list(later, wire.Process{PID: 7, StartTicks: 70})) ||
		!whole.Over(list(now.Add(tally.Patience), wire.Process{PID: 7, StartTicks: 70})) {
		t.Error("the wait for a name does not end after tally.Patience")
	}
}

// A printout waits for a second report, but not from a node that has failed or gone silent since, nor if the user wants
// the first. A report off the beat, right after the first, does not count.
func TestOnceWaitsForASecondReport(t *testing.T) {
	report := func(s *store.Store, at time.Time) {
		s.Apply(cluster.Event{At: at, Node: "n1",
			Report: &wire.Report{GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Util: 50})}}}})
	}
	s, now := oneNode(1, map[string][]int{"n1": {0}})
	twice, first := tally.Settling{Second: time.Second}, tally.Settling{}
	report(s, now)
	if twice.Over(s.Snapshot(now)) || !first.Over(s.Snapshot(now)) {
		t.Error("one report is not enough, unless it is all that is wanted")
	}
	report(s, now.Add(100*time.Millisecond))
	later := s.Snapshot(now.Add(800 * time.Millisecond))
	if early := twice.Early(later); twice.Over(later) || len(early) != 1 ||
		waitingForSecond(early) != "waiting for a second sample: n1" {
		t.Errorf("a report off the beat counts: %v", early)
	}
	failed := s.Fork()
	failed.Apply(cluster.Event{At: now.Add(900 * time.Millisecond), Node: "n1",
		Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed, Short: "connection closed"}}})
	snap := failed.Snapshot(now.Add(900 * time.Millisecond))
	if err := Verdict(snap); !twice.Over(snap) || err == nil || len(snap.NotChecked) != 0 {
		t.Errorf("a node that has failed since is waited for; %v, not checked %v", err, snap.NotChecked)
	}
	report(s, now.Add(time.Second))
	if !twice.Over(s.Snapshot(now.Add(time.Second))) {
		t.Error("the second report is there, and is waited for")
	}
}

// A printout waits a little for a GPU that is still being read: a list without its processes says that no known user
// has it.
func TestOnceWaitsForAGPUThatIsRead(t *testing.T) {
	s, now := oneNode(1, map[string][]int{"n1": {0}})
	values := metric.Make(map[metric.ID]float64{metric.Util: 50})
	report := func(at time.Time, g wire.GPU) *cluster.Snapshot {
		s.Apply(cluster.Event{At: at, Node: "n1", Report: &wire.Report{Listed: g.Unlisted == "", GPUs: []wire.GPU{g}}})
		return s.Snapshot(at)
	}
	var whole tally.Settling
	reading := wire.GPU{Values: values, AgeMS: 300, Reading: true, Unlisted: "the driver does not respond"}
	if whole.Over(report(now, reading)) {
		t.Error("printed while the GPU is read")
	}
	if !whole.Over(report(now.Add(time.Second), wire.GPU{Values: values, Unlisted: "Insufficient Permissions"})) {
		t.Error("a list that the driver refuses is waited for")
	}
	if whole.Over(report(now.Add(2*time.Second), reading)) || !whole.Over(report(now.Add(tally.Patience), reading)) {
		t.Error("the wait for a GPU does not end after tally.Patience")
	}
}

// A printout waits for the switches of nodes, but not for long, and as long as allowed for the GPUs of jobs.
func TestOnceWaitsALittleForTheTopology(t *testing.T) {
	snap := func(at time.Duration, d cluster.Discovery) *cluster.Snapshot {
		d.Asked = time.Unix(1, 0)
		return &cluster.Snapshot{At: time.Unix(2, 0).Add(at), Discovery: d}
	}
	topology, all := cluster.Discovery{Topology: true}, cluster.Discovery{}
	var whole tally.Settling
	if whole.Over(snap(0, cluster.Discovery{Asking: true, Topology: true})) || whole.Over(snap(time.Minute, topology)) {
		t.Error("printed without the switches")
	}
	if whole.Over(snap(time.Minute+tally.Patience-time.Second, topology)) ||
		!whole.Over(snap(time.Minute+tally.Patience, topology)) {
		t.Error("the wait for the switches does not end after tally.Patience")
	}
	if whole = (tally.Settling{}); whole.Over(snap(0, topology)) || !whole.Over(snap(time.Second, all)) {
		t.Error("the switches are there, and are waited for")
	}
}

package store

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var t0 = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

// world applies events at seconds after t0.
type world struct{ *Store }

func newWorld() world { return world{New(3*time.Second, fewRules)} }

func at(sec float64) time.Time { return t0.Add(time.Duration(sec * float64(time.Second))) }

func (w world) jobs(sec float64, jobs ...cluster.Job) {
	w.Apply(cluster.Event{At: at(sec), Discovery: &cluster.Discovery{Command: "squeue", Answered: at(sec),
		Asked: at(sec), Jobs: jobs}})
}

func (w world) try(sec float64, node string) {
	w.Apply(cluster.Event{At: at(sec), Node: node, Try: &cluster.Try{Interval: 3 * time.Second}})
}

func (w world) hello(sec float64, node string, gpus int) {
	h := &wire.Hello{Host: node, Driver: "550.54"}
	for i := range gpus {
		h.GPUs = append(h.GPUs, wire.Card{
			Index: i, UUID: node + "-" + string(rune('a'+i)), Minor: new(i),
			Values: metric.Make(map[metric.ID]float64{metric.SMClockMax: 1980, metric.MemoryTotal: 400}),
		})
	}
	w.Apply(cluster.Event{At: at(sec), Node: node, Hello: h})
}

// report sends one sample: the utilization of each GPU; -1 is absent.
func (w world) report(sec float64, node string, util ...int) {
	r := &wire.Report{MonoMS: 1000 + int64(sec*1000)}
	for i, u := range util {
		g := wire.GPU{Index: i}
		if u >= 0 {
			g.Values.Set(metric.Util, float64(u))
		}
		r.GPUs = append(r.GPUs, g)
	}
	w.Apply(cluster.Event{At: at(sec), Node: node, Report: r})
}

func (w world) down(sec float64, node string, class reach.Class) {
	w.Apply(cluster.Event{At: at(sec), Node: node,
		Down: &cluster.Down{Failure: reach.Failure{Class: class, Short: "no"},
			Retry: at(sec + 1)}})
}

func (w world) node(sec float64, name string) *cluster.Node { return w.Snapshot(at(sec)).Nodes[name] }

func TestNodeStates(t *testing.T) {
	w := newWorld()
	expect := func(sec float64, want cluster.NodeState, since float64) {
		t.Helper()
		n := w.node(sec, "a")
		if n.State != want || !n.Since.Equal(at(since)) {
			t.Errorf("at %g s: %s since %v, want %s since %v", sec, n.State, n.Since.Sub(t0), want, at(since).Sub(t0))
		}
	}
	w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"a"}})
	expect(1, cluster.NodeConnecting, 0)
	w.try(2, "a")
	expect(3, cluster.NodeConnecting, 2)
	w.down(4, "a", reach.ClassRefused)
	expect(5, cluster.NodeFailed, 4)
	w.try(5, "a")
	expect(5.5, cluster.NodeFailed, 4)
	w.down(6, "a", reach.ClassRefused)
	expect(7, cluster.NodeFailed, 4)
	w.try(7, "a")
	w.hello(8, "a", 2)
	expect(8, cluster.NodeFailed, 4)
	w.report(9, "a", 50, 60)
	expect(10, cluster.NodeReporting, 9)
	w.report(12, "a", 50, 60)
	expect(21, cluster.NodeReporting, 9)
	expect(21.1, cluster.NodeStale, 12)
	w.report(30, "a", 1, 2)
	expect(31, cluster.NodeReporting, 9)
	w.down(32, "a", reach.ClassClosed)
	expect(33, cluster.NodeStale, 30)
	expect(51, cluster.NodeFailed, 30) // since its last numbers
	w.Apply(cluster.Event{At: at(95), Node: "a", Gone: true})
	expect(96, cluster.NodeConnecting, 0)
}

func TestDoctorKeepsTheStepsOfTheFailedAttempt(t *testing.T) {
	w := newWorld()
	step := func(sec float64, stage reach.Stage, state reach.StepState) {
		w.Apply(cluster.Event{At: at(sec), Node: "a", Step: &reach.Step{Stage: stage, State: state}})
	}
	w.try(0, "a")
	step(0, "name", reach.StepBegan)
	step(1, "name", reach.StepDone)
	step(1, "TCP", reach.StepBegan)
	step(2, "TCP", reach.StepFailed)
	w.down(2, "a", reach.ClassRefused)
	w.try(3, "a")
	step(3, "name", reach.StepBegan)
	n := w.node(3, "a")
	var got []string
	for _, s := range n.Steps {
		got = append(got, string(s.Stage)+" "+string(s.State))
	}
	if want := "name done, TCP failed"; strings.Join(got, ", ") != want {
		t.Errorf("steps %v, want %s", got, want)
	}
	if n.Tries != 2 || len(n.Attempts) != 1 || n.Attempts[0].Took != 2*time.Second {
		t.Errorf("%d tries, attempts %+v", n.Tries, n.Attempts)
	}
	if !n.RetryAt.IsZero() {
		t.Errorf("a retry is planned while one is under way")
	}
}

// The numbers of a node that lost its session stay for 20 s, or for 3 polls if these are longer. A single Node equals
// the node of a Snapshot.
func TestNode(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"n\a1"}})
	w.try(0, "n\a1")
	w.hello(1, "n\a1", 2)
	w.report(2, "n\a1", 10, 20)
	for _, sec := range []float64{2, 30} {
		want := w.Snapshot(at(sec)).Nodes["n?1"]
		if got := w.Node("n\a1", at(sec)); want == nil || got.State != want.State || got.Age != want.Age ||
			len(got.GPUs) != len(want.GPUs) {
			t.Errorf("after %v s: %+v, want %+v", sec, got, want)
		}
	}
	if n := w.Node("n2", at(2)); n != nil {
		t.Errorf("a node that no Event was about is %+v", n)
	}
}

func TestNumbersStayAfterALoss(t *testing.T) {
	for _, test := range []struct {
		poll        time.Duration
		stay, leave float64
	}{
		{time.Second, 20, 20.1}, {3 * time.Second, 20, 20.1}, {30 * time.Second, 90, 90.1},
	} {
		w := newWorld()
		w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: test.poll}})
		w.hello(0, "a", 1)
		w.report(0, "a", 1)
		w.down(0, "a", reach.ClassClosed)
		for _, want := range []struct {
			after float64
			state cluster.NodeState
			gpus  int
		}{
			{test.stay, cluster.NodeStale, 1}, {test.leave, cluster.NodeFailed, 0},
		} {
			if n := w.node(want.after, "a"); n.State != want.state || len(n.GPUs) != want.gpus {
				t.Errorf("a poll of %v, %g s after: %s with %d GPUs, want %s with %d", test.poll, want.after, n.State,
					len(n.GPUs), want.state, want.gpus)
			}
		}
	}
}

// A Snapshot never changes, whatever happens afterwards.
func TestSnapshotsDoNotChange(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"a"}})
	w.try(0, "a")
	w.hello(0, "a", 4)
	for i := range history.Len(poll, 0) + 10 {
		w.report(float64(3*i), "a", i%100, 2, 3, 4)
	}
	snap := w.Snapshot(at(800))
	before := picture(t, snap)
	for i := range 3 * history.Len(poll, 0) {
		w.report(float64(800+3*i), "a", 99, 98, 97, 96)
	}
	w.down(9000, "a", reach.ClassClosed)
	w.jobs(9001)
	if after := picture(t, snap); after != before {
		t.Error("the Snapshot changed")
	}
}

func picture(t *testing.T, s *cluster.Snapshot) string {
	t.Helper()
	var b strings.Builder
	for _, g := range s.Nodes["a"].GPUs {
		b.WriteString(kept(g.History, metric.Util) + "\n")
	}
	for _, j := range s.Jobs {
		b.WriteString(j.ID + "\n")
	}
	b.WriteString(string(s.Nodes["a"].State))
	return b.String()
}

func TestGPUsAreNumberedByMinorAndKeyedByUUID(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	// inside a job's cgroup NVML's index 0 and 1 are the devices 2 and 0
	w.Apply(cluster.Event{At: at(0), Node: "a",
		Hello: &wire.Hello{GPUs: []wire.Card{{Index: 0, UUID: "x", Minor: new(2)},
			{Index: 1, UUID: "y", Minor: new(0)}}}})
	w.report(0, "a", 22, 33)
	gpus := w.node(0, "a").GPUs
	if gpus[0].Number != 0 || gpus[0].Key != "y" || gpus[0].Float(metric.Util) != 33 || gpus[1].Number != 2 ||
		gpus[1].Float(metric.Util) != 22 {
		t.Errorf("got %+v", gpus)
	}
	// the next session sees them in another order: histories follow the UUID
	w.Apply(cluster.Event{At: at(1), Node: "a",
		Hello: &wire.Hello{GPUs: []wire.Card{{Index: 0, UUID: "y", Minor: new(0)},
			{Index: 1, UUID: "x", Minor: new(2)}}}})
	w.report(3, "a", 34, 23)
	gpus = w.node(3, "a").GPUs
	if got := kept(gpus[0].History, metric.Util) + "; " + kept(gpus[1].History, metric.Util); got != "33 34; 22 23" {
		t.Errorf("histories %s", got)
	}
}

// A sample belongs to the GPU with its index, wherever it stands in the report. A GPU without a sample has no values.
func TestSamplesAreFoundByIndex(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 3)
	r := &wire.Report{GPUs: []wire.GPU{{Index: 2}, {Index: 0}}}
	r.GPUs[0].Values.Set(metric.Util, 22)
	r.GPUs[1].Values.Set(metric.Util, 20)
	w.Apply(cluster.Event{At: at(0), Node: "a", Report: r})
	gpus := w.node(0, "a").GPUs
	if gpus[0].Float(metric.Util) != 20 || !gpus[1].Values.Empty() || gpus[2].Float(metric.Util) != 22 {
		t.Errorf("got %+v", gpus)
	}
}

func TestOneUUIDTwice(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{GPUs: []wire.Card{{Index: 0, UUID: "x"},
		{Index: 1, UUID: "x"}}}})
	w.report(0, "a", 1, 5)
	w.report(3, "a", 2, 6)
	gpus := w.node(3, "a").GPUs
	if got := kept(gpus[0].History, metric.Util) + "; " + kept(gpus[1].History, metric.Util); got != "1 2; 5 6" {
		t.Errorf("histories %s", got)
	}
}

func TestJobCounts(t *testing.T) {
	w := newWorld()
	w.jobs(0,
		cluster.Job{ID: "1", Nodes: []string{"a", "b", "c"}, Minors: map[string][]int{"a": {0, 1}, "b": {0, 1, 2, 3},
			"c": {}}},
		cluster.Job{ID: "2", Nodes: []string{"a"}, Minors: map[string][]int{"a": {3}}},
		cluster.Job{ID: "3", Nodes: []string{"a"}})
	w.try(0, "a")
	w.hello(0, "a", 4)
	w.report(1, "a", 1, 2, 3, 4)
	snap := w.Snapshot(at(2))
	for i, want := range []cluster.JobView{{GPUs: 6, GPUsSeen: 2, Reporting: 1}, {GPUs: 1, GPUsSeen: 1, Reporting: 1},
		{GPUs: 4, GPUsSeen: 4, Reporting: 1}} {
		got := snap.Jobs[i]
		if got.GPUs != want.GPUs || got.GPUsSeen != want.GPUsSeen || got.Reporting != want.Reporting {
			t.Errorf("job %s: %d of %d GPUs on %d nodes, want %d of %d on %d", got.ID, got.GPUsSeen, got.GPUs,
				got.Reporting, want.GPUsSeen, want.GPUs, want.Reporting)
		}
	}
	if snap.Nodes["c"] == nil || snap.Nodes["c"].State != cluster.NodeConnecting {
		t.Error("a node of a job has no entry before its first event")
	}
}

func TestReportWithoutHelloIsDropped(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.report(0, "a", 1)
	if w.node(0, "a").State != cluster.NodeConnecting {
		t.Error("a report without a hello was taken")
	}
}

func TestStringsAreMadeHarmless(t *testing.T) {
	const nasty = "a\x1b[31mb\x1b]0;title\x07c\rd\u202Ee\xff\u0085f\tg\n"
	w := newWorld()
	w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{
		Command: nasty, User: nasty, Host: nasty,
		Jobs: []cluster.Job{{
			ID: nasty, Number: nasty, Name: nasty, User: nasty, Partition: nasty, Nodes: []string{nasty, nasty + "2"},
			Minors: map[string][]int{nasty: {1}, nasty + "2": {}},
		}},
		Pending:  []cluster.PendingJob{{ID: nasty, Name: nasty, Partition: nasty, Reason: nasty}},
		Failure:  &reach.Failure{Short: nasty, Words: nasty + nasty, Meaning: nasty, Hints: []string{nasty}},
		Switches: []cluster.Switch{{Name: nasty, Nodes: []string{nasty}}},
	}})
	passed := &reach.Tried{Door: "ssh", Summary: nasty, Hint: nasty}
	w.Apply(cluster.Event{At: at(0), Node: nasty,
		Try: &cluster.Try{Interval: time.Second, Route: reach.Route{Passed: passed}}})
	w.Apply(cluster.Event{At: at(0), Node: nasty, Step: &reach.Step{Stage: "ssh", Text: nasty}})
	w.Apply(cluster.Event{At: at(0), Node: nasty, Hello: &wire.Hello{
		Build: nasty, System: nasty, Program: nasty, Host: nasty, Kernel: nasty, Job: nasty, Driver: nasty, CUDA: nasty,
		Fault: nasty, FaultID: nasty, Missing: []string{nasty}, StandIn: nasty,
		GPUs: []wire.Card{{Index: 0, UUID: nasty, Minor: new(1), Name: nasty, PCIBus: nasty},
			{Index: 1, Minor: new(0), Lost: nasty, LostID: nasty}},
	}})
	w.Apply(cluster.Event{At: at(0), Node: nasty, Report: &wire.Report{
		GPUs:   []wire.GPU{{Index: 0, Lost: nasty, LostID: nasty, Call: nasty, Unlisted: nasty}},
		Faults: []wire.Fault{{Collector: nasty, Error: nasty}},
		Listed: true, Processes: []wire.Process{{PID: 1, Type: nasty, Identity: wire.Identity{User: nasty, Name: nasty,
			Command: nasty, Job: nasty}}},
	}})
	w.try(0, nasty+"2")
	w.down(0, nasty+"2", reach.ClassOther)
	w.try(0, nasty+"3")
	w.Apply(cluster.Event{At: at(0), Node: nasty + "3", Gone: true})
	snap := w.Snapshot(at(1))
	checkStrings(t, "Snapshot", reflect.ValueOf(snap))
	const harmless = "abc?d?e\uFFFD?f g?"
	job := snap.Jobs[0]
	if job.Name != harmless || !slices.Equal(job.Nodes, []string{harmless, harmless + "2"}) {
		t.Errorf("name %q, nodes %q", job.Name, job.Nodes)
	}
	// facts about one node under one name still belong together
	if job.GPUs != 1 || job.GPUsSeen != 0 || job.Reporting != 1 || len(snap.Nodes) != 2 {
		t.Errorf("%d of %d GPUs on %d of %d nodes, want 0 of 1, which is lost, on 1 of 2", job.GPUsSeen, job.GPUs,
			job.Reporting, len(snap.Nodes))
	}
	if n := snap.Nodes[harmless]; n == nil || n.Name != harmless || n.Switch != harmless ||
		n.State != cluster.NodeReporting {
		t.Errorf("the node is %+v", n)
	}
}

// A node has the switch of the last Discovery, whether it was known before or is not yet.
func TestSwitches(t *testing.T) {
	w := newWorld()
	tell := func(sec float64, switches ...cluster.Switch) *cluster.Snapshot {
		w.Apply(cluster.Event{At: at(sec),
			Discovery: &cluster.Discovery{Jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1", "n2", "n3"}}},
				Switches: switches}})
		w.try(sec, "n2")
		return w.Fork().Snapshot(at(sec))
	}
	want := func(s *cluster.Snapshot, n1, n2, n3 string) {
		t.Helper()
		for name, want := range map[string]string{"n1": n1, "n2": n2, "n3": n3} {
			if got := s.Nodes[name].Switch; got != want {
				t.Errorf("%s is under %q, want %q", name, got, want)
			}
		}
	}
	w.try(0, "n1")
	want(tell(1), "", "", "")
	want(tell(2, cluster.Switch{Name: "s1", Nodes: []string{"n1", "n2"}},
		cluster.Switch{Name: "s2", Nodes: []string{"n2", "n3"}}), "s1", "s1", "s2")
	w.Apply(cluster.Event{At: at(2), Node: "n1", Gone: true})
	w.try(3, "n1")
	want(w.Fork().Snapshot(at(3)), "s1", "s1", "s2")
	fork := w.Fork()
	fork.Apply(cluster.Event{At: at(3), Node: "n3", Try: &cluster.Try{Interval: time.Second}})
	want(fork.Snapshot(at(3)), "s1", "s1", "s2")
	want(tell(4, cluster.Switch{Name: "s3", Nodes: []string{"n3"}}), "", "", "s3")
}

// Names that become alike on a screen are one node, and a name of which nothing remains is still a node.
func TestNamesThatBecomeAlike(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"a", "a\x1b[1m", "\x1b[2m", "b"},
		Minors: map[string][]int{"a": {0}, "a\x1b[1m": {1}, "b": {}}})
	for _, node := range []string{"a", "\x1b[2m"} {
		w.try(0, node)
		w.hello(0, node, 4)
		w.report(0, node, 1, 2, 3, 4)
	}
	job := w.Snapshot(at(1)).Jobs[0]
	if !slices.Equal(job.Nodes, []string{"a", "?", "b"}) || !slices.Equal(job.Minors["a"], []int{0, 1}) ||
		job.GPUs != 6 || job.GPUsSeen != 6 {
		t.Errorf("got %+v", job)
	}
	if none, known := job.Minors["b"]; !known || none == nil {
		t.Errorf("that the job has no GPU on b is not known any more: %v", job.Minors)
	}
}

// checkStrings walks everything that v reaches: no string may have characters that control a terminal.
func checkStrings(t *testing.T, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		for _, r := range v.String() {
			lineOfWords := r == '\n' && strings.HasSuffix(path, ".Words")
			if unicode.IsControl(r) && !lineOfWords || r == '\u202E' {
				t.Errorf("%s holds %q: %q", path, r, v.String())
				return
			}
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			checkStrings(t, path, v.Elem())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			checkStrings(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			checkStrings(t, path, v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			checkStrings(t, path+"[key]", k)
			checkStrings(t, path+"[]", v.MapIndex(k))
		}
	}
}

func TestAHostileNodeIsCapped(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{Host: strings.Repeat("ü", 10000),
		GPUs: make([]wire.Card, 10000), Missing: make([]string, 10000)}})
	w.Apply(cluster.Event{At: at(0), Node: "a", Report: &wire.Report{GPUs: make([]wire.GPU, 10000), Listed: true,
		Processes: make([]wire.Process, 10000), Faults: make([]wire.Fault, 10000)}})
	n := w.node(0, "a")
	if len(n.GPUs) > clean.MaxGPUs || len(n.Processes) > wire.MaxProcesses || len(n.Faults) > 32 ||
		len(n.Hello.Missing) > clean.MaxFaults || len(n.Hello.Host) > clean.MaxName {
		t.Errorf("%d GPUs, %d processes, %d faults, a name of %d bytes", len(n.GPUs), len(n.Processes), len(n.Faults),
			len(n.Hello.Host))
	}
}

func FuzzClean(f *testing.F) {
	f.Add("plain", 10)
	f.Add("a\x1b[31mb\xff\u202E", 3)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = max(0, limit%5000)
		c := safe.Line(s, limit)
		if len(c) > limit {
			t.Errorf("%d bytes, the limit is %d", len(c), limit)
		}
		checkStrings(t, "clean", reflect.ValueOf(c))
		if again := safe.Line(c, limit); again != c {
			t.Errorf("cleaning %q again gives %q", c, again)
		}
	})
}

// The stages of a node's attempts are those of its last attempt.
func TestStages(t *testing.T) {
	w := newWorld()
	stages := []reach.Stage{"probe", "driver", "stream"}
	w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: time.Second,
		Route: reach.Route{Stages: []reach.Stage{"name"}}}})
	w.Apply(cluster.Event{At: at(1), Node: "a",
		Try: &cluster.Try{Interval: time.Second, Route: reach.Route{Stages: stages}}})
	if got := w.Snapshot(at(1)).Nodes["a"].Route.Stages; !slices.Equal(got, stages) {
		t.Errorf("got %q, want %q", got, stages)
	}
}

package scalars

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var start = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

func at(sec float64) time.Time { return start.Add(time.Duration(sec * float64(time.Second))) }

// world is a job that began at start, on nodes a and b with two GPUs each, of a cluster.
type world struct{ *store.Store }

func newWorld(jobs ...cluster.Job) world {
	if len(jobs) == 0 {
		jobs = []cluster.Job{{ID: "16", Number: "16", Start: start, Nodes: []string{"a", "b"},
			Minors: map[string][]int{"a": {0, 1}, "b": {0, 1}}}}
	}
	w := world{store.New(10*time.Second, func(cluster.Subject) []cluster.Condition { return nil })}
	w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Answered: at(0), Jobs: jobs}})
	for _, node := range []string{"a", "b"} {
		cards := []wire.Card{card(node, 0), card(node, 1)}
		w.hello(node, cards...)
	}
	return w
}

func card(node string, i int) wire.Card {
	return wire.Card{Index: i, Minor: &i, UUID: fmt.Sprintf("GPU-%s%d", node, i),
		Values: metric.Make(map[metric.ID]float64{metric.MemoryTotal: 80e9})}
}

func (w world) hello(node string, cards ...wire.Card) {
	w.Apply(cluster.Event{At: at(0), Node: node, Try: &cluster.Try{Interval: 10 * time.Second}})
	w.Apply(cluster.Event{At: at(0), Node: node, Hello: &wire.Hello{GPUs: cards}})
}

// on is a process of a rank on a GPU; rank -1: it has none.
func on(gpu, rank, worldSize int) wire.Process {
	p := wire.Process{PID: 5000 + 10*rank + gpu, StartTicks: 7, GPU: gpu, RSS: new(uint64(3e9)), CPUPercent: new(99.5),
		GPUMemory: new(uint64(19e9)), Identity: wire.Identity{Job: "16"}}
	if rank >= 0 {
		p.Rank = &wire.Rank{Rank: rank, World: &worldSize, From: "RANK"}
	}
	return p
}

// report lets a node report: its GPUs have a utilization of 10, 11, … percent.
func (w world) report(sec float64, node string, processes ...wire.Process) {
	w.reportOf(sec, node, []int{0, 1}, processes...)
}

func (w world) reportOf(sec float64, node string, gpus []int, processes ...wire.Process) {
	r := &wire.Report{MonoMS: int64(1000 * sec), Listed: true, Processes: processes}
	for i, index := range gpus {
		r.GPUs = append(r.GPUs, wire.GPU{Index: index,
			Values: metric.Make(map[metric.ID]float64{metric.Util: float64(10 + i), metric.MemoryUsed: 20e9,
				metric.Power: 300.5})})
	}
	w.Apply(cluster.Event{At: at(sec), Node: node, Report: r})
}

// tagged are the tags of samples with the place of each GPU.
func tagged(samples []Sample) string {
	var words []string
	for i := range samples {
		if s := &samples[i]; s.Tag != Whole {
			words = append(words, fmt.Sprintf("%s=%s%s", s.Tag, s.Node, s.GPU))
		}
	}
	return strings.Join(words, " ")
}

func (w world) samples(l *Log, sec float64) []Sample { return l.Samples(w.Snapshot(at(sec))) }

// value is a value of a sample by its name.
func value(t *testing.T, s *Sample, name string) float64 {
	t.Helper()
	i := slices.Index(Names, name)
	if i < 0 || len(s.Values) != len(Names) {
		t.Fatalf("no value %s among %d", name, len(s.Values))
	}
	return s.Values[i]
}

// Tags follow the ranks, wherever they run.
func TestTags(t *testing.T) {
	for _, test := range []struct {
		name  string
		story func(w world)
		want  string
	}{
		{"as before", func(w world) {
			w.report(20, "a", on(0, 0, 4), on(1, 1, 4))
			w.report(20, "b", on(0, 2, 4), on(1, 3, 4))
		}, "rank0=a0 rank1=a1 rank2=b0 rank3=b1"},
		{"two have changed places", func(w world) {
			w.report(20, "a", on(0, 3, 4), on(1, 1, 4))
			w.report(20, "b", on(0, 2, 4), on(1, 0, 4))
		}, "rank0=b1 rank1=a1 rank2=b0 rank3=a0"},
		{"one has ended", func(w world) { w.report(20, "a", on(0, 0, 4)); w.report(20, "b", on(0, 2, 4), on(1, 3, 4)) },
			"rank0=a0 rank2=b0 rank3=b1 rank1=a1"},
		{"all have ended", func(w world) { w.report(20, "a"); w.report(20, "b") },
			"rank0=a0 rank1=a1 rank2=b0 rank3=b1"},
		{"one has ended and is elsewhere",
			func(w world) { w.report(20, "a", on(0, 0, 4), on(1, 3, 4)); w.report(20, "b", on(0, 2, 4)) },
			"rank0=a0 rank2=b0 rank3=a1 b/gpu1=b1"},
		{"another program without ranks",
			func(w world) { w.report(20, "a", on(0, -1, 0), on(1, -1, 0)); w.report(20, "b") },
			"a/gpu0=a0 a/gpu1=a1 rank2=b0 rank3=b1"},
		{"one node is late", func(w world) { w.report(20, "b", on(0, 2, 4), on(1, 3, 4)) }, "rank2=b0 rank3=b1"},
		{"two programs", func(w world) {
			w.report(20, "a", on(0, 0, 2), on(1, 1, 2))
			w.report(20, "b", on(0, 0, 2), on(1, 1, 2))
		}, "rank0=a0 rank0/b/gpu0=b0 rank1=a1 rank1/b/gpu1=b1"},
		{"a rank with two GPUs", func(w world) {
			w.report(20, "a", on(0, 0, 2), on(1, 0, 2))
			w.report(20, "b",
				on(0, 1, 2))
		}, "rank0=a0 rank0/a/gpu1=a1 rank1=b0 rank3=b1"},
		{"two ranks on one GPU", func(w world) {
			w.report(20, "a", on(0, 0, 4), on(0, 1, 4))
			w.report(20, "b", on(0, 2, 4), on(1, 3, 4))
		}, "rank0=a0 rank1=a0 rank2=b0 rank3=b1 a/gpu1=a1"},
		{"a GPU is lost", func(w world) {
			w.Apply(cluster.Event{At: at(20), Node: "a", Report: &wire.Report{MonoMS: 20000, Listed: true,
				GPUs: []wire.GPU{{Index: 0, Lost: "fell off"}, {Index: 1}}}})
		}, "rank1=a1"},
		{"a GPU hangs", func(w world) {
			w.Apply(cluster.Event{At: at(20), Node: "a", Report: &wire.Report{MonoMS: 20000, Listed: true,
				GPUs: []wire.GPU{{Index: 0, HangsMS: 20000}, {Index: 1}}}})
		}, "rank1=a1"},
		{"the second node first", func(w world) {
			w.report(19, "b", on(0, 2, 4), on(1, 3, 4))
			w.report(20, "a", on(0, 0, 4), on(1, 1, 4))
		}, "rank2=b0 rank3=b1 rank0=a0 rank1=a1"},
	} {
		w, l := newWorld(), New(10*time.Second)
		w.report(10, "a", on(0, 0, 4), on(1, 1, 4))
		w.report(10, "b", on(0, 2, 4), on(1, 3, 4))
		if got := tagged(w.samples(l, 10)); got != "rank0=a0 rank1=a1 rank2=b0 rank3=b1" {
			t.Fatalf("before: %s", got)
		}
		test.story(w)
		if got := tagged(w.samples(l, 21)); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// MIG instances have the numbers that the screen shows. The GPU itself has all known numbers.
func TestInstances(t *testing.T) {
	w, l := newWorld(cluster.Job{Nodes: []string{"a"}}), New(10*time.Second)
	gpu, one, two := card("a", 0), card("a", 0), card("a", 0)
	gpu.MIG = true
	one.Index, one.UUID, one.Instance = 1000, "MIG-1", &wire.Instance{Parent: "GPU-a0", Index: 0}
	two.Index, two.UUID, two.Instance = 1001, "MIG-2", &wire.Instance{Parent: "GPU-a0", Index: 1}
	w.hello("a", gpu, one, two)
	w.reportOf(10, "a", []int{0, 1000, 1001}, on(1001, 5, 8))
	samples := w.samples(l, 10)
	if got := tagged(samples); got != "rank5=a0:1 a/gpu0=a0 a/gpu0:0=a0:0" {
		t.Error(got)
	}
	if s := samples[0]; s.UUID != "MIG-2" || value(t, &s, "util_percent") != 12 || s.Job != "" {
		t.Errorf("%+v", s)
	}
}

// If nothing proves which GPUs belong to a job, the GPUs with its processes count.
func TestUnknownShare(t *testing.T) {
	w, l := newWorld(cluster.Job{ID: "16", Number: "16", Nodes: []string{"a", "b"}}), New(10*time.Second)
	w.report(10, "a", on(1, -1, 0))
	w.report(10, "b", on(0, 2, 4))
	samples := w.samples(l, 10)
	if got := tagged(samples); got != "rank2=b0 a/gpu1=a1" || len(samples) != 2 {
		t.Errorf("%s of %d samples", got, len(samples))
	}
}

// Each report is logged once, with the time of its arrival; all GPUs together once per interval; two jobs on a node
// each have their own.
func TestEachReportOnce(t *testing.T) {
	w, l := newWorld(), New(10*time.Second)
	w.report(10.2, "a", on(0, 0, 4))
	w.report(12.9, "b")
	first := w.samples(l, 15)
	if again := w.samples(l, 20); len(again) != 0 {
		t.Errorf("%d samples without a report", len(again))
	}
	w.report(20.2, "a", on(0, 0, 4))
	second := w.samples(l, 25)
	for i, want := range []string{"10 rank0", "10 a/gpu1", "12 b/gpu0", "12 b/gpu1", "15 job", "20 rank0", "20 a/gpu1",
		"25 job"} {
		all := append(slices.Clone(first), second...)
		if len(all) != 8 || fmt.Sprint(all[i].Elapsed, " ", all[i].Tag) != want || all[i].Job != "16" {
			t.Errorf("sample %d of %d: %+v, want %s", i, len(all), all[i], want)
		}
	}
	if s := first[0]; !s.At.Equal(at(10.2)) || *s.Rank != 0 || s.UUID != "GPU-a0" {
		t.Errorf("%+v", s)
	}
	if late := w.samples(l, 60); len(late) != 0 {
		t.Errorf("%d samples of nodes that are silent", len(late))
	}
	w.Apply(cluster.Event{At: at(61), Node: "a",
		Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed, Short: "closed"}}})
	if none := w.samples(l, 90); len(none) != 0 {
		t.Errorf("%d samples of nodes that have failed", len(none))
	}
}

func TestValues(t *testing.T) {
	w, l := newWorld(), New(10*time.Second)
	w.report(10, "a", on(0, 0, 4))
	samples := w.samples(l, 10)
	rank, other, all := &samples[0], &samples[1], &samples[len(samples)-1]
	for name, want := range map[string]float64{"util_percent": 10, "memory_used_percent": 25, "power_watts": 300.5,
		"process_rss_bytes": 3e9, "process_cpu_percent": 99.5, "process_gpu_memory_bytes": 19e9} {
		if got := value(t, rank, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if !math.IsNaN(value(t, rank, "temperature_celsius")) || !math.IsNaN(value(t, other, "process_rss_bytes")) {
		t.Error("what is not known has a value")
	}
	if all.Tag != Whole || value(t, all, "util_percent") != 10.5 || value(t, all, "memory_used_percent") != 25 {
		t.Errorf("%+v", all)
	}
	if v := value(t, all, "power_watts"); !math.IsNaN(v) {
		t.Errorf("the sum over the half of the GPUs that is known is %v", v)
	}
	w.report(20, "b")
	samples = w.samples(l, 20)
	if v := value(t, &samples[len(samples)-1], "power_watts"); v != 4*300.5 {
		t.Errorf("the sum is %v", v)
	}
}

// Without a start of the job time counts from the first sample. A clock that is behind gives no negative time.
func TestElapsed(t *testing.T) {
	for name, test := range map[string]struct {
		began time.Time
		want  []int64
	}{"from the start": {at(-3600), []int64{3610, 3620}}, "without one": {time.Time{}, []int64{0, 5}},
		"in the future": {at(15), []int64{0, 5}}} {
		w, l := newWorld(cluster.Job{ID: "16", Number: "16", Start: test.began, Nodes: []string{"a"},
			Minors: map[string][]int{"a": {0}}}), New(10*time.Second)
		var got []int64
		for _, sec := range []float64{10, 20} {
			w.report(sec, "a")
			got = append(got, w.samples(l, sec+5)[0].Elapsed)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

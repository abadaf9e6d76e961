package store

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Facts from a probe are taken only if they can be true: known classes, possible times, existing processes.
func TestWhatCannotBeIsNotBelieved(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{Fault: "oops", FaultID: "invented",
		GPUs: []wire.Card{
			{Index: 0, Lost: "no power", LostID: wire.LostPower}, {Index: 1, Lost: "why?", LostID: "invented"},
			{Index: 2, LostID: wire.LostReset},
		}}})
	w.Apply(cluster.Event{At: at(0), Node: "a", Report: &wire.Report{
		TookMS: math.MaxInt64,
		GPUs: []wire.GPU{{Index: 0, HangsMS: -5, AgeMS: math.MaxInt64}, {Index: 1, Lost: "why now?"},
			{Index: 2, LostID: "invented", HangsMS: 1500}},
		Listed: true, Processes: []wire.Process{{PID: 0}, {PID: 7}, {PID: -1}},
		Faults: []wire.Fault{{Collector: "power", GPUs: make([]int, 10000)}},
	}})
	n := w.node(0, "a")
	if n.Hello.FaultID != wire.FaultOther || n.Took != 30*24*time.Hour || len(n.Processes) != 1 ||
		n.Processes[0].PID != 7 ||
		len(n.Faults[0].GPUs) > clean.MaxGPUs {
		t.Errorf("fault %q, took %v, processes %+v, a fault of %d GPUs", n.Hello.FaultID, n.Took, n.Processes,
			len(n.Faults[0].GPUs))
	}
	byIndex := map[int]cluster.GPU{}
	for _, g := range n.GPUs {
		byIndex[g.Card.Index] = g
	}
	if g := byIndex[0]; g.Lost != "no power" || g.LostID != wire.LostPower || g.HangsMS != 0 ||
		g.AgeMS != 30*24*time.Hour.Milliseconds() {
		t.Errorf("GPU 0: %+v", g.GPU)
	}
	if g := byIndex[1]; g.Lost != "why now?" || g.LostID != wire.LostOther || g.Card.LostID != wire.LostOther {
		t.Errorf("GPU 1: %+v", g.GPU)
	}
	if g := byIndex[2]; g.LostID != "" || g.Card.LostID != "" || g.HangsMS != 1500 {
		t.Errorf("GPU 2: %+v", g.GPU)
	}
}

// A part that exceeds its whole is absent, with the reason: memory of a GPU or of a process beyond that of the GPU. A
// whole that is not known limits nothing.
func TestMoreThanTheWhole(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	total := metric.Make(map[metric.ID]float64{metric.MemoryTotal: 80 << 30})
	lacks := map[string][]string{"Not Supported": {metric.Fan.String()}}
	h := &wire.Hello{GPUs: []wire.Card{{Index: 0, UUID: "0", Values: total, Absent: lacks}, {Index: 1, UUID: "1",
		Values: total}, {Index: 2, UUID: "2"}}}
	w.Apply(cluster.Event{At: at(0), Node: "a", Hello: h})
	used := func(gib float64) metric.Values {
		return metric.Make(map[metric.ID]float64{metric.MemoryUsed: gib * (1 << 30), metric.Util: 9})
	}
	w.Apply(cluster.Event{At: at(0), Node: "a", Report: &wire.Report{
		GPUs:   []wire.GPU{{Index: 0, Values: used(98)}, {Index: 1, Values: used(80)}, {Index: 2, Values: used(98)}},
		Listed: true, Processes: []wire.Process{
			{PID: 1, GPU: 0, GPUMemory: new(uint64(98_000 << 30))}, {PID: 2, GPU: 1, GPUMemory: new(uint64(80 << 30))},
			{PID: 3, GPU: 2, GPUMemory: new(uint64(98 << 30))}, {PID: math.MaxUint32},
		},
	}})
	n := w.node(0, "a")
	for i, want := range []bool{false, true, true} {
		g := &n.GPUs[i]
		if g.Values.Has(metric.MemoryUsed) != want || !g.Values.Has(metric.Util) {
			t.Errorf("GPU %d has %v", i, g.Values)
		}
		if (n.Processes[i].GPUMemory != nil) != want {
			t.Errorf("process %d has %v", i+1, n.Processes[i].GPUMemory)
		}
		if why := g.Card.Absent[clean.MoreThanWhole]; (len(why) == 1 && why[0] == metric.MemoryUsed.String()) == want {
			t.Errorf("GPU %d lacks %v", i, g.Card.Absent)
		}
	}
	if len(n.Processes) != 3 || len(lacks) != 1 || len(n.GPUs[0].Card.Absent) != 2 {
		t.Errorf("%d processes, %v, %v", len(n.Processes), lacks, n.GPUs[0].Card.Absent)
	}
}

// A clean text is kept once, even if a recording keeps it, too. Any other is copied: the Event stays as it came.
func TestCleanDataIsNotCopied(t *testing.T) {
	for word, same := range map[string]bool{"GPU is lost": true, "\x1b[2J": false} {
		w := newWorld()
		w.try(0, "a")
		h := &wire.Hello{Host: word, GPUs: []wire.Card{
			{UUID: "x", Minor: new(0), Absent: map[string][]string{"Not Supported": {metric.Fan.Row().Key}}}}}
		r := &wire.Report{GPUs: []wire.GPU{{Lost: word, LostID: wire.LostOther}}}
		w.Apply(cluster.Event{At: at(0), Node: "a", Hello: h})
		w.Apply(cluster.Event{At: at(0), Node: "a", Report: r})
		n := w.node(0, "a")
		if (n.Hello == h) != same || (n.GPUs[0].GPU == &r.GPUs[0]) != same || (n.GPUs[0].Card == &h.GPUs[0]) != same {
			t.Errorf("%q: the Store has another Hello %t, another sample %t", word, n.Hello != h,
				n.GPUs[0].GPU != &r.GPUs[0])
		}
		if h.Host != word || r.GPUs[0].Lost != word {
			t.Errorf("%q: the Event has %q and %q", word, h.Host, r.GPUs[0].Lost)
		}
	}
}

// Numbers that a probe repeats, because the driver has no newer ones, are shown and enter no history. Numbers that are
// only late enter it.
func TestRepeatedNumbersAreNoSamples(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 1)
	util := metric.Make(map[metric.ID]float64{metric.Util: 50})
	for sec, g := range []wire.GPU{{Values: util}, {Values: util, AgeMS: 3000, Repeated: true},
		{Values: util, AgeMS: 500}} {
		w.Apply(cluster.Event{At: at(float64(3 * sec)), Node: "a", Report: &wire.Report{MonoMS: int64(3000 * sec),
			GPUs: []wire.GPU{g}}})
	}
	g := w.node(6, "a").GPUs[0]
	newest, _ := g.History.Newest()
	if got := g.History.Tail(nil, metric.Util, newest, 3); fmt.Sprint(got) != "[50 NaN 50]" {
		t.Errorf("the history is %v", got)
	}
	if g.Float(metric.Util) != 50 {
		t.Errorf("the number shown is %v", g.Float(metric.Util))
	}
}

// The names of ended jobs are made safe, as those of all jobs.
func TestEndedJobsAreClean(t *testing.T) {
	s := New(time.Second, nil)
	s.Apply(cluster.Event{At: time.Unix(1, 0),
		Discovery: &cluster.Discovery{Ended: []cluster.EndedJob{{ID: "7", Name: "esc\x1b[31mred",
			State: cluster.JobFailed, Exit: &cluster.Exit{Code: 3}}}}})
	if ended := s.Snapshot(time.Unix(2, 0)).Discovery.Ended; len(ended) != 1 || ended[0].ID != "7" ||
		ended[0].Name == "esc\x1b[31mred" || ended[0].Exit.Code != 3 {
		t.Errorf("got %+v", ended)
	}
}

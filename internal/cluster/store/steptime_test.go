package store

import (
	"math"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// joules is the energy of a GPU up to a second, whose steps of 18 s take 600 W, then 200 W.
func joules(sec float64) float64 {
	steps, rest := math.Floor(sec/18), math.Mod(sec, 18)
	return steps*(600*13+200*5) + 600*min(rest, 13) + 200*max(rest-13, 0)
}

// computes sends the reports of two GPUs from one second up to another.
func (w *world) computes(from, to int) {
	for sec := from; sec < to; sec += 3 {
		e := joules(float64(sec))
		r := &wire.Report{MonoMS: int64(1000 * (sec + 1))}
		for i := range 2 {
			g := gpu(map[metric.ID]float64{metric.Energy: 5000 + e, metric.Power: e - joules(float64(sec-1)),
				metric.Util: 100, metric.SMClock: 1980})
			g.Index = i
			r.GPUs = append(r.GPUs, g)
		}
		w.Apply(cluster.Event{At: at(float64(sec)), Node: "a", Report: r})
	}
}

// Where no log says it, the power of the GPUs shows the time of a step, once it is clear and as long as they work. What
// the log says counts. Power that contradicted it shows no steps.
func TestStepTime(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "7", Nodes: []string{"a"}, Start: at(0), Minors: map[string][]int{"a": {0, 1}}})
	w.try(0, "a")
	w.hello(0, "a", 2)
	paceAt := func(sec float64) *cluster.JobProgress { return w.Snapshot(at(sec)).Jobs[0].Progress }
	log := func(p progress.Progress) {
		w.Apply(cluster.Event{Progress: &cluster.JobProgress{Job: "7", Progress: p}})
	}
	w.computes(3, 300)
	if p := paceAt(300); p != nil {
		t.Errorf("16 steps were seen: %+v", p)
	}
	w.computes(300, 600)
	p := paceAt(600)
	if p == nil || p.Source != progress.Measured || math.Abs(*p.SecondsPerStep-18) > 0.3 || p.Step != nil ||
		p.Job != "7" || at(600).Sub(p.At) > measuredEach {
		t.Fatalf("%+v", p)
	}
	if p := w.Fork().Snapshot(at(600)).Jobs[0].Progress; p == nil {
		t.Error("a fork does not have it")
	}
	step, pace, loss := int64(40), 17.0, 2.5
	log(progress.Progress{Form: "general", Loss: &loss})
	if p := paceAt(600); p.Source != progress.Measured || *p.Loss != 2.5 {
		t.Errorf("a log with the loss: %+v", p)
	}
	log(progress.Progress{Form: "general", Step: &step})
	if p := paceAt(600); p.SecondsPerStep != nil {
		t.Errorf("a log with steps: %+v", p)
	}
	log(progress.Progress{Form: "general", Step: &step, SecondsPerStep: &pace, Source: progress.Said})
	w.computes(600, 640)
	if p := paceAt(640); p.Source != progress.Said || *p.SecondsPerStep != 17 {
		t.Errorf("a log with the pace: %+v", p)
	}
	log(progress.Progress{})
	if p := paceAt(640); p == nil {
		t.Error("the log said nearly the same, and is gone")
	}
	pace = 1.5
	log(progress.Progress{Form: "general", Step: &step, SecondsPerStep: &pace, Source: progress.Said})
	w.computes(640, 680)
	log(progress.Progress{})
	w.computes(680, 720)
	if p := paceAt(720); p != nil {
		t.Errorf("the log said something else before: %+v", p)
	}
}

// The pace goes with the reports.
func TestStepTimeIsLive(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "7", Nodes: []string{"a"}, Start: at(0), Minors: map[string][]int{"a": {0, 1}}})
	w.try(0, "a")
	w.hello(0, "a", 2)
	w.computes(3, 600)
	if p := w.Snapshot(at(660)).Jobs[0].Progress; p != nil {
		t.Errorf("a minute after the last report: %+v", p)
	}
	w.jobs(601, cluster.Job{ID: "8", Nodes: []string{"a"}, Start: at(590), Minors: map[string][]int{"a": {0, 1}}})
	w.computes(603, 700)
	if p := w.Snapshot(at(700)).Jobs[0].Progress; p != nil {
		t.Errorf("the past of the job before counts: %+v", p)
	}
}

// The mean power of an interval is unknown where a report was lost, or came in between.
func TestMeanPower(t *testing.T) {
	g := &cluster.GPU{GPU: &wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Energy: 1000})}, Key: "g"}
	next := func(ms int64, energy float64) float64 {
		was := *g
		g = &cluster.GPU{GPU: &wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Energy: energy})}, Key: "g"}
		cluster.Grow([]cluster.GPU{*g}, []cluster.GPU{was}, at(0), &wire.Report{MonoMS: ms})
		all := []cluster.GPU{*g}
		cluster.Grow(all, []cluster.GPU{was}, at(0), &wire.Report{MonoMS: ms})
		g = &all[0]
		return (&nodeRecord{poll: poll}).meanPower(g)
	}
	for _, tc := range []struct {
		ms     int64
		joules float64
		want   float64 // W; 0: unknown
	}{{1000, 1000, 0}, {4000, 2500, 500}, {10_000, 4000, 0}, {11_000, 4500, 0}, {14_100, 6050, 500}, {17_100, 50, 0}} {
		if got := next(tc.ms, tc.joules); got != tc.want && !(tc.want == 0 && got != got) {
			t.Errorf("at %d ms: %v W, want %v", tc.ms, got, tc.want)
		}
	}
}

package health

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// work is the activity of one GPU at a moment.
type work struct {
	util, memory, power, clock, link float64 // percent, percent, W, MHz, bytes per second
	used                             float64 // GiB
	throttle                         uint64
}

// Usual works.
var (
	trains = work{util: 97, memory: 55, power: 600, clock: 1650, link: 50e9, used: 70}
	waits  = work{util: 100, memory: 0, power: 150, clock: 1980, link: 1e5, used: 70} // in a collective
	rests  = work{util: 0, memory: 0, power: 72, clock: 345, link: 0, used: 70}
)

// shaken varies a work slightly.
func (w work) shaken(r *rand.Rand) work {
	shake := func(v, by float64) float64 { return v * (1 + by*(2*r.Float64()-1)) }
	w.util, w.memory, w.power = min(shake(w.util, 0.03), 100), shake(w.memory, 0.1), shake(w.power, 0.05)
	w.clock, w.link = shake(w.clock, 0.03), shake(w.link, 0.2)
	return w
}

// trace is a job on nodes that report every 3 s, after the job has run for some time.
type trace struct {
	nodes, gpus int
	age         time.Duration // of the job at the beginning of the watch; 0: it just begins
	models      []string      // models of each node's GPUs, in rotation; nil: all alike
	does        func(at time.Duration, node, gpu int) work
	processes   func(at time.Duration, node int) []wire.Process
	silent      func(at time.Duration, node int) bool // the node sends no reports; nil: it always does
}

const (
	tracePoll = 3 * time.Second
	traceAge  = 5 * time.Hour
)

// found is a finding of a trace, with the time of its first report.
type found struct {
	cluster.Finding
	words say.Words
	at    time.Duration
}

func (f found) String() string {
	return fmt.Sprintf("%s %s GPU%d (%d) at %v: %s", f.Kind, f.Node, f.GPU, f.Severity, f.at, f.words.Sentence)
}

// store returns a Store that has seen everything up to the first reports.
func (tr trace) store() *store.Store { return tr.storeWith(Defaults()) }

func (tr trace) storeWith(limits Thresholds) *store.Store { return tr.storeBy(Rules(limits)) }

func (tr trace) storeBy(rules cluster.Rules) *store.Store {
	s := store.New(tracePoll, rules)
	d := tr.discovery()
	s.Apply(cluster.Event{At: t0, Discovery: &d})
	for n := range tr.nodes {
		s.Apply(cluster.Event{At: t0, Node: nodeName(n), Try: &cluster.Try{Interval: tracePoll}})
		s.Apply(cluster.Event{At: t0, Node: nodeName(n), Hello: &wire.Hello{GPUs: tr.cards(n)}})
	}
	return s
}

// discovery is SLURM's answer about the job.
func (tr trace) discovery() cluster.Discovery {
	job := cluster.Job{ID: "7", Number: "7", Start: t0.Add(-tr.age), Minors: map[string][]int{}}
	for n := range tr.nodes {
		job.Nodes = append(job.Nodes, nodeName(n))
		for g := range tr.gpus {
			job.Minors[nodeName(n)] = append(job.Minors[nodeName(n)], g)
		}
	}
	return cluster.Discovery{Answered: t0, Jobs: []cluster.Job{job}}
}

// apply applies the reports of one interval.
func (tr trace) apply(s *store.Store, at time.Duration, r *rand.Rand) {
	for n := range tr.nodes {
		now := at + time.Duration(n)*time.Millisecond
		if tr.silent != nil && tr.silent(at, n) {
			continue
		}
		s.Apply(cluster.Event{At: t0.Add(now), Node: nodeName(n), Report: tr.report(now, n, r)})
	}
}

// play runs a trace and returns every finding as first reported, and again at each higher severity.
func (tr trace) play(t *testing.T, length time.Duration) []found {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	s := tr.store()
	var all []found
	for at := time.Duration(0); at <= length; at += tracePoll {
		tr.apply(s, at, r)
		snap := s.Snapshot(t0.Add(at + time.Second))
		for i := range snap.Jobs[0].Findings {
			f := &snap.Jobs[0].Findings[i]
			known := slices.ContainsFunc(all, func(o found) bool {
				return o.Kind == f.Kind && o.Node == f.Node && o.Key == f.Key && o.Severity >= f.Severity
			})
			if f.Holds() && !known {
				all = append(all, found{*f, say.Finding(snap, f), at})
			}
		}
	}
	return all
}

func nodeName(n int) string { return fmt.Sprintf("n%02d", n+1) }

func (tr trace) cards(node int) []wire.Card {
	var cards []wire.Card
	for g := range tr.gpus {
		c := wire.Card{Index: g, Minor: new(g), UUID: fmt.Sprintf("GPU-%d-%d", node, g), Name: "NVIDIA H100 80GB HBM3"}
		if tr.models != nil {
			c.Name = tr.models[g%len(tr.models)]
		}
		cards = append(cards, c)
	}
	return cards
}

func (tr trace) report(at time.Duration, node int, r *rand.Rand) *wire.Report {
	rep := &wire.Report{MonoMS: at.Milliseconds()}
	for g := range tr.gpus {
		w := tr.does(at, node, g).shaken(r)
		values := map[metric.ID]float64{
			metric.Util: w.util, metric.MemUtil: w.memory, metric.Power: w.power, metric.SMClock: w.clock,
			metric.PowerLimit: 700,
			metric.PCIeTX:     w.link / 10, metric.NVLinkTX: 0.9 * w.link, metric.MemoryUsed: w.used * (1 << 30),
			metric.Throttle: float64(w.throttle),
		}
		maps.DeleteFunc(values, func(_ metric.ID, v float64) bool { return math.IsNaN(v) })
		rep.GPUs = append(rep.GPUs, wire.GPU{Index: g, Values: metric.Make(values)})
	}
	if tr.processes != nil {
		rep.Listed, rep.Processes = true, tr.processes(at, node)
	}
	return rep
}

// always is a constant work.
func always(w work) func(time.Duration, int, int) work {
	return func(time.Duration, int, int) work { return w }
}

// checkpointed is a job that writes a checkpoint every 10 minutes: all its GPUs wait for 25 s, and some write for
// another 40 s.
func checkpointed(w work) func(time.Duration, int, int) work {
	return func(at time.Duration, node, gpu int) work {
		switch into := at % (10 * time.Minute); {
		case into < 5*time.Minute, into >= 5*time.Minute+65*time.Second:
			return w
		case into < 5*time.Minute+25*time.Second, node == 1 && gpu < 2:
			return work{util: 4, memory: 2, power: 110, clock: 1980, link: 1e9, used: w.used}
		}
		return waits
	}
}

// ranks are processes of a training job, one per GPU. One of them has little CPU time.
func ranks(gpus, slowNode, slow int) func(time.Duration, int) []wire.Process {
	return func(_ time.Duration, node int) []wire.Process {
		var list []wire.Process
		for g := range gpus {
			cpu := 101.0
			if node == slowNode && g == slow {
				cpu = 12
			}
			list = append(list, wire.Process{PID: 1000 + g, GPU: g, CPUPercent: &cpu,
				Identity: wire.Identity{Rank: &wire.Rank{Rank: node*gpus + g}}})
		}
		return list
	}
}

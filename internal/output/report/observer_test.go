package report

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

var began = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return began.Add(time.Duration(seconds * float64(time.Second)))
}

// play is a job on nodes n1 and n2 with two GPUs each. A test makes its Events.
type play struct {
	*Observer
	t *testing.T
}

func start(t *testing.T, jobs ...cluster.Job) *play {
	t.Helper()
	p := &play{New("7", time.Second, health.Rules(health.Defaults())), t}
	if len(jobs) == 0 {
		jobs = []cluster.Job{theJob()}
	}
	p.answer(0, jobs...)
	return p
}

func theJob() cluster.Job {
	return cluster.Job{
		ID: "7", Number: "7", Name: "train", User: "alice", Partition: "gpu", Start: at(0), Limit: 4 * time.Hour,
		Nodes:  []string{"n1", "n2"},
		Minors: map[string][]int{"n1": {0, 1}, "n2": {0, 1}}, Configured: map[string]int{"n1": 2, "n2": 2},
	}
}

// answer is SLURM's answer that these jobs run.
func (p *play) answer(sec float64, jobs ...cluster.Job) {
	p.Apply(cluster.Event{At: at(sec), Discovery: &cluster.Discovery{Command: "squeue", User: "alice", Asked: at(sec),
		Answered: at(sec), Jobs: jobs}})
}

// ends is SLURM's answer that the job has ended.
func (p *play) ends(sec float64, e cluster.EndedJob) {
	e.ID, e.Number, e.Missed = "7", "7", at(sec)
	p.Apply(cluster.Event{At: at(sec), Discovery: &cluster.Discovery{Command: "squeue", User: "alice", Asked: at(sec),
		Answered: at(sec), Ended: []cluster.EndedJob{e}}})
}

func (p *play) hello(sec float64, node string) {
	h := &wire.Hello{Host: node, CPUs: 8, Driver: "570"}
	for i := range 2 {
		h.GPUs = append(h.GPUs, wire.Card{Index: i, Minor: &i, UUID: node + "-" + string(rune('a'+i)),
			Name: "NVIDIA A100", Values: metric.Make(map[metric.ID]float64{metric.MemoryTotal: 80 << 30})})
	}
	p.Apply(cluster.Event{At: at(sec), Node: node, Try: &cluster.Try{Interval: time.Second}})
	p.Apply(cluster.Event{At: at(sec), Node: node, Hello: h})
}

// values are metrics of one GPU.
type values map[metric.ID]float64

// report is a report of GPUs with these values.
func (p *play) report(sec float64, node string, gpus ...values) {
	r := &wire.Report{MonoMS: int64(1000*sec) + 5_000_000}
	for i, v := range gpus {
		r.GPUs = append(r.GPUs, wire.GPU{Index: i, Values: metric.Make(v)})
	}
	p.send(sec, node, r)
}

// reportWith is a report with the utilization and the memory in GiB of two GPUs, and with the memory of the job.
func reportWith(sec int, util, used [2]float64) *wire.Report {
	r := &wire.Report{MonoMS: int64(1000*sec) + 5_000_000, Jobs: []wire.JobMemory{{Job: "7"}}}
	for i := range util {
		r.GPUs = append(r.GPUs, wire.GPU{Index: i,
			Values: metric.Make(values{metric.Util: util[i], metric.MemoryUsed: used[i] * (1 << 30),
				metric.Energy: float64(sec)})})
	}
	return r
}

func (p *play) send(sec float64, node string, r *wire.Report) {
	p.Apply(cluster.Event{At: at(sec), Node: node, Report: r})
}

func (p *play) made() *Report {
	p.t.Helper()
	r := p.Report()
	if r == nil {
		p.t.Fatal("no report")
	}
	return r
}

func busy(util float64) values { return values{metric.Util: util, metric.MemoryUsed: 8 << 30} }

// A mean is weighted by the time before each sample: of three samples after 1, 1 and 2 s.
func TestMeansAreWeighted(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	for _, s := range []struct{ at, util float64 }{{1, 0}, {2, 100}, {3, 40}, {5, 10}} {
		p.report(s.at, "n1", busy(s.util), values{})
	}
	g := p.made().Nodes[0].List[0]
	if want := (&Util{Mean: 40, Lowest: 0, Highest: 100}); cmp.Diff(want, g.Util) != "" || g.Seen != 4 {
		t.Errorf("seen %v s, %+v, want %+v", g.Seen, g.Util, want)
	}
}

// A number that a GPU does not report is absent, and never counts as 0.
func TestAbsent(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	for sec := range 400 {
		p.report(float64(sec), "n1", busy(50), values{metric.Temperature: 30})
	}
	r := p.made()
	g := r.Nodes[0].List[1]
	if g.Util != nil || g.Memory != nil || g.Power != nil || g.Energy != nil {
		t.Errorf("a GPU without numbers has %+v", g.Numbers)
	}
	if u := r.Nodes[0].Util; u == nil || u.Mean != 50 || u.Lowest != 50 {
		t.Errorf("the node has %+v", u)
	}
	if n := note(r, noteNeverUsed); n != "" {
		t.Errorf("a GPU without utilization: %s", n)
	}
	text, _ := json.Marshal(r)
	if strings.Contains(string(text), "null") {
		t.Errorf("null in %s", text)
	}
}

// Time in which a node is silent is not seen: not in the means, nor in the energy of samples. The driver's counters go
// on.
func TestGap(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	p.hello(0, "n2")
	sample := func(sec float64, n1, n2 bool) {
		v := values{metric.Util: 100, metric.Power: 100}
		if n1 {
			p.report(sec, "n1", v, values{metric.Util: 100, metric.Power: 100, metric.Energy: 1000 * sec})
		}
		if n2 {
			p.report(sec, "n2", v, v)
		}
	}
	for sec := range 101 {
		sample(float64(sec), sec <= 20 || sec >= 60, true)
	}
	r := p.made()
	n := r.Nodes[0]
	if n.Gaps != 1 || n.Unseen != 40 || n.Seen != 60 || n.List[0].Seen != 60 {
		t.Errorf("%d gaps, %v s not seen, %v s seen, the GPU %v s", n.Gaps, n.Unseen, n.Seen, n.List[0].Seen)
	}
	if e := n.List[0].Energy; e == nil || e.Joules != 6000 || e.From != FromSamples {
		t.Errorf("energy of samples %+v, want 60 s of 100 W", e)
	}
	if e := n.List[1].Energy; e == nil || e.Joules != 100_000 || e.From != FromCounter {
		t.Errorf("energy of the counter %+v, want 100 kJ", e)
	}
	if e := r.Total.Energy; e == nil || e.From != FromBoth || e.Joules != 6000+100_000+2*10_000 {
		t.Errorf("total energy %+v", e)
	}
	if got := note(r, noteUnseen); !strings.Contains(got, "1 of 2 nodes did not report all the time: n1 (40s)") {
		t.Errorf("the note is %q", got)
	}
	if h := r.Total.Hours; math.Abs(h.Given-400./3600) > 1e-4 || math.Abs(h.Seen-320./3600) > 1e-4 ||
		math.Abs(*h.Used-320./3600) > 1e-4 {
		t.Errorf("GPU-hours %+v", h)
	}
}

// Nodes that never report, or stop doing so, are not seen then.
func TestSilentNodes(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	for sec := range 31 {
		p.report(float64(sec), "n1", busy(50), busy(50))
	}
	p.answer(100, theJob())
	r := p.made()
	if n := r.Nodes[0]; n.Gaps != 1 || n.Unseen != 70 || n.Seen != 30 {
		t.Errorf("n1: %d gaps, %v s not seen, %v s seen", n.Gaps, n.Unseen, n.Seen)
	}
	if n := r.Nodes[1]; n.Gaps != 1 || n.Unseen != 100 || n.Reported() || n.Util != nil {
		t.Errorf("n2: %+v", n)
	}
	if r.Total.GPUs != 4 || r.Total.GPUsSeen != 2 || note(r, noteGPUsUnseen) != "2 of 4 GPUs never reported." {
		t.Errorf("%d of %d GPUs seen, notes %v", r.Total.GPUsSeen, r.Total.GPUs, r.Notes)
	}
}

// A report that travelled for long is no gap: the node's clock counts. Two reports at the same time have no gap between
// them.
func TestLateReportsAreNoGap(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	p.report(0, "n1", busy(50), busy(50))
	for sec := 1; sec <= 20; sec++ {
		r := &wire.Report{MonoMS: int64(1000*sec) + 5_000_000, GPUs: []wire.GPU{{Values: metric.Make(busy(50))},
			{Index: 1}}}
		p.send(max(float64(sec), 12), "n1", r)
		p.send(max(float64(sec), 12), "n1", r)
	}
	if n := p.made().Nodes[0]; n.Gaps != 0 || n.Seen != 20 {
		t.Errorf("%d gaps, %v s seen", n.Gaps, n.Seen)
	}
}

// Reports after the end of the job do not belong to it.
func TestEnd(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	for sec := range 61 {
		util := 80.
		if sec > 30 {
			util = 0
		}
		p.report(float64(sec), "n1", busy(util), busy(util))
	}
	if stage, _ := p.Stage(); stage != Runs {
		t.Errorf("stage %d before the end", stage)
	}
	p.ends(61, cluster.EndedJob{Asking: true})
	if stage, _ := p.Stage(); stage != Ends {
		t.Errorf("stage %d while SLURM is asked", stage)
	}
	p.ends(62, cluster.EndedJob{State: cluster.JobCompleted, Exit: &cluster.Exit{}, End: at(30)})
	p.report(63, "n1", busy(0), busy(0))
	r := p.made()
	if stage, _ := p.Stage(); stage != Ended || r.Job.State != "COMPLETED" || *r.Job.Code != 0 ||
		!r.Job.End.Equal(at(30)) {
		t.Errorf("stage %d, job %+v", stage, r.Job)
	}
	if u := r.Total.Util; u.Mean != 80 || r.Watched.Seconds != 30 {
		t.Errorf("%+v in %v s", u, r.Watched.Seconds)
	}
}

// Samples count as soon as SLURM says that the job still runs, and a report before that has them as well.
func TestReportChangesNothing(t *testing.T) {
	make := func(often bool) *Report {
		p := start(t)
		p.hello(0, "n1")
		for sec := range 50 {
			p.report(float64(sec), "n1", busy(float64(sec)), busy(1))
			if sec%20 == 0 {
				p.answer(float64(sec), theJob())
			}
			if often {
				p.Report()
			}
		}
		return p.made()
	}
	if diff := cmp.Diff(make(false), make(true)); diff != "" {
		t.Error(diff)
	}
}

// While a job is suspended its GPUs are not idle, and its nodes not silent.
func TestSuspended(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	held := theJob()
	held.Suspended = true
	for sec := range 201 {
		switch sec {
		case 50:
			p.answer(50, held)
		case 150:
			p.answer(150, theJob())
		}
		if sec <= 60 || sec >= 150 { // frozen
			util := 90.
			if sec >= 50 && sec < 150 {
				util = 0
			}
			p.report(float64(sec), "n1", busy(util), busy(util))
		}
	}
	r := p.made()
	if u := r.Nodes[0].List[0].Util; u.Mean != 90 || u.Lowest != 90 || r.Nodes[0].Gaps != 0 ||
		r.Watched.Suspended != 100 {
		t.Errorf("%+v, %d gaps, suspended for %v s", u, r.Nodes[0].Gaps, r.Watched.Suspended)
	}
	p.answer(201, held)
	p.answer(211, held)
	if r := p.made(); r.Job.State != "SUSPENDED" || r.Watched.Suspended != 110 {
		t.Errorf("%s for %v s", r.Job.State, r.Watched.Suspended)
	}
}

// Throttling is counted by the driver, or else it is the time of the samples that say so.
func TestThrottled(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	for sec := range 21 {
		bits := 0.
		if sec > 5 && sec <= 10 {
			bits = wire.ThrottleHWThermal | wire.ThrottleHWSlowdown
		}
		p.report(float64(sec), "n1", values{metric.Throttle: bits},
			values{metric.Throttle: bits, metric.HWThermalTime: 100 + 0.25*float64(sec)})
	}
	r := p.made()
	for i, want := range []Throttled{{Reason: "hw_thermal_slowdown", Seconds: 5, From: FromSamples},
		{Reason: "hw_thermal_slowdown", Seconds: 5, From: FromCounter}} {
		if diff := cmp.Diff([]Throttled{want}, r.Nodes[0].List[i].Throttled); diff != "" {
			t.Errorf("GPU%d: %s", i, diff)
		}
	}
	if diff := cmp.Diff([]Throttled{{Reason: "hw_thermal_slowdown", Seconds: 10, From: FromBoth}},
		r.Total.Throttled); diff != "" {
		t.Error(diff)
	}
}

// A counter that goes back began anew: its value is the use since then.
func TestDriverIsLoadedAgain(t *testing.T) {
	var c counterIncrease
	for _, v := range []float64{1000, 1500, math.NaN(), 20, 50} {
		c.addReading(v)
	}
	if c.sum != 550 || c.spans != 3 {
		t.Errorf("%v in %d spans", c.sum, c.spans)
	}
}

// A rank has the numbers of its GPUs, one after the other.
func TestRanks(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	p.hello(0, "n2")
	rank := func(pid, gpu int) wire.Process {
		return wire.Process{PID: pid, GPU: gpu, Type: "C",
			Identity: wire.Identity{Job: "7", Rank: &wire.Rank{Rank: 3, World: new(4), From: "RANK"}}}
	}
	for sec := range 41 {
		for i, node := range []string{"n1", "n2"} {
			r := &wire.Report{MonoMS: int64(1000*sec) + 5_000_000*int64(i+1), Listed: sec%10 == 0}
			v := metric.Make(busy(20 + 50*float64(i)))
			v.Set(metric.Energy, 1e6*float64(i)+100*float64(sec))
			r.GPUs = []wire.GPU{{Values: metric.Make(busy(10 + 50*float64(i)))}, {Index: 1, Values: v}}
			if here := sec < 20 == (i == 0); r.Listed && here {
				r.Processes = []wire.Process{rank(100+i, 1)}
			}
			p.send(float64(sec), node, r)
		}
	}
	ranks := p.made().Ranks
	if len(ranks) != 1 || ranks[0].Node != "n2" || *ranks[0].GPU != 1 || ranks[0].PID != 101 || *ranks[0].World != 4 {
		t.Fatalf("%+v", ranks)
	}
	if u := ranks[0].Util; u.Lowest != 20 || u.Highest != 70 || math.Abs(u.Mean-45) > 2 || ranks[0].Seen < 35 {
		t.Errorf("%+v in %v s", u, ranks[0].Seen)
	}
	if e := ranks[0].Energy; e.Joules > 4000 || e.Joules < 3500 {
		t.Errorf("%v J, with the difference of two GPUs", e.Joules)
	}
}

// Problems have the times at which they began and ended, and the words of when they held.
func TestFindings(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	hot := values{metric.Throttle: wire.ThrottleHWThermal, metric.Temperature: 91}
	for sec := range 3800 {
		v := values{metric.Throttle: 0, metric.Temperature: 60}
		if sec >= 20 && sec < 40 || sec >= 3700 && sec < 3710 {
			v = hot
		}
		p.report(float64(sec), "n1", v, values{})
		if sec%30 == 0 {
			p.answer(float64(sec), theJob())
		}
	}
	var found []Finding
	for _, f := range p.made().Findings {
		if f.Kind == string(cluster.KindThermal) {
			found = append(found, f)
		}
	}
	if len(found) != 1 || found[0].Times != 2 || !found[0].Since.Equal(at(20)) || !found[0].Over.Equal(at(3709)) ||
		found[0].Node != "n1" || *found[0].GPU != 0 {
		t.Fatalf("%+v", found)
	}
	if !strings.Contains(found[0].Text, "91°C") || found[0].Severity != "warning" {
		t.Errorf("%+v", found[0])
	}
}

// The nodes' sessions end with the job. This is no problem of the nodes, unless a node ended the job.
func TestSessionsEndWithTheJob(t *testing.T) {
	for state, want := range map[cluster.EndState]bool{cluster.JobCompleted: false, cluster.JobNodeFailed: true} {
		p := start(t)
		p.hello(0, "n1")
		for sec := range 100 {
			p.report(float64(sec), "n1", busy(50), busy(50))
		}
		p.Apply(cluster.Event{At: at(100), Node: "n1",
			Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed, Short: "connection closed"}}})
		p.answer(110, theJob())
		p.ends(115, cluster.EndedJob{State: state, End: at(112)})
		lost := slices.ContainsFunc(p.made().Findings, isLoss)
		if lost != want {
			t.Errorf("%s: the loss is reported: %t", state, lost)
		}
	}
}

func isLoss(f Finding) bool {
	return f.Kind == string(cluster.KindStale) || f.Kind == string(cluster.KindFailed)
}

// A GPU that is not the job's is not in its report.
func TestSharedNode(t *testing.T) {
	job := theJob()
	job.Nodes, job.Minors = []string{"n1"}, map[string][]int{"n1": {1}}
	p := start(t, job)
	p.hello(0, "n1")
	for sec := range 10 {
		p.report(float64(sec), "n1", values{metric.Util: 99, metric.Power: 500},
			values{metric.Util: 5, metric.Power: 60})
	}
	r := p.made()
	if len(r.Nodes[0].List) != 1 || *r.Nodes[0].List[0].Number != 1 || r.Total.Util.Highest != 5 ||
		r.Total.Power.Peak != 60 || r.Total.GPUs != 1 {
		t.Errorf("%+v", r.Total)
	}
}

func TestStages(t *testing.T) {
	o := New("7", time.Second, health.Rules(health.Defaults()))
	stage := func(want Stage, e *cluster.Discovery) {
		t.Helper()
		if e != nil {
			o.Apply(cluster.Event{At: at(1), Discovery: e})
		}
		if got, _ := o.Stage(); got != want {
			t.Errorf("stage %d, want %d", got, want)
		}
	}
	stage(Unknown, nil)
	stage(Unknown, &cluster.Discovery{Command: "squeue", Asked: at(1), Failure: &reach.Failure{Short: "no answer"}})
	stage(Waits, &cluster.Discovery{Command: "squeue", Answered: at(1), Pending: []cluster.PendingJob{{ID: "7"}}})
	stage(Absent, &cluster.Discovery{Command: "squeue", Answered: at(1)})
	if o.Report() != nil {
		t.Error("a report of a job that was never listed")
	}
	stage(Runs, &cluster.Discovery{Command: "squeue", Answered: at(1), Jobs: []cluster.Job{{ID: "5_2", Number: "7"}}})
	stage(Runs, &cluster.Discovery{Command: "squeue", Answered: at(1), Failure: &reach.Failure{Short: "no answer"}})
}

// note returns the note of a kind, "" if there is none.
func note(r *Report, kind string) string {
	for _, n := range r.Notes {
		if n.Kind == kind {
			return n.Text
		}
	}
	return ""
}

// CPU time is that of the job's own processes, since the first reading of its cgroup.
func TestJobCPU(t *testing.T) {
	p := start(t, theJob())
	p.hello(0, "n1")
	for sec := range 101 {
		r := reportWith(sec, [2]float64{80, 70}, [2]float64{60, 60})
		if sec >= 20 { // it is not known before
			r.Jobs[0].Used, r.Jobs[0].CPU = 1<<30, uint64(5_000_000+2_500_000*sec)
		}
		p.send(float64(sec), "n1", r)
	}
	made := p.made()
	for _, got := range []*report.JobCPU{made.Total.JobCPU, made.Nodes[0].JobCPU} {
		if got == nil || got.Seconds != 200 || got.Busy != 2.5 {
			t.Errorf("%+v, want 200 s of 2.5 CPUs", got)
		}
	}
	if made.Nodes[1].JobCPU != nil {
		t.Errorf("of a node that is not seen: %+v", made.Nodes[1].JobCPU)
	}
}

// A requeued job has the marks of its runs before: they are no part of this one, also if a part was killed in them.
func TestMarksOfAnEarlierRun(t *testing.T) {
	p := start(t)
	p.hello(0, "n1")
	mark := func(sec float64, name string, kind cluster.MarkKind) {
		p.Apply(cluster.Event{At: at(1), Mark: &cluster.Mark{Job: "7", Name: name, Kind: kind, At: at(sec), By: "n1"}})
	}
	mark(-600, "load", cluster.Begins)
	mark(-500, "load", cluster.Ends)
	mark(-400, "epoch", cluster.Begins)
	mark(-2, "began", cluster.Moment) // by the clock of the node
	p.report(2, "n1", busy(50))
	mark(3, "eval", cluster.Begins)
	p.report(4, "n1", busy(50))
	p.answer(5, theJob())
	var names []string
	for _, tag := range p.made().Tags {
		names = append(names, tag.Name)
	}
	if want := []string{"began", "eval"}; !slices.Equal(names, want) {
		t.Errorf("it has %q, want %q", names, want)
	}
}

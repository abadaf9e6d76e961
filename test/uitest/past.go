package uitest

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// PastFixture is a job with a node that failed four minutes ago, after eight minutes of reports. GPU5 of that node
// became hot.
var PastFixture = sync.OnceValue(func() *cluster.Snapshot {
	const poll = 3 * time.Second
	s := store.New(poll, health.Rules(health.Defaults()))
	start, died := Ago(12*time.Minute), Ago(4*time.Minute)
	job := cluster.Job{
		ID: "48211", Number: "48211", Name: "llama-70b", User: "alice", Partition: "gpu", Start: Ago(8 * time.Hour),
		End: Now.Add(16 * time.Hour), Limit: 24 * time.Hour,
		Minors: map[string][]int{},
	}
	for i := range 4 {
		name := fmt.Sprintf("gpu-n%02d", i+1)
		job.Nodes, job.Minors[name] = append(job.Nodes, name), []int{0, 1, 2, 3, 4, 5, 6, 7}
	}
	s.Apply(cluster.Event{At: start, Discovery: &cluster.Discovery{Command: "squeue --me", User: "alice",
		Host: "login1", Asked: start, Answered: start, Jobs: []cluster.Job{job}}})
	for _, name := range job.Nodes {
		s.Apply(cluster.Event{At: start, Node: name,
			Try: &cluster.Try{Interval: poll, Route: reach.Route{Door: "ssh", Stages: stages}}})
		s.Apply(cluster.Event{At: start, Node: name, Hello: pastHello(name)})
	}
	for at := start; at.Before(Now); at = at.Add(poll) {
		for i, name := range job.Nodes {
			if i < 3 || at.Before(died) {
				s.Apply(cluster.Event{At: at, Node: name, Report: pastReport(i, at.Sub(start))})
			}
		}
	}
	failed := RefusedNode().Failure
	s.Apply(cluster.Event{At: died, Node: "gpu-n04",
		Down: &cluster.Down{Failure: *failed, Retry: Now.Add(14 * time.Second)}})
	return s.Snapshot(Now)
})

func pastHello(name string) *wire.Hello {
	h := &wire.Hello{Host: name, CPUs: 128, Driver: "550.90.07", CUDA: "12.4"}
	for i := range 8 {
		h.GPUs = append(h.GPUs, wire.Card{
			Index: i, Minor: new(i), UUID: fmt.Sprintf("GPU-%s-%d", name, i), Name: "NVIDIA H100 80GB HBM3",
			PCIBus: fmt.Sprintf("00000000:%02X:00.0", 27+17*i),
			Values: metric.Make(map[metric.ID]float64{metric.MemoryTotal: 81559 * mib, metric.SMClockMax: 1980,
				metric.Slowdown: 87}),
		})
	}
	return h
}

// pastReport is a report of a node of pastFixture, so long after its first.
func pastReport(node int, since time.Duration) *wire.Report {
	r := &wire.Report{MonoMS: since.Milliseconds() + 1000, Host: fixtureHost(31, 41.2, 421)}
	wave := math.Sin(since.Seconds() / 40)
	for i := range 8 {
		heat := 62 + float64(i%3)
		if node == 3 && i == 5 {
			heat += 26 * since.Seconds() / 480
		}
		r.GPUs = append(r.GPUs, wire.GPU{Index: i, Values: metric.Make(map[metric.ID]float64{
			metric.Util: math.Round(95 + 3*wave), metric.MemUtil: 58, metric.MemoryUsed: float64(71000+100*i) * mib,
			metric.Temperature: math.Round(heat), metric.Power: math.Round(640 + 20*wave),
			metric.PowerLimit: 700, metric.SMClock: 1635, metric.MemClock: 2619,
			metric.Throttle: wire.ThrottleSWPowerCap,
		})})
	}
	if int(since.Seconds())%60 == 0 {
		r.Listed = true
		for i := range 8 {
			p := wire.Process{PID: 300000 + 1000*node + i, StartTicks: 77, GPU: i, Type: "C", State: "R",
				GPUMemory: new(uint64(70000) * mib), SMPercent: new(95), CPUPercent: new(99.5),
				RSS: new(uint64(31) << 30)}
			p.Identity = wire.Identity{User: "alice", Name: "python",
				Command: "python -u train.py --config configs/llama70b.yaml", Job: "48211",
				Rank: fixtureRank(8*node + i)}
			p.ElapsedSec = new(int64(8*3600-12*60) + int64(since.Seconds()))
			r.Processes = append(r.Processes, p)
		}
	}
	if node == 3 && since == 450*time.Second {
		r.Xids = []wire.Xid{{GPU: 5, Code: 79, MonoMS: r.MonoMS}}
	}
	return r
}

// ProgramsFixture is a job with two equal programs, one on each of two nodes. Rank 5 of the second has ended.
var ProgramsFixture = sync.OnceValue(func() *cluster.Snapshot {
	const poll = 3 * time.Second
	s := store.New(poll, health.Rules(health.Defaults()))
	start := Ago(62 * time.Second)
	nodes := []string{"gpu-n01", "gpu-n02"}
	job := cluster.Job{ID: "48211", Number: "48211", Name: "sweep", User: "alice", Start: Ago(8 * time.Hour),
		Nodes: nodes, Minors: map[string][]int{}}
	for _, name := range nodes {
		job.Minors[name] = []int{0, 1, 2, 3, 4, 5, 6, 7}
	}
	s.Apply(cluster.Event{At: start, Discovery: &cluster.Discovery{Command: "squeue --me", User: "alice", Asked: start,
		Answered: start, Jobs: []cluster.Job{job}}})
	for _, name := range nodes {
		s.Apply(cluster.Event{At: start, Node: name, Try: &cluster.Try{Interval: poll}})
		s.Apply(cluster.Event{At: start, Node: name, Hello: pastHello(name)})
	}
	for since := time.Duration(0); since <= time.Minute; since += poll {
		for i, name := range nodes {
			r := pastReport(i, since)
			for k := range r.Processes {
				r.Processes[k].Rank = &wire.Rank{Rank: k, World: new(8), From: "RANK", Program: fmt.Sprintf("%08x", i)}
			}
			if i == 1 && since > 0 {
				r.Processes = slices.DeleteFunc(r.Processes, func(p wire.Process) bool { return p.GPU == 5 })
			}
			s.Apply(cluster.Event{At: start.Add(since), Node: name, Report: r})
		}
	}
	return s.Snapshot(Now)
})

// SilenceFixture is a job whose nodes have not answered for half a minute: the connections of the first were lost.
var SilenceFixture = sync.OnceValue(func() *cluster.Snapshot {
	const poll = 3 * time.Second
	s := store.New(poll, health.Rules(health.Defaults()))
	start, last := Ago(5*time.Minute), Ago(17*time.Second)
	job := cluster.Job{ID: "48211", Number: "48211", Name: "llama-70b", User: "alice", Start: Ago(8 * time.Hour),
		Minors: map[string][]int{}}
	for i := range 12 {
		name := fmt.Sprintf("gpu-n%02d", i+1)
		job.Nodes, job.Minors[name] = append(job.Nodes, name), []int{0, 1, 2, 3, 4, 5, 6, 7}
	}
	s.Apply(cluster.Event{At: start, Discovery: &cluster.Discovery{Command: "squeue --me", User: "alice", Asked: start,
		Answered: start, Jobs: []cluster.Job{job}}})
	for _, name := range job.Nodes {
		s.Apply(cluster.Event{At: start, Node: name, Try: &cluster.Try{Interval: poll}})
		s.Apply(cluster.Event{At: start, Node: name, Hello: pastHello(name)})
	}
	for at := start; at.Before(last); at = at.Add(poll) {
		for i, name := range job.Nodes {
			s.Apply(cluster.Event{At: at, Node: name, Report: pastReport(i, at.Sub(start))})
		}
	}
	for _, name := range job.Nodes[:3] {
		s.Apply(cluster.Event{At: last, Node: name,
			Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed, Short: "connection closed"}}})
	}
	return s.Snapshot(Now)
})

// MarksFixture is a job that has marked its epochs and evaluations, each rank for itself.
func MarksFixture() *cluster.Snapshot {
	s := Fixture()
	mark := func(before time.Duration, name string, kind cluster.MarkKind) {
		for _, by := range []string{"gpu-n01", "gpu-n02"} {
			s.Marks = append(s.Marks, cluster.Mark{Job: "48211", Name: name, Kind: kind, At: Ago(before), By: by})
			before -= time.Second
		}
	}
	mark(9*time.Minute, "epoch 7", cluster.Ends)
	mark(9*time.Minute, "eval", cluster.Begins)
	mark(7*time.Minute+30*time.Second, "eval", cluster.Ends)
	mark(7*time.Minute, "epoch 8", cluster.Begins)
	mark(2*time.Minute, "saved", cluster.Moment)
	return s
}

// StepsFixture is MarksFixture with a log that tells its steps: for four minutes they take longer.
func StepsFixture() *cluster.Snapshot {
	s := MarksFixture()
	j, total := &s.Jobs[0], int64(100_000)
	for ago := 9 * time.Minute; ago > 0; ago -= 5 * time.Second {
		step, pace := 41_200-int64(ago/(3*time.Second)), 2.4
		loss := 2.1 + 0.4*ago.Minutes()/9
		known := progress.Progress{Form: "general", At: Ago(ago), Step: &step, Total: &total,
			Scope: progress.OfRun, Loss: &loss}
		if ago < 4*time.Minute {
			pace, known.Slower = 3.1, &progress.Slower{Before: 2.4, Since: Ago(4 * time.Minute)}
		}
		known.SecondsPerStep = &pace
		j.Progress = &cluster.JobProgress{Job: j.ID, Progress: known}
		j.Steps = j.Steps.AddPoint(Ago(ago), &known, false, s.Bin(), time.Hour)
	}
	return s
}

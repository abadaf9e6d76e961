package store

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The traffic of a node is its job's alone unless others have GPUs of it: a lost GPU still belongs to the job.
func TestSharedTraffic(t *testing.T) {
	for name, tc := range map[string]struct {
		minors []int
		lost   bool
		want   bool
	}{
		"all":              {[]int{0, 1}, false, false},
		"all, one is lost": {[]int{0, 1}, true, false},
		"some":             {[]int{0}, false, true},
	} {
		w := newWorld()
		w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": tc.minors}})
		w.try(0, "a")
		w.hello(0, "a", 2)
		for sec := 3.0; sec < 30; sec += 3 {
			r := &wire.Report{MonoMS: 1000 + int64(sec*1000), GPUs: []wire.GPU{{Index: 0}, {Index: 1}}}
			r.GPUs[0].Values.Set(metric.Util, 90)
			if tc.lost {
				r.GPUs[1].Lost, r.GPUs[1].LostID = "GPU is lost", wire.LostFellOff
			}
			w.Apply(cluster.Event{At: at(sec), Node: "a", Report: r})
		}
		if g := w.nodes["a"].paces[0]; g.Job != "1" || g.Shared != tc.want {
			t.Errorf("%s: of job %q, shared: %t", name, g.Job, g.Shared)
		}
	}
}

// A job is known to work together if NCCL has said so of all its GPUs, in this run, as long as its program runs.
func TestCoupled(t *testing.T) {
	began := time.Unix(10_000, 0)
	const asked = 10 * time.Minute
	said := func(gpus int, after time.Duration) *rankstacks.Verdict {
		return &rankstacks.Verdict{Time: began.Add(after), NCCL: &rankstacks.NCCL{Coupled: gpus},
			Groups: []rankstacks.Group{{Ranks: []rankstacks.Rank{{Node: "a", PID: 7, StartTicks: 70},
				{Node: "a", PID: 8, StartTicks: 80}}}}}
	}
	runs := func(pid int, ticks uint64) wire.Process {
		return wire.Process{PID: pid, StartTicks: ticks}
	}
	for name, tc := range map[string]struct {
		first, then *rankstacks.Verdict
		gpus        int
		lists       []wire.Process
		listed      time.Duration // since the answer; 0: never
		want        bool
	}{
		"all":                       {first: said(8, asked), gpus: 8, want: true},
		"half of them":              {first: said(4, asked), gpus: 8},
		"all that were known then":  {first: said(4, asked), then: said(4, asked), gpus: 8},
		"asked again while it hung": {first: said(8, asked), then: said(0, 2*asked), gpus: 8, want: true},
		"the run before":            {first: said(8, -time.Minute), gpus: 8},
		"the job starts":            {first: said(8, time.Minute), gpus: 8},
		"one GPU":                   {first: said(1, asked), gpus: 1},
		"nobody asked":              {gpus: 8},
		"NCCL did not answer":       {first: &rankstacks.Verdict{Time: began.Add(asked)}, gpus: 8},
		"the program runs": {first: said(8, asked), gpus: 8, lists: []wire.Process{runs(8, 80)}, listed: 1,
			want: true},
		"another program": {first: said(8, asked), gpus: 8, lists: []wire.Process{runs(7, 71), runs(9, 90)},
			listed: 1},
		"none runs":   {first: said(8, asked), gpus: 8, listed: 1},
		"an old list": {first: said(8, asked), gpus: 8, listed: -1, want: true},
		"nobody was looked": {first: &rankstacks.Verdict{Time: began.Add(asked), NCCL: &rankstacks.NCCL{Coupled: 8}},
			gpus: 8},
	} {
		s, p, job := New(time.Second, nil), &jobPace{}, &cluster.Job{ID: "1", Start: began}
		n := newNodeRecord("a", began, time.Second)
		n.Listed, n.ListedAt, n.Processes = tc.listed != 0, began.Add(asked+tc.listed), tc.lists
		s.nodes["a"] = n
		s.stacks = map[string]*rankstacks.Verdict{"1": tc.first}
		if tc.then != nil {
			s.isCoupled(p, job, tc.first.NCCL.Coupled)
			s.stacks = map[string]*rankstacks.Verdict{"1": tc.then}
		}
		if got := s.isCoupled(p, job, tc.gpus); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

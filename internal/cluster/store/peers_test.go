package store

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
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

// A job is known to work together if NCCL has said so of all its GPUs, in this run.
func TestCoupled(t *testing.T) {
	began := time.Unix(1000, 0)
	said := func(gpus int, after time.Duration) *schema.Stacks {
		return &schema.Stacks{Time: began.Add(after), NCCL: &schema.StackNCCL{Coupled: gpus}}
	}
	for name, tc := range map[string]struct {
		said *schema.Stacks
		gpus int
		want bool
	}{
		"all":                 {said(8, time.Minute), 8, true},
		"half of them":        {said(4, time.Minute), 8, false},
		"the run before":      {said(8, -time.Minute), 8, false},
		"one GPU":             {said(1, time.Minute), 1, false},
		"nobody asked":        {nil, 8, false},
		"NCCL did not answer": {&schema.Stacks{Time: began.Add(time.Minute)}, 8, false},
	} {
		if got := coupled(tc.said, tc.gpus, began); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

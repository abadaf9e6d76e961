package store

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
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

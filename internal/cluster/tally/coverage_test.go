package tally

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/pastgpu"
)

// nodeOf is a node with four GPUs. The last one is lost.
func nodeOf(name string, state cluster.NodeState) *cluster.Node {
	n := &cluster.Node{Name: name, State: state}
	for i := range 4 {
		g := pastgpu.New(i, nil, nil)
		g.Card = &wire.Card{Minor: new(i), Index: i}
		g.Values = metric.Make(map[metric.ID]float64{metric.Util: 42})
		n.GPUs = append(n.GPUs, g)
	}
	n.GPUs[3].Lost = "GPU is lost"
	return n
}

// A node that jobs share counts once, and so does a GPU.
func TestCoveredCountsWhatIsSharedOnce(t *testing.T) {
	job := func(nodes []string, minors map[string][]int) cluster.JobView {
		return cluster.JobView{Job: cluster.Job{Nodes: nodes, Minors: minors}}
	}
	reporting, silent := nodeOf("n1", cluster.NodeReporting), nodeOf("n2", cluster.NodeStale)
	for name, test := range map[string]struct {
		jobs []cluster.JobView
		want Cover
	}{
		"none": {nil, Cover{}},
		"parts of a node": {
			[]cluster.JobView{job([]string{"n1"}, map[string][]int{"n1": {0, 1}}),
				job([]string{"n1", "n2"}, map[string][]int{"n1": {2, 3}, "n2": {0}})},
			Cover{Nodes: 2, NodesReporting: 1, GPUs: 5, GPUsSeen: 3},
		},
		"the same GPU": {
			[]cluster.JobView{job([]string{"n1"}, map[string][]int{"n1": {0}}),
				job([]string{"n1"}, map[string][]int{"n1": {0, 1}})},
			Cover{Nodes: 1, NodesReporting: 1, GPUs: 2, GPUsSeen: 2},
		},
		"the same GPU of a node that has never reported": {
			[]cluster.JobView{job([]string{"n3"}, map[string][]int{"n3": {0}}),
				job([]string{"n3"}, map[string][]int{"n3": {0, 1}})},
			Cover{Nodes: 1, GPUs: 2},
		},
		"GPUs that nobody has named": {[]cluster.JobView{job([]string{"n1"}, nil), job([]string{"n1"}, nil)},
			Cover{Nodes: 1, NodesReporting: 1, GPUs: 4, GPUsSeen: 3}},
		"a count, and all": {
			[]cluster.JobView{{Job: cluster.Job{Nodes: []string{"n1"}, Counts: map[string]int{"n1": 2}}},
				job([]string{"n1"}, nil)},
			Cover{Nodes: 1, NodesReporting: 1, GPUs: 4, GPUsSeen: 3},
		},
		"no GPU": {[]cluster.JobView{job([]string{"n1"}, map[string][]int{"n1": {}})},
			Cover{Nodes: 1, NodesReporting: 1}},
	} {
		s := &cluster.Snapshot{Jobs: test.jobs, Nodes: map[string]*cluster.Node{"n1": reporting, "n2": silent}}
		if got := Covered(s); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

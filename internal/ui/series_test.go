package ui

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// The right edge of several histories is a bin that all have, save those whose reports have stopped.
func TestEdge(t *testing.T) {
	gpu := func(newest int64) *cluster.GPU {
		g := &cluster.GPU{}
		g.History.Add(newest, historyLen, func(metric.ID) float64 { return 1 })
		return g
	}
	for _, test := range []struct {
		gpus []*cluster.GPU
		want int64
	}{
		{nil, 0}, {[]*cluster.GPU{{}}, 0}, {[]*cluster.GPU{gpu(100)}, 100}, {[]*cluster.GPU{gpu(99), gpu(100), {}}, 99},
		{[]*cluster.GPU{gpu(100), gpu(98), gpu(99)}, 98}, {[]*cluster.GPU{gpu(97), gpu(100)}, 100},
	} {
		if got := edge(test.gpus...); got != test.want {
			t.Errorf("got %d, want %d", got, test.want)
		}
	}
}

package say

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The GPU of a process is named, by its number and not by the place in NVML's list.
func TestTheGPUOfAProcess(t *testing.T) {
	on := func(index int) *wire.Process {
		return &wire.Process{GPU: index, PID: 4711}
	}
	n := &cluster.Node{GPUs: []cluster.GPU{{GPU: &wire.GPU{}, Number: 2, Card: &wire.Card{Index: 0}},
		{GPU: &wire.GPU{}, Number: 6, Card: &wire.Card{Index: 1}}, {GPU: &wire.GPU{}, Number: cluster.NoNumber,
			Card: &wire.Card{Index: 2}}}}
	for _, tc := range []struct {
		p           *wire.Process
		others      []*wire.Process
		gpu, beside string
	}{
		{on(0), nil, "GPU2", ""},
		{on(1), []*wire.Process{on(0)}, "GPU6", ", and 1 more on GPU2"},
		{on(1), []*wire.Process{on(0), on(1), on(0)}, "GPU6", ", and 3 more on GPUs 2, 6"},
		{on(2), []*wire.Process{on(2)}, "a GPU", ", and 1 more"},
	} {
		if gpu, beside := gpuOf(n, tc.p), andMore(tc.others, n, 0); gpu != tc.gpu || beside != tc.beside {
			t.Errorf("%q%q, want %q%q", gpu, beside, tc.gpu, tc.beside)
		}
	}
}

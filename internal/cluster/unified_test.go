package cluster

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The processes tell the memory in use only where the driver does not, and only if each of them has a number.
func TestMemoryOfProcesses(t *testing.T) {
	of := func(gpu int, bytes uint64) wire.Process { return wire.Process{GPU: gpu, GPUMemory: &bytes} }
	for name, test := range map[string]struct {
		processes []wire.Process
		change    func(*Node)
		want      uint64
		known     bool
	}{
		"two":              {[]wire.Process{of(0, 90<<30), of(0, 1<<30), of(1, 5<<30)}, func(*Node) {}, 91 << 30, true},
		"of another GPU":   {[]wire.Process{of(1, 5<<30)}, func(*Node) {}, 0, false},
		"without a number": {[]wire.Process{of(0, 90<<30), {GPU: 0}}, func(*Node) {}, 0, false},
		"an old list":      {[]wire.Process{of(0, 90<<30)}, func(n *Node) { n.Listed = false }, 0, false},
		"not listed":       {[]wire.Process{of(0, 90<<30)}, func(n *Node) { n.GPUs[0].Unlisted = "no permission" }, 0, false},
		"counted": {[]wire.Process{of(0, 90<<30)}, func(n *Node) {
			n.GPUs[0].Values.Set(metric.MemoryUsed, 1<<30)
		}, 0, false},
	} {
		n := &Node{Listed: true, Processes: test.processes, GPUs: []GPU{{GPU: &wire.GPU{}}, {GPU: &wire.GPU{Index: 1}}}}
		test.change(n)
		if bytes, known := n.MemoryOfProcesses(&n.GPUs[0]); bytes != test.want || known != test.known {
			t.Errorf("%s: %d, %t", name, bytes, known)
		}
	}
}

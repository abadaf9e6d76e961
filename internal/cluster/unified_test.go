package cluster

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
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
		"some not listed": {[]wire.Process{of(0, 90<<30)}, func(n *Node) {
			n.Faults = []wire.Fault{{Collector: wire.CollectorProcesses, Error: "more than 1000 processes"}}
		}, 0, false},
		"some of it not listed": {[]wire.Process{of(0, 90<<30)}, func(n *Node) {
			n.Faults = []wire.Fault{{Collector: wire.CollectorProcesses, GPUs: []int{0, 3}}}
		}, 0, false},
		"some of another GPU not listed": {[]wire.Process{of(0, 90<<30)}, func(n *Node) {
			n.Faults = []wire.Fault{{Collector: wire.CollectorProcesses, GPUs: []int{1}}, {Collector: "power"}}
		}, 90 << 30, true},
		"without memory": {[]wire.Process{of(0, 0)}, func(*Node) {}, 0, false},
		"without numbers of the GPU yet": {[]wire.Process{of(0, 90<<30)}, func(n *Node) {
			n.GPUs[0].Values = metric.Values{}
		}, 0, false},
		"counted": {[]wire.Process{of(0, 90<<30)}, func(n *Node) {
			n.GPUs[0].Values.Set(metric.MemoryUsed, 1<<30)
		}, 0, false},
	} {
		n := unified(test.processes...)
		test.change(n)
		if bytes, known := n.MemoryOfProcesses(&n.GPUs[0]); bytes != test.want || known != test.known {
			t.Errorf("%s: %d, %t", name, bytes, known)
		}
	}
}

// unified is a node with two GPUs whose memory the driver does not count.
func unified(processes ...wire.Process) *Node {
	n := &Node{Listed: true, Processes: processes, GPUs: []GPU{{GPU: &wire.GPU{}}, {GPU: &wire.GPU{Index: 1}}}}
	for i := range n.GPUs {
		n.GPUs[i].Values.Set(metric.Util, 96)
	}
	return n
}

// A GPU without processes adds nothing to the sum of several; one whose processes are not known makes it unknown, and
// so does one whose memory the driver counts.
func TestMemoryOfProcessesOfSeveral(t *testing.T) {
	bytes := uint64(90 << 30)
	n := unified(wire.Process{GPU: 1, GPUMemory: &bytes})
	if sum, known := n.MemoryOfProcesses(&n.GPUs[0], &n.GPUs[1]); sum != bytes || !known {
		t.Errorf("one without processes: %d, %t", sum, known)
	}
	n.GPUs[0].Unlisted = "no permission"
	if sum, known := n.MemoryOfProcesses(&n.GPUs[0], &n.GPUs[1]); known {
		t.Errorf("one is not listed: %d", sum)
	}
	n.GPUs[0].Unlisted = ""
	n.GPUs[0].Values.Set(metric.MemoryUsed, 1<<30)
	if sum, known := n.MemoryOfProcesses(&n.GPUs[0], &n.GPUs[1]); known {
		t.Errorf("one is counted: %d", sum)
	}
}

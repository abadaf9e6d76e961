package tally

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestOnly(t *testing.T) {
	gpu := &cluster.GPU{GPU: &wire.GPU{}, Number: 3, Card: &wire.Card{UUID: "GPU-1c2d-aa", PCIBus: "00000000:1B:00.0"}}
	other := &cluster.GPU{GPU: &wire.GPU{}, Number: 1, Card: &wire.Card{UUID: "GPU-77", PCIBus: "00000001:1B:00.0"}}
	instance := &cluster.GPU{GPU: &wire.GPU{}, Number: 3, Card: &wire.Card{UUID: "MIG-5", PCIBus: "00000000:1B:00.0",
		Instance: &wire.Instance{Parent: "GPU-1c2d-aa", Index: 1}}}
	for name, want := range map[string][3]bool{ // gpu, other, instance
		"3": {true, false, true}, "1": {false, true, false}, "3:1": {false, false, true}, "3:2": {}, "13": {},
		"gpu-1C2D": {true, false, true}, "GPU-": {}, "MIG-5": {false, false, true},
		"1b:00.0": {true, false, true}, "0000:1B:00.0": {true, false, true}, "00000001:1b:00.0": {false, true, false},
		"1c:00.0": {},
	} {
		o := Only{name}
		if got := [3]bool{o.Shows(gpu), o.Shows(other), o.Shows(instance)}; got != want ||
			NamesGPU(name) != (name != "GPU-") {
			t.Errorf("%s shows %v, want %v; is a name: %v", name, got, want, NamesGPU(name))
		}
	}
	n := &cluster.Node{GPUs: []cluster.GPU{*gpu, *other}, Processes: []wire.Process{{PID: 7, GPU: 0}, {PID: 7, GPU: 1},
		{PID: 8, GPU: 1}, {PID: 9, GPU: 5}}}
	n.GPUs[1].Index = 1
	// of GPU 3, GPU 1, all
	for pid, want := range map[int][3]bool{7: {true, true, true}, 8: {false, true, true}, 9: {true, true, true},
		10: {true, true, true}} {
		id := wire.ProcessID{PID: pid}
		if got := [3]bool{Only{"3"}.ShowsProcess(n, id), Only{"1"}.ShowsProcess(n, id),
			Only{}.ShowsProcess(n, id)}; got != want {
			t.Errorf("process %d: %v, want %v", pid, got, want)
		}
	}
	if (Only{"2"}).ShowsProcess(n, wire.ProcessID{PID: 7}) {
		t.Error("a process on two hidden GPUs is shown")
	}
	if !(Only{}).Shows(other) || !(Only{"3", "1"}).Shows(other) ||
		(Only{"0"}).Shows(&cluster.GPU{GPU: &wire.GPU{}, Number: cluster.NoNumber}) {
		t.Error("none, or several")
	}
	for _, name := range []string{"", "x", "-1", "1,2", "GPU-xyz", "1b:00", "3:"} {
		if NamesGPU(name) {
			t.Errorf("%q names a GPU", name)
		}
	}
}

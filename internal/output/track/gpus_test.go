package track

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

const gib = 1 << 30

// gpu is a sample of a GPU.
func gpu(index int, util, used float64) wire.GPU {
	return wire.GPU{Index: index, Values: metric.Make(map[metric.ID]float64{metric.Util: util, metric.MemoryUsed: used,
		metric.MemoryTotal: 8 * gib})}
}

func on(pid int, start uint64, index int, bytes uint64) wire.Process {
	return wire.Process{PID: pid, StartTicks: start, GPU: index, GPUMemory: &bytes}
}

var twoGPUs = cluster.Event{Hello: &wire.Hello{GPUs: []wire.Card{
	{Index: 0, UUID: "GPU-a"}, {Index: 1000, UUID: "MIG-a", Instance: &wire.Instance{Parent: "GPU-a"}},
	{Index: 1, UUID: "GPU-b"},
}}}

func TestGPUs(t *testing.T) {
	f := &family{main: 10, members: map[int]*member{10: {Stat: proc.Stat{Start: 5}}, 11: {}}}
	for name, tc := range map[string]struct {
		expected []string
		want     GPUUtilization
	}{
		"all": {nil, GPUUtilization{SystemGPUs: 2, ExpectedGPUs: 2,
			Percentages: Percents{MaxSum: 150, MaxHardware: 75, MeanSum: 100, MeanHardware: 50}}},
		"GPU-b": {[]string{"GPU-b"}, GPUUtilization{SystemGPUs: 2, ExpectedGPUs: 1,
			Percentages: Percents{MaxSum: 60, MaxHardware: 60, MeanSum: 30, MeanHardware: 30}}},
		"unknown": {[]string{"GPU-c"}, GPUUtilization{SystemGPUs: 2, ExpectedGPUs: 1, Percentages: Percents{}}},
	} {
		g := gpuUsage{expected: tc.expected}
		g.applyEvent(&twoGPUs, false)
		early := wire.Report{MonoMS: 1, GPUs: []wire.GPU{gpu(0, 100, 8*gib)}}
		g.applyEvent(&cluster.Event{Report: &early}, false) // the command does not run yet
		for _, r := range []wire.Report{
			{MonoMS: 1000, GPUs: []wire.GPU{gpu(0, 0, gib), gpu(1000, 0, gib), gpu(1, 0, 0)}},
			{MonoMS: 2000, Listed: true, GPUs: []wire.GPU{gpu(0, 90, 3*gib), gpu(1, 60, gib)},
				Processes: []wire.Process{
					on(10, 5, 0, gib), on(10, 5, 1, gib), on(11, 0, 0, gib/2), on(12, 0, 0, gib), on(10, 4, 0, 5*gib),
					{PID: 11, Identity: wire.Identity{Foreign: true}},
				}},
			{MonoMS: 4000, GPUs: []wire.GPU{gpu(0, 60, 2*gib), gpu(1, 15, gib)}},
		} {
			g.applyEvent(&cluster.Event{Report: &r}, true)
			g.attributeMemory(f)
		}
		g.applyEvent(&cluster.Event{Hello: &wire.Hello{Fault: "driver unloaded"}}, true)
		if got := g.makeUtilization(); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
		ram := GPURAM{Unit: "bytes", SystemCapacity: 16 * gib, System: 4 * gib, Main: 2 * gib, Descendants: gib / 2,
			Combined: 2.5 * gib}
		if got := g.makeRAM("bytes"); got != ram {
			t.Errorf("%s: %+v, want %+v", name, got, ram)
		}
	}
}

func TestNoGPU(t *testing.T) {
	var g gpuUsage
	g.applyEvent(&cluster.Event{Hello: &wire.Hello{FaultID: wire.FaultNoLibrary}}, true)
	g.applyEvent(&cluster.Event{Report: &wire.Report{MonoMS: 1}}, true)
	g.applyEvent(&cluster.Event{Report: &wire.Report{MonoMS: 1000}}, true)
	if got := g.makeUtilization(); got != (GPUUtilization{}) {
		t.Errorf("%+v, want zeros", got)
	}
	if got := g.makeRAM("gigabytes"); got != (GPURAM{Unit: "gigabytes"}) {
		t.Errorf("%+v, want zeros", got)
	}
}

// Reports of a GPU from before the command do not count in its report.
func TestHasGPUs(t *testing.T) {
	var tr Tracker
	report := cluster.Event{Report: &wire.Report{MonoMS: 1000, GPUs: []wire.GPU{gpu(0, 90, gib)}}}
	for _, e := range []cluster.Event{twoGPUs, report} {
		if tr.Apply(e); tr.HasGPUs() {
			t.Error("there are numbers from before the command")
		}
	}
	tr.family.main = 10
	if tr.Apply(report); !tr.HasGPUs() {
		t.Error("there are no numbers")
	}
}

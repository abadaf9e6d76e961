package export

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// full is a cluster of which everything is known, and every number and every text is another one. n1 streams and is shared by two jobs,
// n2 failed, n3 has not been reached yet, n4 has lost its connection and has no driver.
func full() *cluster.Snapshot {
	s := cluster.NewStore(3*time.Second, health.New())
	at := func(sec int) time.Time { return now.Add(time.Duration(sec) * time.Second) }
	for _, e := range []cluster.Event{
		{At: at(-50), Discovery: fullDiscovery(at)},
		{At: at(-49), Node: "n1", Try: &cluster.Try{Interval: 3 * time.Second}},
		{At: at(-48), Node: "n1", Hello: fullHello()},
		{At: at(-47), Node: "n1", Report: earlyReport()},
		{At: at(-44), Node: "n1", Report: earlyReport()},
		{At: at(-2), Node: "n1", Report: fullReport()},
		{At: at(-46), Node: "n2", Try: &cluster.Try{Interval: 3 * time.Second}},
		{At: at(-45), Node: "n2", Down: &cluster.Down{Failure: reach.Failure{
			Class: reach.ClassAdopt, Stage: reach.StageLogin, Summary: "login refused", Words: "no active jobs\non this node", Meaning: "The step has ended.",
			Hints: []string{"Look at the output.", "Try ssh."},
		}}},
		{At: at(-15), Node: "n4", Try: &cluster.Try{Interval: 3 * time.Second}},
		{At: at(-14), Node: "n4", Hello: &wire.Hello{Host: "n4.cluster", CPUs: 32, Fault: "driver not loaded", FaultID: wire.FaultNoDriver}},
		{At: at(-13), Node: "n4", Report: &wire.Report{Host: wire.Host{Load1: new(0.25)}}},
		{At: at(-12), Node: "n4", Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed, Summary: "connection closed", Words: "Connection reset"}}},
	} {
		s.Apply(e)
	}
	return s.Snapshot(now)
}

func fullDiscovery(at func(int) time.Time) *cluster.Discovery {
	return &cluster.Discovery{
		Command: "squeue --me", User: "alice", Host: "login1", Asked: at(-51), Answered: at(-110), Took: 40 * time.Millisecond,
		Failure: &reach.Failure{
			Class: reach.ClassSlurm, Summary: "squeue failed", Words: "Unable to contact slurm controller", Meaning: "The daemon does not answer.", Hints: []string{"scontrol ping"},
		},
		Jobs: []cluster.Job{
			{
				ID: "2_1", Number: "16", Name: "a <b> & c", User: "alice", Partition: "gpu", Start: at(-3600), End: at(5400), Limit: 9000 * time.Second,
				Nodes: []string{"n1", "n2", "n3", "n4"}, Minors: map[string][]int{"n1": {6, 4}, "n2": {0, 1, 2}, "n4": {3}},
			},
			{ID: "18", Number: "180", Name: "shared", User: "bob", Partition: "half", Start: at(-7200), Nodes: []string{"n1", "n2"}, Minors: map[string][]int{"n1": {4, 5}, "n2": {3}}},
		},
		Pending: []cluster.PendingJob{{ID: "17", Name: "next", Partition: "long", Nodes: 2, GPUs: new(8), Reason: "Priority", Start: at(3000)}},
	}
}

// fullHello lists the GPUs in another order than their numbers'.
func fullHello() *wire.Hello {
	return &wire.Hello{
		Host: "n1.cluster", Driver: "550.54", CUDA: "12.4", CPUs: 64,
		GPUs: []wire.Card{
			{Index: 0, UUID: "GPU-a", Minor: new(6), Name: "NVIDIA H100", PCIBus: "00000000:1B:00.0", SMMax: new(1980), SlowdownC: new(89)},
			{Index: 1, UUID: "GPU-b", Minor: new(4), Name: "NVIDIA A100", PCIBus: "00000000:2C:00.0", MIG: true},
			{Index: 2, UUID: "GPU-c", Minor: new(5), Name: "NVIDIA L40", PCIBus: "00000000:3D:00.0", SMMax: new(2520), SlowdownC: new(95)},
		},
	}
}

// This function alone knows how the numbers of a GPU are kept.
func fullReport() *wire.Report {
	return &wire.Report{
		Host: wire.Host{CPUPercent: new(31.5), Load1: new(41.25), MemoryUsed: new(uint64(3003)), MemoryTotal: new(uint64(4004)), UptimeSec: new(int64(77000))},
		GPUs: []wire.GPU{
			{
				Index: 0, UtilPercent: new(97), MemUtilPercent: new(7), MemoryUsed: new(uint64(5005)), MemoryTotal: new(uint64(6006)), TempC: new(87), PowerW: new(262.5),
				PowerLimitW: new(700.0), SMMHz: new(1215), MemMHz: new(2619), Throttle: new(uint64(wire.ThrottleHWThermal | wire.ThrottleHWSlowdown)), ECCUncorrected: new(uint64(2)),
			},
			{Index: 1, Lost: "GPU is lost"},
			{
				Index: 2, UtilPercent: new(0), MemUtilPercent: new(1), MemoryUsed: new(uint64(7007)), MemoryTotal: new(uint64(8008)), TempC: new(33), PowerW: new(61.5),
				PowerLimitW: new(350.0), SMMHz: new(210), MemMHz: new(405), Throttle: new(uint64(0x1ff)), ECCUncorrected: new(uint64(3)),
			},
		},
		Listed: true, Processes: []wire.Process{
			{
				PID: 701, StartTicks: 901, GPU: 0, Type: "C", User: "alice", UID: new(1001), Name: "python", Command: "python train.py", Job: "16", GPUMemory: new(uint64(5001)),
				SMPercent: new(98), MemPercent: new(61), CPUPercent: new(101.5), RSS: new(uint64(6001)), ElapsedSec: new(int64(3599)),
			},
			{
				PID: 702, StartTicks: 902, GPU: 2, Type: "C+G", User: "bob", UID: new(1002), Name: "render", Command: "./render", Job: "180", GPUMemory: new(uint64(5002)),
				SMPercent: new(12), MemPercent: new(13), CPUPercent: new(14.5), RSS: new(uint64(6002)), ElapsedSec: new(int64(15)),
			},
			{PID: 703, GPU: 55, Type: "C"}, // on a GPU that there is not: it is left out
		},
		Faults: []wire.Fault{{Collector: "processes", Error: "no permission"}},
	}
}

// earlyReport has a GPU that is back later, the last one.
func earlyReport() *wire.Report {
	r := fullReport()
	r.GPUs[2].Lost = "GPU was lost"
	return r
}

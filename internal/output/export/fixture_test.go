package export

import (
	"hash/crc32"
	"math"
	"reflect"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// full is a cluster with every fact known, and with a different value for every number and every text. n1 streams and
// is shared by two jobs, n2 failed, n3 has not been reached yet, n4 has lost its connection and has no driver, n5 does
// not list one of the job's GPUs and the others hang, n6 has MIG on, n7 has failed after its report.
func full() *cluster.Snapshot {
	s := store.New(3*time.Second, health.Rules(health.Defaults()))
	at := func(sec int) time.Time { return now.Add(time.Duration(sec) * time.Second) }
	for _, e := range []cluster.Event{
		{At: at(-50), Discovery: fullDiscovery(at)},
		{At: at(-49), Node: "n1", Try: &cluster.Try{Interval: 3 * time.Second, Route: reach.Route{Door: "openssh"}}},
		{At: at(-48), Node: "n1", Hello: fullHello()},
		{At: at(-47), Node: "n1", Report: earlyReport()},
		{At: at(-44), Node: "n1", Report: earlyReport()},
		{At: at(-2), Node: "n1", Report: fullReport()},
		{At: at(-46), Node: "n2", Try: &cluster.Try{Interval: 3 * time.Second}},
		{At: at(-45), Node: "n2", Down: &cluster.Down{Failure: reach.Failure{
			Class: reach.ClassAdopt, Stage: "login", Short: "login refused", Words: "no active jobs\non this node",
			Meaning: "The step has ended.",
			Hints:   []string{"Look at the output.", "Try ssh."},
			Doors: []reach.Tried{{Door: "control", Class: reach.ClassNoDoor, Summary: "no master"},
				{Door: "ssh", Class: reach.ClassAdopt, Summary: "login refused", Hint: "Look."}},
		}}},
		{At: at(-11), Node: "n6", Try: &cluster.Try{Interval: 3 * time.Second}},
		{At: at(-6), Node: "n6", Hello: &wire.Hello{Host: "n6.cluster", CPUs: 16, GPUs: []wire.Card{
			{UUID: "GPU-m", Minor: new(0), MIG: true}, {Index: 1026, Minor: new(0), Name: "NVIDIA A100 MIG 2g.20gb",
				PCIBus: "00000000:2C:00.0", Instance: &wire.Instance{Parent: "GPU-m", Index: 1, GPU: 3, Compute: 2}},
		}}},
		{At: at(-5), Node: "n6", Report: &wire.Report{GPUs: []wire.GPU{{},
			{Index: 1026, Values: metric.Make(map[metric.ID]float64{metric.MemoryUsed: 9009})}}, Listed: true,
			Processes: []wire.Process{{PID: 705, GPU: 1026, Type: "C"}}}},
		{At: at(-49), Node: "n7", Try: &cluster.Try{Interval: 3 * time.Second, Route: reach.Route{Door: "srun"}}},
		{At: at(-42), Node: "n7", Hello: &wire.Hello{Host: "n7.cluster", CPUs: 24,
			GPUs: []wire.Card{{UUID: "GPU-g", Minor: new(0), Name: "NVIDIA H200"}}}},
		{At: at(-41), Node: "n7", Report: pastReport()},
		{At: at(-40), Node: "n7", Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed,
			Short: "no answer", Words: "Broken pipe"}}},
		{At: at(-9), Node: "n5", Try: &cluster.Try{Interval: 3 * time.Second}},
		{At: at(-8), Node: "n5", Hello: &wire.Hello{Host: "n5.cluster", CPUs: 8, Job: "16",
			GPUs: []wire.Card{{UUID: "GPU-e", Minor: new(2)}, {Index: 1, UUID: "GPU-f", Minor: new(3)}}}},
		{At: at(-7), Node: "n5", Report: &wire.Report{GPUs: []wire.GPU{{HangsMS: 11_000, Call: "memory"},
			{Index: 1, HangsMS: 12_000}}}},
		{At: at(-15), Node: "n4", Try: &cluster.Try{Interval: 3 * time.Second}},
		{At: at(-14), Node: "n4", Hello: &wire.Hello{Host: "n4.cluster", CPUs: 32, Fault: "driver not loaded",
			FaultID: wire.FaultNoDriver, StandIn: "no probe for Linux ppc64le"}},
		{At: at(-13), Node: "n4", Report: &wire.Report{Host: wire.Host{Values: metric.Make(
			map[metric.ID]float64{metric.Load: 0.25})}}},
		{At: at(-12), Node: "n4", Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed,
			Short: "connection closed", Words: "Connection reset"}}},
		{At: at(-3), Progress: fullProgress(at)},
		{At: at(-3), Progress: &cluster.JobProgress{Job: "19", Progress: progress.Progress{Form: "bar", At: at(-700),
			Step: new(int64(77)), Scope: progress.OfEpoch}, Silence: &progress.Silence{Since: at(-701)}}},
	} {
		s.Apply(e)
	}
	snap := s.Snapshot(now)
	snap.Jobs[0].Roles = []pace.Role{{GPUs: 9101, Util: 61.125}, {GPUs: 9102, Util: 62.375}}
	return snap
}

func fullProgress(at func(int) time.Time) *cluster.JobProgress {
	return &cluster.JobProgress{Job: "2_1", Progress: progress.Progress{Form: "general", At: at(-4),
		Step: new(int64(41_200)), Total: new(int64(44_300)), Scope: progress.OfRun, Epoch: new(2.75), Epochs: new(int64(13)),
		SecondsPerStep: new(3.1), Source: progress.Counted, Slower: &progress.Slower{Before: 2.4, Since: at(-1900)},
		UnitsPerSecond: new(412.5), Unit: "samples", Loss: new(2.31), Diverged: true, LearningRate: new(0.00029),
		MFU: new(43.25), LastCheckpoint: &progress.Checkpoint{Step: new(int64(41_000)), At: at(-620)},
		Resumed: new(int64(20_500))}}
}

func fullDiscovery(at func(int) time.Time) *cluster.Discovery {
	return &cluster.Discovery{
		Command: "squeue --me", User: "alice", Host: "login1", Asked: at(-51), Answered: at(-110),
		Took: 40 * time.Millisecond, Note: "only one cluster is asked",
		Failure: &reach.Failure{
			Class: reach.ClassSlurm, Short: "squeue failed", Words: "Unable to contact slurm controller",
			Meaning: "The daemon does not answer.", Hints: []string{"scontrol ping"},
		},
		Switches: []cluster.Switch{{Name: "leaf1", Nodes: []string{"n1", "n2"}},
			{Name: "leaf2", Nodes: []string{"n5"}}},
		Jobs: []cluster.Job{
			{
				ID: "2_1", Number: "16", Name: "a <b> & c", User: "alice", Partition: "gpu", Start: at(-3600),
				End: at(5400), Limit: 9000 * time.Second,
				Nodes: []string{"n1", "n2", "n3", "n4", "n5"}, Minors: map[string][]int{"n1": {6, 4}, "n2": {0, 1, 2},
					"n4": {3}, "n5": {2, 3, 9}},
			},
			{ID: "19", Number: "190", Name: "unknown GPUs", User: "carol", Start: at(-7201),
				Nodes: []string{"n1", "n6", "n7"}, Minors: map[string][]int{"n6": {0}, "n7": {0}}},
			{ID: "18", Number: "180", Name: "shared", User: "bob", Partition: "half", Start: at(-7200), Suspended: true,
				Nodes: []string{"n1", "n2"}, Minors: map[string][]int{"n1": {4, 5, 6}, "n2": {3}}},
		},
		Pending: []cluster.PendingJob{{ID: "17", Name: "next", Partition: "long", Nodes: 2, GPUs: new(8),
			Reason: "Priority", Start: at(3000), Booting: true}},
		Ended: []cluster.EndedJob{
			{
				ID: "2_3", Number: "20", Name: "over", Partition: "short", Nodes: 3, GPUs: new(12),
				State: cluster.JobFailed, Exit: &cluster.Exit{Code: 5, Signal: 9},
				Start: at(-900), End: at(-70), Missed: at(-60), OutOfMemory: "0", Cause: "rank 3: ValueError: bad batch",
			},
		},
	}
}

// fullHello lists the GPUs in another order than their numbers'.
func fullHello() *wire.Hello {
	return &wire.Hello{
		Host: "n1.cluster", Driver: "550.54", CUDA: "12.4", CPUs: 64,
		GPUs: []wire.Card{
			{Index: 0, UUID: "GPU-a", Minor: new(6), Name: "NVIDIA H100", PCIBus: "00000000:1B:00.0", Serial: "1650023",
				VBIOS: "96.00.61", Capability: "9.0", FabricDomain: "1ad0c0de-0000-4000-8000-000000000001",
				Absent: map[string][]string{"Not Supported": {"fan_percent", "ofa_percent"}},
				Values: numbers(true, map[metric.ID]float64{metric.MemoryTotal: 6006, metric.SMClockMax: 1980,
					metric.Slowdown: 89})},
			{Index: 1, UUID: "GPU-b", Minor: new(4), Name: "NVIDIA A100", PCIBus: "00000000:2C:00.0"},
			{Index: 2, UUID: "GPU-c", Minor: new(5), Name: "NVIDIA L40", PCIBus: "00000000:3D:00.0",
				Values: numbers(true, map[metric.ID]float64{metric.MemoryTotal: 8008, metric.SMClockMax: 2520,
					metric.Slowdown: 95})},
			{Index: 3},
		},
	}
}

// numbers are the numbers of a GPU that are read once, or all others. An unnamed number has a value too, different from
// all others, which its key makes: so a new metric leaves the others as they are.
func numbers(once bool, named map[metric.ID]float64) metric.Values {
	v, taken := metric.Make(named), map[uint32]bool{}
	for _, value := range named {
		taken[uint32(value)] = true
	}
	for id := range metric.All(metric.GPU) {
		low, width := uint32(10_000), uint32(10_000)
		switch id.Row().Unit {
		case metric.Percent:
			low, width = 10, 70
		case metric.Celsius, metric.Relative:
			low, width = 200, 40
		}
		number := low + crc32.ChecksumIEEE([]byte(id.String()))%width
		for taken[number] {
			number++
		}
		taken[number] = true
		if !v.Has(id) && (id.Row().Pace == metric.Once) == once {
			v.Set(id, float64(number))
		}
	}
	return v
}

// fullProcess gives a process a different value for each number that it lacks.
func fullProcess(p wire.Process) wire.Process {
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && f.IsNil() {
			f.Set(reflect.New(f.Type().Elem()))
			f.Elem().Set(reflect.ValueOf(70 + i).Convert(f.Type().Elem()))
		}
	}
	return p
}

func fullReport() *wire.Report {
	hot := numbers(false, map[metric.ID]float64{
		metric.Util: 97, metric.MemUtil: 7, metric.MemoryUsed: 5005, metric.Temperature: 87, metric.Power: 262.5,
		metric.PowerLimit: 700,
		metric.SMClock:    1215, metric.MemClock: 2619,
		metric.Throttle:       wire.ThrottleHWThermal | wire.ThrottleHWSlowdown,
		metric.ECCUncorrected: 2,
	})
	cold := numbers(false, map[metric.ID]float64{
		metric.Util: 0, metric.MemUtil: 1, metric.MemoryUsed: 7007, metric.Temperature: 33, metric.Power: 61.5,
		metric.PowerLimit: 350,
		metric.SMClock:    1410, metric.MemClock: 405, metric.Throttle: 0x1ff, metric.ECCUncorrected: 3,
	})
	cold.Set(metric.RemapFailed, math.NaN()) // after a critical finding the earlier state does not matter
	return &wire.Report{
		Host: wire.Host{Values: metric.Make(map[metric.ID]float64{
			metric.CPU: 31.5, metric.Load: 41.25, metric.HostMemoryUsed: 3003, metric.HostMemoryTotal: 4004,
			metric.Uptime: 77000, metric.NVMLCalls: 44,
			metric.Load5: 42.5, metric.Load15: 43.5, metric.SwapUsed: 51, metric.SwapTotal: 52, metric.NetTX: 53,
			metric.NetTXPackets: 153, metric.NetRXPackets: 154, metric.DiskRead: 155, metric.DiskWrite: 156,
			metric.NetRX: 54, metric.InfiniBandTX: 55, metric.InfiniBandRX: 56,
			metric.DiskFree: 57, metric.DiskTotal: 58, metric.TmpFree: 59, metric.TmpTotal: 60, metric.ShmFree: 69,
			metric.ShmTotal:    70,
			metric.CPUUserTime: 61, metric.CPUSystemTime: 62, metric.CPUIdleTime: 63, metric.CPUIOWaitTime: 64,
			metric.HostMemoryBuffers: 65, metric.HostMemoryCached: 66, metric.HostMemoryShared: 67,
			metric.HostMemorySlab: 68,
		})},
		GPUs: []wire.GPU{{Index: 0, Values: hot}, {Index: 1, Lost: "GPU requires reset", LostID: wire.LostReset},
			{Index: 2, Values: cold}, {Index: 3, HangsMS: 9500, Call: "power", AgeMS: 8500,
				Unlisted: "no permission for GPU 3",
				Values:   metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1})}},
		Listed: true, Processes: []wire.Process{
			fullProcess(wire.Process{
				PID: 701, StartTicks: 901, GPU: 0, Type: "C", State: "R", GPUMemory: new(uint64(5001)),
				Threads: new(33),
				Identity: wire.Identity{
					User: "alice", UID: new(1001), Name: "python", Command: "python train.py", Directory: "/home/alice",
					CPUAffinity: "0-7",
					Parent:      700, Job: "16", Step: "4",
					Rank: &wire.Rank{Rank: 2, Local: new(1), World: new(4), From: "RANK"},
				},
				SMPercent: new(98), MemPercent: new(61), EncPercent: new(21), DecPercent: new(22),
				CPUPercent: new(101.5), RSS: new(uint64(6001)), ElapsedSec: new(int64(3599)),
				IORead: new(uint64(180_000_000)), IOWrite: new(uint64(41)),
			}),
			{
				PID: 702, StartTicks: 902, GPU: 2, Type: "C+G",
				Identity: wire.Identity{User: "bob", UID: new(1002), Name: "render", Command: "./render", Job: "180",
					NoRank: wire.NoRankOverwritten},
				GPUMemory: new(uint64(5002)),
				SMPercent: new(12), MemPercent: new(13), CPUPercent: new(14.5), RSS: new(uint64(6002)),
				ElapsedSec: new(int64(15)),
			},
			{PID: 704, GPU: 3, Type: "M", Identity: wire.Identity{Foreign: true}},
			{PID: 705, GPU: 3, Type: "C", Identity: wire.Identity{Ended: true}, GPUMemory: new(uint64(5005))},
			{PID: 703, GPU: 55, Type: "C"}, // on a GPU that there is not: it is left out
		},
		Jobs:   []wire.JobMemory{{Job: "16", Used: 7003, Limit: 7004}},
		Faults: []wire.Fault{{Collector: "processes", Error: "no permission", GPUs: []int{0, 2}}},
		MonoMS: 90_000, Xids: []wire.Xid{{GPU: 0, Code: 79, MonoMS: 89_000}, {GPU: 3, Code: 31, MonoMS: 89_500}},
	}
}

// pastReport is the last report of a node that has failed since.
func pastReport() *wire.Report {
	return &wire.Report{
		Host: wire.Host{Values: metric.Make(map[metric.ID]float64{metric.CPU: 71.5, metric.Load: 72.25})},
		GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Util: 96, metric.Temperature: 91,
			metric.Power: 691.5})}},
		Listed: true, Processes: []wire.Process{{PID: 711, StartTicks: 911, Type: "C",
			Identity: wire.Identity{User: "carol", Job: "190", Rank: &wire.Rank{Rank: 6, From: "PMIX_RANK",
				Program: "5e"}}}, {PID: 712, StartTicks: 912, Type: "C",
			Identity: wire.Identity{User: "carol", Job: "190", Rank: &wire.Rank{Rank: 6, From: "PMIX_RANK",
				Program: "6f"}}}},
		Jobs:   []wire.JobMemory{{Job: "190", Used: 7103, Limit: 7104}},
		Faults: []wire.Fault{{Collector: "network", Error: "no such file"}},
		MonoMS: 40_000, Xids: []wire.Xid{{Code: 48, MonoMS: 38_000}},
	}
}

// earlyReport has a GPU that is back later, a power brake that is over later on a GPU without a number, and ranks that
// are gone later.
func earlyReport() *wire.Report {
	r := fullReport()
	r.Xids, r.MonoMS = nil, 0
	r.GPUs[2].Lost, r.GPUs[2].LostID = "GPU was lost", wire.LostFellOff
	r.GPUs[3] = wire.GPU{Index: 3, Values: metric.Make(map[metric.ID]float64{metric.Throttle: wire.ThrottleHWPowerBrake})}
	for number, gpu := range []int{2, 3} {
		who := wire.Identity{Job: "16", Rank: &wire.Rank{Rank: number, World: new(4), From: "RANK"}}
		r.Processes = append(r.Processes, wire.Process{PID: 705 + number, GPU: gpu, Identity: who})
	}
	return r
}

package health

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// beyond is an unwatched node: there are too many.
func beyond() cluster.Subject {
	return cluster.Subject{Scope: cluster.ScopeReach, Node: &cluster.Node{Name: "n", State: cluster.NodeFailed,
		Failure: &reach.Failure{
			Class: reach.ClassNotWatched, Short: "not watched", Cause: "max_nodes = 100 (/etc/nvnodetop/config.toml:3)",
			Hints: []string{"name one job with --job, or nodes with --nodes"},
		}}}
}

func node(state cluster.NodeState) cluster.Subject {
	return cluster.Subject{Scope: cluster.ScopeReach, Node: &cluster.Node{State: state}}
}

func silent(age time.Duration) cluster.Subject {
	return cluster.Subject{Scope: cluster.ScopeReach, Node: &cluster.Node{State: cluster.NodeStale, Age: age}}
}

func hello(h wire.Hello) cluster.Subject {
	return cluster.Subject{Scope: cluster.ScopeReport, Node: &cluster.Node{Hello: &h}}
}

// report is a node with the changes of its last report.
func report(change func(*cluster.Node)) cluster.Subject {
	n := &cluster.Node{Hello: &wire.Hello{}, Interval: 3 * time.Second}
	change(n)
	return cluster.Subject{Scope: cluster.ScopeReport, Node: n}
}

func faults(f ...wire.Fault) cluster.Subject {
	return report(func(n *cluster.Node) { n.Faults = f })
}

// gpuFault is GPU 1 on a node where something cannot be read for the GPUs at these indices.
func gpuFault(of ...int) cluster.Subject {
	s := faults(wire.Fault{Collector: "power", Error: "Insufficient Permissions", GPUs: of})
	s.Scope, s.GPU = cluster.ScopeGPU, &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{Index: 1}}
	return s
}

// noLonger is GPU 1 on a node where the driver no longer has a value of the GPU at this index.
func noLonger(of int) cluster.Subject {
	s := gpuFault(of)
	s.Node.Faults[0].Error, s.Node.Faults[0].Ceased = "Not Supported", true
	return s
}

func gpu(g wire.GPU) cluster.Subject {
	return cluster.Subject{Scope: cluster.ScopeGPU, Node: &cluster.Node{Hello: &wire.Hello{}, Arrived: t0},
		GPU: &cluster.GPU{Card: &wire.Card{}, GPU: &g}}
}

func throttle(b uint64) cluster.Subject {
	return gpu(wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: float64(b)})})
}

// job is a job with these minors, on a node where a probe in the job's cgroup sees GPUs with these numbers.
func job(cgroup string, minors, shown []int) cluster.Subject {
	n := &cluster.Node{Name: "a", State: cluster.NodeReporting, Hello: &wire.Hello{Job: cgroup}}
	for i, minor := range shown {
		n.GPUs = append(n.GPUs, cluster.GPU{GPU: &wire.GPU{}, Number: minor, Card: &wire.Card{Index: i, Minor: &minor}})
	}
	return cluster.Subject{Scope: cluster.ScopeJob, Node: n,
		Job: &cluster.Job{ID: "1", Number: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": minors}}}
}

// values is a GPU with these metrics, alone on its node.
func values(numbers map[metric.ID]float64) cluster.Subject {
	return gpu(wire.GPU{Values: metric.Make(numbers)})
}

// host is a node with these metrics of its own.
func host(numbers map[metric.ID]float64) cluster.Subject {
	return report(func(n *cluster.Node) { n.Host.Values = metric.Make(numbers) })
}

// among is the first of these GPUs, which are on one node.
func among(gpus ...map[metric.ID]float64) cluster.Subject {
	s := values(gpus[0])
	for _, numbers := range gpus {
		s.Node.GPUs = append(s.Node.GPUs, cluster.GPU{Card: &wire.Card{}, GPU: &wire.GPU{Values: metric.Make(numbers)}})
	}
	return s
}

// cliques is the first of these GPUs, which are on one node: each has a letter for its NVLink domain, "-" for none, and
// the number of its clique.
func cliques(names ...string) cluster.Subject {
	s := among(m{})
	s.Node.GPUs = nil
	for _, name := range names {
		g := cluster.GPU{Card: &wire.Card{}, GPU: &wire.GPU{}}
		if name != "-" {
			g.Card.FabricDomain, g.Values = name[:1], metric.Make(m{metric.FabricClique: float64(name[1] - '0')})
		}
		s.Node.GPUs = append(s.Node.GPUs, g)
	}
	s.GPU = &s.Node.GPUs[0]
	return s
}

// besideAnother gives the second GPU of the node another model.
func besideAnother(s cluster.Subject) cluster.Subject {
	s.Node.GPUs[1].Card.Name = "NVIDIA H100"
	return s
}

// over is a GPU in a Store with these values of a counter, one per second.
func over(id metric.ID, counts ...float64) cluster.Subject {
	reports := make([]wire.Report, len(counts))
	for i, count := range counts {
		numbers := map[metric.ID]float64{id: count, metric.PCIeGen: 4, metric.PCIeWidth: 16}
		reports[i] = wire.Report{GPUs: []wire.GPU{{Values: metric.Make(numbers)}}}
	}
	return after(cluster.ScopeGPU, time.Second, reports...)
}

// after is the subject of a Store's rules after the last of these reports of a node, which come at that interval.
func after(scope cluster.Scope, interval time.Duration, reports ...wire.Report) (last cluster.Subject) {
	w := world{store.New(time.Second, func(s cluster.Subject) []cluster.Condition {
		if s.Scope == scope {
			node := *s.Node // valid during the call only
			s.Node, last = &node, s
		}
		return nil
	})}
	w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Answered: at(0),
		Jobs: []cluster.Job{{ID: "1", Number: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": {0}},
			Configured: map[string]int{"a": 1}}}}})
	w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: interval}})
	w.hello(wire.Hello{GPUs: []wire.Card{{UUID: "x", Minor: new(0)}}})
	for i, r := range reports {
		w.report(float64(i)*interval.Seconds(), r)
	}
	return last
}

// using is a job whose processes use so many of 100 GiB of host memory, in one report per minute.
func using(gibs ...uint64) cluster.Subject {
	reports := make([]wire.Report, len(gibs))
	for i, n := range gibs {
		reports[i].Jobs = []wire.JobMemory{{Job: "1", Used: n * signs.GiB, Limit: 100 * signs.GiB}}
	}
	return after(cluster.ScopeJob, time.Minute, reports...)
}

// had is a GPU on a node where the driver reported these Xids, one per second. Negative Xids belong to another GPU.
func had(codes ...int) cluster.Subject {
	s := gpu(wire.GPU{})
	s.GPU.Key, s.Node.Arrived = "x", t0.Add(12*time.Second)
	for i, code := range codes {
		x := cluster.Xid{At: t0.Add(time.Duration(i) * time.Second), Code: uint64(code), Key: "x"}
		if code < 0 {
			x.Code, x.Key = uint64(-code), "y"
		}
		s.Node.Xids = append(s.Node.Xids, x)
	}
	return s
}

// member is a node of a job, with a common feature of all its nodes.
func member(common cluster.Common, change func(*cluster.Node)) cluster.Subject {
	s := job("", nil, nil)
	s.Job.Minors, s.Common = nil, &common
	change(s.Node)
	return s
}

func clock(ahead time.Duration, of cluster.Common) cluster.Subject {
	return member(of, func(n *cluster.Node) { n.Clocked, n.Offset = true, -ahead })
}

// processIn is a process of a job and a user that holds GPU memory. Jobs 1 and 2 run.
func processIn(job int, user string) wire.Process {
	return wire.Process{PID: 4711, Type: "C", GPUMemory: new(uint64(2 * signs.GiB)), ElapsedSec: new(int64(600)),
		Identity: wire.Identity{Name: "python", User: user, UID: new(1000), Job: strconv.Itoa(job)}}
}

// boundTo is job 1 on a node of two sockets, with a rank that may run on these CPUs. Its GPU is near a NUMA node.
func boundTo(cpus string, near float64) cluster.Subject {
	p := processIn(1, "me")
	p.Rank, p.CPUAffinity = &wire.Rank{Rank: 5, From: "RANK"}, cpus
	s := running(p)
	s.Node.Hello.NUMA = []wire.NUMANode{{ID: 0, CPUs: "0-3,8-11", Socket: 0}, {ID: 1, CPUs: "4-7,12-15", Socket: 1}}
	s.Node.GPUs[0].Card.Values.Set(metric.NUMANode, near)
	return s
}

// onCPUs is job 1 for 11 minutes, in which its process on a GPU uses so many percent of a core, and may run on 16. The
// job uses so many CPUs, and its threads wait for one in a share of the time. The GPU is busy in another.
func onCPUs(process, cpus, waited, busy float64) cluster.Subject {
	p := processIn(1, "me")
	p.CPUAffinity, p.CPUPercent, p.Threads = "0-7,16-23", &process, new(40)
	reports := make([]wire.Report, 12)
	for i := range reports {
		us := uint64(i+1) * 60e6
		reports[i] = wire.Report{Listed: true, Processes: []wire.Process{p},
			GPUs: []wire.GPU{{Values: metric.Make(m{metric.Util: busy})}},
			Jobs: []wire.JobMemory{{Job: "1", Used: 1, CPU: uint64(cpus * float64(us)), Waited: uint64(waited * float64(us))}}}
	}
	s := after(cluster.ScopeJob, time.Minute, reports...)
	s.Progress = &cluster.JobProgress{Progress: progress.Progress{Step: new(int64)}}
	return s
}

// running is job 1, with a process on GPU 0.
func running(p wire.Process) cluster.Subject {
	return allocated(p, []cluster.Job{{ID: "1", Number: "1", User: "me", Nodes: []string{"a"},
		Minors: map[string][]int{"a": {0}}, Configured: map[string]int{"a": 1}}, {ID: "2", Number: "2", User: "you"}})
}

func allocated(p wire.Process, jobs []cluster.Job) (last cluster.Subject) {
	w := world{store.New(time.Second, func(s cluster.Subject) []cluster.Condition {
		if s.Scope == cluster.ScopeJob {
			node := *s.Node
			s.Node, last = &node, s
		}
		return nil
	})}
	w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{User: "me", Answered: at(0), Jobs: jobs}})
	w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: 3 * time.Second}})
	w.hello(wire.Hello{Job: "1", GPUs: []wire.Card{{UUID: "x", Minor: new(0)}}})
	w.report(1, wire.Report{GPUs: []wire.GPU{{}}, Listed: true, Processes: []wire.Process{p}})
	return last
}

type m = map[metric.ID]float64

// all is a node with these metrics for all its GPUs.
func all(count int, numbers m) cluster.Subject {
	return report(func(n *cluster.Node) {
		for range count {
			n.GPUs = append(n.GPUs, cluster.GPU{Card: &wire.Card{}, GPU: &wire.GPU{Values: metric.Make(numbers)}})
		}
	})
}

// silentFor is a node with a call that has hung for so long for its GPUs.
func silentFor(ms ...int64) cluster.Subject {
	return report(func(n *cluster.Node) {
		for _, hangs := range ms {
			n.GPUs = append(n.GPUs, cluster.GPU{Card: &wire.Card{}, GPU: &wire.GPU{HangsMS: hangs, Call: "power"}})
		}
	})
}

// unnamed is a job whose GPUs SLURM only counts.
func unnamed(s cluster.Subject) cluster.Subject {
	s.Job.Counts, s.Job.Minors = map[string]int{"a": len(s.Job.Minors["a"])}, nil
	return s
}

// withMIG turns MIG on.
func withMIG(s cluster.Subject) cluster.Subject {
	s.Node.GPUs[0].Card.MIG = true
	return s
}

// filling is a GPU of 80 GiB whose memory has grown for half an hour from a use, by so many GiB a minute.
func filling(from, perMinute float64) cluster.Subject {
	const minutes = 32
	s := values(m{metric.MemoryUsed: (from + minutes*perMinute) * signs.GiB, metric.MemoryTotal: 80 * signs.GiB})
	for i := range minutes + 1 {
		s.GPU.Memory = s.GPU.Memory.Add(t0.Add(time.Duration(i)*time.Minute), (from+float64(i)*perMinute)*signs.GiB)
	}
	return s
}

// alarm is a sample with a problem, and a sample that only looks like it.
type alarm struct {
	kind     cluster.Kind
	yes, not cluster.Subject
}

// samplesOf returns the alarm of each rule: the first of its kind is that of the first rule of the kind.
func samplesOf(t *testing.T) []alarm {
	t.Helper()
	byKind := map[cluster.Kind][]alarm{}
	for _, a := range alarms {
		byKind[a.kind] = append(byKind[a.kind], a)
	}
	of := make([]alarm, len(rules))
	for i, r := range rules {
		left := byKind[r.kind]
		if len(left) == 0 {
			t.Fatalf("alarms lacks a sample for the rule of %s that holds when: %s", r.kind, r.when)
		}
		of[i], byKind[r.kind] = left[0], left[1:]
	}
	for kind, left := range byKind {
		if len(left) > 0 {
			t.Fatalf("%d alarms of %s have no rule", len(left), kind)
		}
	}
	return of
}

// alarms are the samples of the rules, in any order; those of one kind in the order of its rules.
var alarms = []alarm{
	{cluster.KindFailed, node(cluster.NodeFailed), node(cluster.NodeStale)},
	{cluster.KindSilence, cluster.Subject{Node: &cluster.Node{}, Silence: &cluster.Silence{From: t0, Nodes: 8}},
		node(cluster.NodeStale)},
	{cluster.KindStale, silent(12 * time.Second), node(cluster.NodeReporting)},
	{cluster.KindConnecting, node(cluster.NodeConnecting), node(cluster.NodeReporting)},
	{cluster.KindFailed, beyond(), node(cluster.NodeReporting)},

	{cluster.KindNoDriver, hello(wire.Hello{Fault: "libnvidia-ml.so.1 not found", FaultID: wire.FaultNoLibrary,
		Missing: []string{"x"}}), hello(wire.Hello{Missing: []string{"x"}})},
	{cluster.KindHang, silentFor(25_000, 5000), silentFor(25_000, 4999)},
	{cluster.KindFabric, all(8, m{metric.FabricState: 2, metric.Util: 0}),
		all(8, m{metric.FabricState: 3, metric.FabricStatus: 0})},
	{cluster.KindFabric, all(8, m{metric.FabricState: 3, metric.FabricStatus: 999, metric.Util: 97}),
		all(8, m{metric.Util: 97})},
	{cluster.KindNVLinkDown, all(4, m{metric.NVLinks: 18, metric.NVLinkUp: 0x3FFDF, metric.FabricState: 3}),
		all(4, m{metric.NVLinks: 18, metric.NVLinkUp: 0x3FFDF})},
	{cluster.KindSlow, report(func(n *cluster.Node) { n.Took = 14 * time.Second }),
		report(func(n *cluster.Node) { n.Took = 2 * time.Second })},
	{cluster.KindDisk, host(m{metric.TmpFree: 0.5 * signs.GiB, metric.TmpTotal: 40 * signs.GiB}),
		host(m{metric.TmpFree: 0.5 * signs.GiB, metric.TmpTotal: signs.GiB})},
	{cluster.KindDisk, host(m{metric.DiskFree: 5 * signs.GiB, metric.DiskTotal: 600 * signs.GiB}),
		host(m{metric.DiskFree: 7 * signs.GiB, metric.DiskTotal: 600 * signs.GiB})},
	{cluster.KindPersistence, report(func(n *cluster.Node) {
		n.GPUs = []cluster.GPU{{Card: &wire.Card{}, GPU: &wire.GPU{Values: metric.Make(m{metric.PersistenceMode: 0})}}}
	}),
		report(func(n *cluster.Node) {
			n.GPUs = []cluster.GPU{{GPU: &wire.GPU{}, Card: &wire.Card{}},
				{GPU: &wire.GPU{Values: metric.Make(m{metric.PersistenceMode: 1})}}}
		})},
	{cluster.KindOldDriver, hello(wire.Hello{Driver: "450.51", Missing: []string{"x"}}),
		hello(wire.Hello{Fault: "no library", Missing: []string{"x"}})},
	{cluster.KindFault, faults(wire.Fault{Collector: "host", Error: "no /proc/stat"}),
		faults(wire.Fault{Collector: "power", GPUs: []int{1}})},

	{cluster.KindLost, gpu(wire.GPU{Lost: "GPU is lost", LostID: wire.LostFellOff}),
		gpu(wire.GPU{Lost: "Timeout", LostID: wire.LostTimeout})},
	{cluster.KindUnusable, gpu(wire.GPU{Lost: "Timeout", LostID: wire.LostTimeout}),
		gpu(wire.GPU{Lost: "reset required", LostID: wire.LostReset})},
	{cluster.KindHang, gpu(wire.GPU{HangsMS: 10_000}), gpu(wire.GPU{HangsMS: 9999})},
	{cluster.KindRecovery, values(m{metric.RecoveryAction: 2}), values(m{metric.RecoveryAction: 0})},
	{cluster.KindRecovery, values(m{metric.RecoveryAction: 3}),
		values(m{metric.RecoveryAction: 0, metric.RemapPending: 1})},
	{cluster.KindXid, had(79, 45, 154), had(-79, 45, 154)},
	{cluster.KindXid, had(31, 45), had(45)},
	{cluster.KindXid, had(63), had(154)},
	{cluster.KindFabric, values(m{metric.FabricState: 1}), values(m{metric.FabricState: 3})},
	{cluster.KindFabric, values(m{metric.FabricState: 2, metric.Util: 97}),
		values(m{metric.FabricState: 3, metric.FabricStatus: 0, metric.Util: 97})},
	{cluster.KindFabricIll, values(m{metric.FabricHealth: 0x1A9}), values(m{metric.FabricHealth: 0x1AA})},
	{cluster.KindFabricIll, values(m{metric.FabricHealth: 0x1A6}), values(m{metric.FabricHealth: 0})},
	{cluster.KindOtherClique, cliques("a2", "a1", "a1", "a1"), cliques("a2", "a2", "a1", "a1")},
	{cluster.KindRemapFailed, values(m{metric.RemapFailed: 1}),
		values(m{metric.RemapFailed: 0, metric.RemapPending: 1})},
	{cluster.KindECCGrowing, over(metric.ECCUncorrected, 4, 6), over(metric.ECCUncorrected, 4, 4)},
	{cluster.KindECC, values(m{metric.ECCUncorrected: 1}), over(metric.ECCUncorrected, 4, 6)},
	{cluster.KindRemap, values(m{metric.RemapPending: 1, metric.RemappedUncorrectable: 1,
		metric.RemappedCorrectable: 2}), values(m{metric.RemapPending: 0, metric.RemappedUncorrectable: 1})},
	{cluster.KindRemap, values(m{metric.RemapPending: 1, metric.RemappedUncorrectable: 0,
		metric.RemappedCorrectable: 1}), values(m{metric.RemappedUncorrectable: 3})},
	{cluster.KindNoSpares, values(m{metric.BanksWithoutSpareRows: 1, metric.RemappedUncorrectable: 8,
		metric.RemappedCorrectable: 2}), values(m{metric.BanksWithoutSpareRows: 0, metric.RemappedUncorrectable: 8})},
	{cluster.KindRetired, values(m{metric.RetiredCorrectable: 60, metric.RetiredUncorrectable: 3}),
		values(m{metric.RetiredCorrectable: 60, metric.RetiredUncorrectable: 2, metric.RetiredPending: 0})},
	{cluster.KindThermal, values(m{metric.Throttle: wire.ThrottleHWThermal | wire.ThrottleHWSlowdown,
		metric.Temperature: 92, metric.SMClock: 600}), throttle(wire.ThrottleHWSlowdown)},
	{cluster.KindThermal, over(metric.SWThermalTime, 10, 10.5, 11, 11.5, 12),
		throttle(wire.ThrottleSWPowerCap | wire.ThrottleGPUIdle)},
	{cluster.KindMemoryHot, values(m{metric.MemoryTemperature: 103, metric.MemoryMaxOperating: 95}),
		values(m{metric.MemoryTemperature: 95, metric.MemoryMaxOperating: 95})},
	{cluster.KindGPUHot, values(m{metric.Temperature: 94, metric.Slowdown: 92,
		metric.Throttle: wire.ThrottleSWPowerCap}),
		values(m{metric.Temperature: 94, metric.Slowdown: 92, metric.Throttle: wire.ThrottleHWThermal})},
	{cluster.KindPowerBrake, throttle(wire.ThrottleHWPowerBrake | wire.ThrottleHWSlowdown),
		throttle(wire.ThrottleHWSlowdown | wire.ThrottleHWThermal)},
	{cluster.KindSlowdown, throttle(wire.ThrottleHWSlowdown),
		throttle(wire.ThrottleHWSlowdown | wire.ThrottleHWThermal)},
	{cluster.KindNVLink, over(metric.NVLinkCRC, 0, 6000), over(metric.NVLinkCRC, 6000, 6000)},
	{cluster.KindNVLink, over(metric.NVLinkRecoveries, 7, 8), over(metric.NVLinkRecoveries, 8, 8)},
	{cluster.KindNVLinkDown, among(m{metric.NVLinks: 18, metric.NVLinkUp: 0x3FF77},
		m{metric.NVLinks: 18, metric.NVLinkUp: 0x3FFFF}), among(m{metric.NVLinks: 12, metric.NVLinkUp: 0xF},
		m{metric.NVLinks: 12, metric.NVLinkUp: 0xF0})},
	{cluster.KindPCIe, values(m{metric.Util: 50, metric.PCIeWidth: 8, metric.PCIeWidthMax: 16}),
		values(m{metric.Util: 49, metric.PCIeWidth: 8, metric.PCIeWidthMax: 16, metric.PCIeGen: 1,
			metric.PCIeGenMax: 5})},
	{cluster.KindPCIeReplays, over(metric.PCIeReplays, 100, 116), over(metric.PCIeReplays, 100, 115)},
	{cluster.KindFault, gpuFault(0, 1), gpuFault(0)},
	{cluster.KindFault, noLonger(1), noLonger(0)},
	{cluster.KindNoCompute, values(m{metric.ComputeMode: 2}), values(m{metric.ComputeMode: 3})},
	{cluster.KindMemoryFull, filling(46, 1), filling(63, 0.1)},
	{cluster.KindMemoryFull, filling(42, 0.8), filling(70, 0)},
	{cluster.KindMemoryFull, values(m{metric.MemoryUsed: 79 * signs.GiB, metric.MemoryTotal: 80 * signs.GiB}),
		values(m{metric.MemoryUsed: 78 * signs.GiB, metric.MemoryTotal: 80 * signs.GiB})},

	{cluster.KindHidden, job("2", []int{4}, []int{5}), job("2", []int{4}, []int{4, 5})},
	{cluster.KindMissing, job("", []int{4, 5}, []int{4}), job("", []int{4, 5}, []int{4, 5})},
	{cluster.KindMissing, job("", []int{0}, []int{1, 2}), job("1", []int{0}, []int{1})},
	{cluster.KindLeftOver, running(processIn(9, "me")), running(processIn(1, "me"))},
	{cluster.KindStranger, running(processIn(2, "you")), running(processIn(9, "me"))},
	{cluster.KindHostMemory, using(95), using(94)},
	{cluster.KindHostMemory, using(80, 82, 84), using(10, 40, 79)},
	{cluster.KindWrongCgroup, job("2", []int{4, 5}, []int{4}), job("2", []int{4, 5}, []int{4, 5, 6})},
	{cluster.KindOwner, unnamed(job("", []int{4, 5}, []int{4, 5})), job("", []int{4, 5}, []int{4, 5})},
	{cluster.KindMixed, member(cluster.Common{Driver: "550.90.07"},
		func(n *cluster.Node) { n.Hello.Driver = "550.54.15" }),
		member(cluster.Common{Driver: "550.90.07", Model: "H100"},
			func(n *cluster.Node) { n.Hello.Driver = "550.90.07" })},
	{cluster.KindFarCPUs, boundTo("0-3,8-11", 1), boundTo("0-4,8-11", 1)},
	{cluster.KindCPUsFull, onCPUs(240, 15, 0.8, 35), onCPUs(240, 15, 0.3, 35)},
	{cluster.KindOneThread, onCPUs(101, 1, 0, 35), onCPUs(101, 4, 0, 35)},
	{cluster.KindClockSkew, clock(7*time.Second, cluster.Common{Clocks: 3}),
		clock(7*time.Second, cluster.Common{Clocks: 3, Offset: -3 * time.Second})},
}

func TestEveryRule(t *testing.T) {
	samples := samplesOf(t)
	for i, r := range rules {
		a := samples[i]
		if held := Rules(Defaults())(a.yes); !slices.Contains(held, r.newCondition(judged(a.yes))) {
			t.Errorf("%s (%v, after %v) does not hold where it should: %v", r.kind, r.severity, r.after, held)
		}
		if held := Rules(Defaults())(a.not); slices.ContainsFunc(held,
			func(c cluster.Condition) bool { return c.Kind == r.kind }) {
			t.Errorf("%s (%v, after %v) is a false alarm: %v", r.kind, r.severity, r.after, held)
		}
	}
}

// More samples that only look like a problem, and some real problems beside them.
func TestLikeAProblem(t *testing.T) {
	two := cluster.Common{Driver: "1", Model: "H100", Clocks: 1}
	for name, tc := range map[string]struct {
		s    cluster.Subject
		want cluster.Kind
	}{
		"an unknown recovery action":     {values(m{metric.RecoveryAction: 9}), cluster.KindRecovery},
		"an unknown Xid":                 {had(999), cluster.KindXid},
		"worse than the first":           {had(-31, 79), cluster.KindXid},
		"as bad, on another GPU":         {had(-79, 79), cluster.KindXid},
		"an Xid of another GPU":          {had(-31), ""},
		"the same error on all GPUs":     {had(-31, 31), ""},
		"pages wait for a reboot":        {values(m{metric.RetiredPending: 1}), cluster.KindRetired},
		"throttled only between samples": {over(metric.HWThermalTime, 3, 3.02), cluster.KindThermal},
		"throttled for a moment":         {over(metric.HWThermalTime, 3, 3.009), ""},
		"throttled long ago":             {over(metric.PowerBrakeTime, 3, 8, 8), ""},
		"application clocks, sync boost": {throttle(
			wire.ThrottleAppClocks | wire.ThrottleSyncBoost | wire.ThrottleDisplay), ""},
		"one link error, after many before": {over(metric.NVLinkCRC, 90_000, 90_001), cluster.KindNVLink},
		"one replay in a long time":         {over(metric.NVLinkReplays, 5, 5, 5), ""},
		"a fabric": {values(m{metric.NVLinks: 18, metric.NVLinkUp: 0x1FFFF,
			metric.FabricState: 3}), cluster.KindNVLinkDown},
		"a fabric that is well": {values(m{metric.NVLinks: 18, metric.NVLinkUp: 0x3FFFF,
			metric.FabricState: 3}), ""},
		"one link more than another one": {among(m{metric.NVLinks: 12, metric.NVLinkUp: 0xFF},
			m{metric.NVLinks: 12, metric.NVLinkUp: 0xF}), ""},
		"MIG instances in place of GPUs": {withMIG(unnamed(job("1", []int{0, 1}, []int{0}))), cluster.KindOwner},
		"no bridge": {among(m{metric.NVLinks: 12, metric.NVLinkUp: 0},
			m{metric.NVLinks: 12, metric.NVLinkUp: 0}), ""},
		"links that only another one has": {besideAnother(among(m{metric.NVLinks: 12, metric.NVLinkUp: 0xF},
			m{metric.NVLinks: 18, metric.NVLinkUp: 0x3FFFF})), ""},
		"a GPU that is hot, of unknown limit": {values(m{metric.Temperature: 94, metric.MemoryTemperature: 103}), ""},
		"a GPU at its slowdown temperature":   {values(m{metric.Temperature: 92, metric.Slowdown: 92}), ""},
		"no fabric, and no links up":          {all(8, m{metric.NVLinks: 12, metric.NVLinkUp: 0}), ""},
		"a fabric of one GPU without peers": {values(m{metric.NVLinks: 18, metric.NVLinkUp: 0,
			metric.FabricState: 3}), ""},
		"another NVLink domain":     {cliques("b1", "a1", "a1", "a1"), cluster.KindOtherClique},
		"one of the many":           {cliques("a1", "a1", "a2", "a1"), ""},
		"two GPUs in two cliques":   {cliques("a1", "a2"), ""},
		"a GPU without a clique":    {cliques("-", "a1", "a1", "a1"), ""},
		"all in one clique":         {cliques("a1", "a1", "a1", "a1"), ""},
		"unhealthy route":           {values(m{metric.FabricHealth: 0x19A}), cluster.KindFabricIll},
		"too few NVLinks":           {values(m{metric.FabricHealth: 0x5AA}), cluster.KindFabricIll},
		"wrong in an unknown way":   {values(m{metric.FabricHealth: 0xFAA}), cluster.KindFabricIll},
		"the fabric is not judged":  {values(m{metric.FabricHealth: 0}), ""},
		"health judged only partly": {values(m{metric.FabricHealth: 0x102}), ""},
		"PCIe generation": {values(m{metric.Util: 99, metric.PCIeGen: 3, metric.PCIeGenMax: 5}),
			cluster.KindPCIe},
		"PCIe, idle":              {values(m{metric.Util: 0, metric.PCIeGen: 1, metric.PCIeGenMax: 5}), ""},
		"PCIe, busy or not":       {values(m{metric.PCIeGen: 1, metric.PCIeGenMax: 5}), ""},
		"counters after a reload": {over(metric.PCIeReplays, 5000, 100, 100), ""},
		"an old total":            {over(metric.PCIeReplays, 1e6, 1e6), ""},
		"another job's memory": {after(cluster.ScopeJob, time.Minute,
			wire.Report{Jobs: []wire.JobMemory{{Job: "2", Used: 99, Limit: 100}}}), ""},
		"memory without a limit": {after(cluster.ScopeJob, time.Minute,
			wire.Report{Jobs: []wire.JobMemory{{Job: "1", Used: 99 * signs.GiB}}}), ""},
		"a program that starts":    {using(0, 30, 60), ""},
		"memory that stays":        {using(90, 90, 90), ""},
		"memory that fills slowly": {using(80, 80, 80, 81), ""},
		"/tmp in memory":           {host(m{metric.TmpFree: 0.9 * signs.GiB, metric.TmpTotal: 2 * signs.GiB}), ""},
		"another model": {member(two,
			func(n *cluster.Node) { n.Hello.GPUs = []wire.Card{{Name: "A100"}} }), cluster.KindMixed},
		"no driver": {member(two, func(*cluster.Node) {}), ""},
		"one clock": {clock(time.Hour, two), ""},
		"the clock of a node that has none": {member(cluster.Common{Clocks: 3, Offset: time.Hour},
			func(*cluster.Node) {}), ""},
		"nothing known of the job's others": {job("", nil, nil), ""},
		"persistence unknown": {report(func(n *cluster.Node) {
			n.GPUs = slices.Repeat(
				[]cluster.GPU{{GPU: &wire.GPU{}}}, 8)
		}), ""},
		"GPU memory whose size is not known": {values(m{metric.MemoryUsed: 80 * signs.GiB}), ""},
	} {
		held := Rules(Defaults())(tc.s)
		if tc.want == "" && len(held) > 0 || tc.want != "" && (len(held) != 1 || held[0].Kind != tc.want) {
			t.Errorf("%s: %v, want %q", name, held, tc.want)
		}
	}
}

// The severity of a problem depends on its number, too.
func TestSeverities(t *testing.T) {
	for name, tc := range map[string]struct {
		s    cluster.Subject
		kind cluster.Kind
		want cluster.Severity
	}{
		"100 CRC errors per second": {over(metric.NVLinkCRC, 0, 6000), cluster.KindNVLink, cluster.Critical},
		"somewhat fewer":            {over(metric.NVLinkCRC, 0, 5999), cluster.KindNVLink, cluster.Warning},
		"the driver asks for a reset": {values(m{metric.RecoveryAction: 1}), cluster.KindRecovery,
			cluster.Critical},
		"for a reboot": {values(m{metric.RecoveryAction: 2}), cluster.KindRecovery,
			cluster.Critical},
		"to drain the peers": {values(m{metric.RecoveryAction: 3}), cluster.KindRecovery,
			cluster.Warning},
		"to drain the peers, then a reset": {values(m{metric.RecoveryAction: 4}), cluster.KindRecovery,
			cluster.Critical},
	} {
		held := Rules(Defaults())(tc.s)
		if len(held) != 1 || held[0].Kind != tc.kind || held[0].Severity != tc.want {
			t.Errorf("%s: %+v, want %s of severity %v", name, held, tc.kind, tc.want)
		}
	}
}

// without is a copy of a subject without a metric.
func without(s cluster.Subject, id metric.ID) cluster.Subject {
	node := *s.Node
	s.Node = &node
	if id.Row().Scope == metric.Host {
		node.Host.Set(id, math.NaN())
		return s
	}
	node.GPUs = slices.Clone(node.GPUs)
	for i := range node.GPUs {
		sample := *node.GPUs[i].GPU
		sample.Values.Set(id, math.NaN())
		node.GPUs[i].GPU = &sample
	}
	if s.GPU != nil {
		gpu, sample := *s.GPU, *s.GPU.GPU
		sample.Values.Set(id, math.NaN())
		gpu.GPU, s.GPU = &sample, &gpu
	}
	return s
}

// ofNothing finds a number that stands for an absent value.
var ofNothing = regexp.MustCompile(`NaN|[^\w-]-1\b|\b0\b`)

// An absent value never causes an alert, and no sentence shows it as a number.
func TestAbsentValues(t *testing.T) {
	ids := slices.Concat(slices.Collect(metric.All(metric.GPU)), slices.Collect(metric.All(metric.Host)))
	for _, a := range alarms {
		before, none := Rules(Defaults())(a.yes), a.yes
		for _, id := range ids {
			s := without(a.yes, id)
			none = without(none, id)
			wantNoNumber(t, a, s, id.Row().Key)
			for _, c := range Rules(Defaults())(s) {
				if !slices.ContainsFunc(before, func(b cluster.Condition) bool { return b.Kind == c.Kind }) &&
					c.Kind != cluster.KindECC {
					t.Errorf("%s holds when the sample of %s lacks %s: give that sample numbers that only its own rule minds",
						c.Kind, a.kind, id)
				}
			}
		}
		wantNoNumber(t, a, none, "any number")
		for _, id := range ids {
			if a.kind != cluster.KindGPUHot || id != metric.Throttle { // too hot, and the driver gives no reasons
				wantNotHeld(t, a, without(a.not, id), id.Row().Key)
			}
		}
		wantNotHeld(t, a, withoutCPUs(a.not), "CPUs")
	}
}

// wantNotHeld wants the rule not to hold for what is no alarm, and lacks a value besides.
func wantNotHeld(t *testing.T, a alarm, s cluster.Subject, lacks string) {
	t.Helper()
	if slices.ContainsFunc(Rules(Defaults())(a.not), func(c cluster.Condition) bool { return c.Kind == a.kind }) {
		return // TestEveryRule says so
	}
	for _, c := range Rules(Defaults())(s) {
		if c.Kind == a.kind {
			t.Errorf("%s holds when what is no alarm lacks %s: its function in holds_*.go must return false", c.Kind,
				lacks)
		}
	}
}

// withoutCPUs is a copy of a subject on a node whose number of CPUs is not known.
func withoutCPUs(s cluster.Subject) cluster.Subject {
	if s.Node != nil && s.Node.Hello != nil {
		node, hello := *s.Node, *s.Node.Hello
		hello.CPUs = 0
		node.Hello, s.Node = &hello, &node
	}
	return s
}

// wantNoNumber compares the words for the sample of a rule with those for the same that lacks a value.
func wantNoNumber(t *testing.T, a alarm, s cluster.Subject, lacks string) {
	said := func(s cluster.Subject) (text string, numbers int) {
		w := sayOf(a.kind, s)
		text = w.Flag + " " + w.Long + " " + w.Short + " " + w.Sentence
		return text, len(ofNothing.FindAllString(text, -1))
	}
	_, usual := said(a.yes)
	if got, numbers := said(s); numbers > usual {
		t.Errorf("%s without %s says %q: its function in package say must return, or leave that out", a.kind, lacks, got)
	}
}

// sayOf returns the words of the kind for a subject.
func sayOf(kind cluster.Kind, s cluster.Subject) say.Words {
	f := cluster.Finding{Kind: kind, Severity: cluster.Critical, Node: "a"}
	for _, c := range Rules(Defaults())(s) {
		if c.Kind == kind {
			f.Severity, f.Every, f.Silence = c.Severity, c.Every, c.Silence
		}
	}
	n := *s.Node
	seen := cluster.Snapshot{At: n.Arrived, Nodes: map[string]*cluster.Node{"a": &n}}
	if s.Silence != nil {
		seen.At = s.Silence.From.Add(12 * time.Second)
	}
	if s.GPU != nil {
		n.GPUs = slices.Clone(n.GPUs)
		i := slices.IndexFunc(n.GPUs, func(g cluster.GPU) bool { return g.Key == s.GPU.Key })
		if i < 0 {
			i, n.GPUs = len(n.GPUs), append(n.GPUs, *s.GPU)
		}
		n.GPUs[i].Key = cmp.Or(s.GPU.Key, "of the test")
		f.Key = n.GPUs[i].Key
	}
	if s.Job != nil {
		v := cluster.JobView{Job: *s.Job}
		if s.Common != nil {
			v.Common = *s.Common
		}
		f.Job, seen.Jobs = s.Job.ID, []cluster.JobView{v}
	}
	if s.Discovery != nil {
		seen.Discovery = *s.Discovery
	}
	w := say.Finding(&seen, &f)
	w.Label = say.LabelOf(&cluster.Finding{Kind: kind, Severity: cluster.Critical})
	return w
}

func TestNothingKnownIsNothingWrong(t *testing.T) {
	s := gpu(wire.GPU{})
	s.Job, s.Common = &cluster.Job{}, &cluster.Common{}
	for _, scope := range []cluster.Scope{cluster.ScopeReport, cluster.ScopeGPU, cluster.ScopeJob} {
		s.Scope = scope
		if held := Rules(Defaults())(s); len(held) > 0 {
			t.Errorf("%v", held)
		}
	}
}

// Further findings about a lost GPU do not count. Among the rows of a kind, the earliest one counts.
func TestOneRowCounts(t *testing.T) {
	for name, s := range map[string]cluster.Subject{
		"lost": gpu(wire.GPU{Lost: "GPU is lost", LostID: wire.LostFellOff,
			Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1,
				metric.Throttle: wire.ThrottleHWThermal})}),
		"heat": throttle(wire.ThrottleHWThermal | wire.ThrottleSWThermal),
	} {
		if held := Rules(Defaults())(s); len(held) != 1 || held[0].After != 0 {
			t.Errorf("%s: %v", name, held)
		}
	}
}

func TestHowANodeIsReached(t *testing.T) {
	closed := &reach.Failure{Class: reach.ClassClosed}
	for _, tc := range []struct {
		node cluster.Node
		want reach.Class
	}{
		{cluster.Node{State: cluster.NodeFailed, Failure: closed}, reach.ClassClosed},
		{cluster.Node{State: cluster.NodeStale, Failure: closed}, reach.ClassClosed},
		{cluster.Node{State: cluster.NodeStale}, reach.ClassSilent},
		{cluster.Node{State: cluster.NodeConnecting}, ""},
	} {
		tc.node.Since = t0
		if held := Rules(Defaults())(cluster.Subject{Node: &tc.node}); len(held) != 1 || held[0].Class != tc.want ||
			held[0].Since != t0 {
			t.Errorf("%s: %v, want the class %q and the state's beginning", tc.node.State, held, tc.want)
		}
	}
}

// judged is a subject with the default thresholds.
func judged(s cluster.Subject) ruleSubject {
	limits := Defaults()
	return ruleSubject{s, &limits}
}

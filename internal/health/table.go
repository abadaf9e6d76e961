package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// moreThanOnce ignores a condition that only one sample shows: a change of clocks may look like it.
const moreThanOnce = time.Nanosecond

// listedAgain is longer than the time until a node lists its processes again, so the second list has confirmed the
// first.
const listedAgain = metric.SlowSeconds * 3 / 2 * time.Second

// boots is how long a node may take to register its GPUs with the fabric after its start. The registration is read
// every metric.SlowSeconds.
const boots = 2 * time.Minute

// longSlow is how long the CPUs of a job must keep its GPUs waiting: programs are compiled and data prepared in less.
const longSlow = 10 * time.Minute

// Sources of the rules, for docs/health.md.
const (
	nvml        = "nvml.h"
	dcgm        = "DCGM, DcgmHealthWatch.cpp"
	memoryPaper = "NVIDIA GPU Memory Error Management"
)

// rules has kinds among their kin. If several rows of one kind hold, the first one counts.
var rules = []rule{
	{kind: cluster.KindFailed, scope: cluster.ScopeReach, severity: cluster.Critical, holds: failsToReport(true),
		when: "The node cannot be reached, or its probe does not start; the class says why.", source: "ssh, srun"},
	{kind: cluster.KindSilence, scope: cluster.ScopeReach, severity: cluster.Warning,
		holds: func(s ruleSubject) bool { return s.Silence != nil },
		when: "No node has reported for 3 intervals, of at least two. It is in place of what would be said of " +
			"each, and stays for 30 s for those that have not reported again.",
		source: "own"},
	{kind: cluster.KindStale, scope: cluster.ScopeReach, severity: cluster.Warning, holds: isInState(cluster.NodeStale),
		when: "No report for 3 intervals, or the connection was just lost.", source: "own"},
	{kind: cluster.KindConnecting, scope: cluster.ScopeReach, severity: cluster.Waiting,
		holds: isInState(cluster.NodeConnecting),
		when:  "The first attempt to reach the node is in progress.", source: "own"},
	{kind: cluster.KindFailed, scope: cluster.ScopeReach, severity: cluster.Note, holds: failsToReport(false),
		when:   "There are more nodes than one program may watch: `max_nodes`. The class is `not_watched`.",
		source: "own"},

	{kind: cluster.KindNoDriver, scope: cluster.ScopeReport, severity: cluster.Critical, holds: noDriver, ofGPUs: true,
		when: "NVML is not usable on the node.", source: nvml},
	{kind: cluster.KindHang, scope: cluster.ScopeReport, severity: cluster.Critical, holds: allHang, ofGPUs: true,
		every:  true,
		when:   "Calls for all GPUs of the node do not return: for one of them for 10 s, for the others for 5 s.",
		source: "own"},
	{kind: cluster.KindFabric, scope: cluster.ScopeReport, severity: cluster.Critical, after: boots, ofGPUs: true,
		every: true,
		holds: everyGPU(metric.FabricState, isUnregistered),
		when:  "No GPU of the node is registered with its NVLink fabric, and none computes, for 2 min.", source: nvml},
	{kind: cluster.KindFabric, scope: cluster.ScopeReport, severity: cluster.Warning, after: boots, ofGPUs: true,
		every: true,
		holds: everyGPU(metric.FabricState, mayFail),
		when:  "The same, while programs compute.", source: dcgm},
	{kind: cluster.KindNVLinkDown, scope: cluster.ScopeReport, severity: cluster.Warning, after: moreThanOnce,
		ofGPUs: true, every: true,
		holds: switchDown,
		when: "The same NVLinks are down on all GPUs of the node, in 2 samples, and they should be up: in an NVLink " +
			"fabric, on 8 A100 SXM, or since " +
			"they were up while nvnodetop was watching more than 2 GPUs.", source: "own"},
	{kind: cluster.KindSlow, scope: cluster.ScopeReport, severity: cluster.Warning, holds: isDriverSlow,
		after:  moreThanOnce,
		ofGPUs: true,
		when:   "Reading a GPU takes longer than the interval, in 2 reports.", source: "own"},
	{kind: cluster.KindDisk, scope: cluster.ScopeReport, severity: cluster.Warning,
		holds: nearlyFull(metric.TmpFree, metric.TmpTotal),
		when: "/tmp has less than {disk_free_percent}% free, or less than {disk_free_gib} GiB of more than ten times " +
			"that.", source: "statfs(2)"},
	{kind: cluster.KindDisk, scope: cluster.ScopeReport, severity: cluster.Note,
		holds: nearlyFull(metric.DiskFree, metric.DiskTotal),
		when:  "The same, for the disk that holds /.", source: "statfs(2)"},
	{kind: cluster.KindPersistence, scope: cluster.ScopeReport, severity: cluster.Note, holds: unloadsDriver, ofGPUs: true,
		when: "Persistence mode is off on a GPU of the node.", source: nvml},
	{kind: cluster.KindOldDriver, scope: cluster.ScopeReport, severity: cluster.Note, holds: oldDriver, ofGPUs: true,
		when: "The driver lacks NVML functions that nvnodetop would use.", source: nvml},
	{kind: cluster.KindFault, scope: cluster.ScopeReport, severity: cluster.Note, holds: hasUnreadMetrics,
		when: "Something cannot be read on the node.", source: "proc(5), statfs(2), cgroup, " + nvml},

	{kind: cluster.KindLost, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: isGPULost, only: true,
		when: "NVML says that the GPU is lost, or needs a reset.", source: nvml},
	{kind: cluster.KindUnusable, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: isGPUUnusable, only: true,
		when: "NVML gives no access to the GPU, for another reason.", source: nvml},
	{kind: cluster.KindHang, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: isGPUHung, only: true,
		when: "A call for the GPU has not returned for 10 s.", source: "own"},
	{kind: cluster.KindRecovery, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: mustRecover,
		when: "The driver asks for a reset of the GPU or a reboot.", source: nvml + ", field 230"},
	{kind: cluster.KindRecovery, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: mayRecover,
		when: "The driver asks for another recovery action.", source: nvml + ", field 230"},
	{kind: cluster.KindXid, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: hasXid(cluster.Critical),
		watch: aMinute,
		when: "In the last hour the driver reported an Xid after which the GPU needs a reset or its results are in " +
			"doubt. Xids on the node within a minute after it are its consequences.", source: catalog},
	{kind: cluster.KindXid, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: hasXid(cluster.Warning),
		watch: aMinute,
		when:  "In the last hour the driver reported another Xid, mostly an error of the program.", source: catalog},
	{kind: cluster.KindXid, scope: cluster.ScopeGPU, severity: cluster.Note, holds: hasXid(cluster.Note),
		watch: aMinute,
		when:  "In the last hour the driver reported an Xid that needs no action.", source: catalog},
	{kind: cluster.KindFabric, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: isUnregistered, after: boots,
		when: "The GPU is not registered with its NVLink fabric, and does not compute, for 2 min.", source: nvml},
	{kind: cluster.KindFabric, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: mayFail, after: boots,
		when: "The same, while a program computes on it.", source: dcgm},
	{kind: cluster.KindFabricIll, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: fabricIll,
		when: "The driver says that the NVLink fabric of the GPU has a degraded bandwidth, an unhealthy route or a " +
			"wrong configuration.", source: nvml},
	{kind: cluster.KindFabricIll, scope: cluster.ScopeGPU, severity: cluster.Note, holds: fabricRecovers,
		when: "It says that the fabric recovers a route, or from a timeout.", source: nvml},
	{kind: cluster.KindOtherClique, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: otherClique,
		when: "The GPU belongs to another NVLink domain or clique than most GPUs of the node.", source: nvml},
	{kind: cluster.KindRemapFailed, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: remapFailed,
		when: "A memory row could not be remapped.", source: memoryPaper},
	{kind: cluster.KindECCGrowing, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: memoryErrorsGrow,
		watch: aMinute,
		when:  "New uncorrectable ECC errors since nvnodetop started watching the GPU.", source: dcgm},
	{kind: cluster.KindECC, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: memoryErrors,
		when: "Uncorrectable ECC errors before that, since the driver was loaded.", source: dcgm},
	{kind: cluster.KindRemap, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: remapDamaged,
		when:   "A row will be remapped at the next reset, and rows with uncorrectable errors were remapped.",
		source: memoryPaper},
	{kind: cluster.KindRemap, scope: cluster.ScopeGPU, severity: cluster.Note, holds: remapWaits,
		when: "A row will be remapped at the next reset.", source: memoryPaper},
	{kind: cluster.KindNoSpares, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: sparesUsedUp,
		when: "A memory bank has no spare row left.", source: memoryPaper},
	{kind: cluster.KindRetired, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: pagesRetired,
		when:   "{retired_pages} retired pages, or some that will be retired at the next reboot. Up to Volta.",
		source: dcgm},
	{kind: cluster.KindThermal, scope: cluster.ScopeGPU, severity: cluster.Warning,
		holds: isThrottledBy(wire.ThrottleHWThermal, metric.HWThermalTime),
		when:  "The hardware lowers the clocks because of the temperature.", source: nvml},
	{kind: cluster.KindThermal, scope: cluster.ScopeGPU, severity: cluster.Warning,
		holds: isThrottledBy(wire.ThrottleSWThermal, metric.SWThermalTime), lasts: SoftThermalSeconds,
		when: "The driver lowers the clocks because of the temperature, for {soft_thermal_seconds} s.", source: nvml},
	{kind: cluster.KindMemoryHot, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: memoryHot,
		lasts: SoftThermalSeconds,
		when: "The memory is above its maximum temperature for {soft_thermal_seconds} s, and the driver reports no " +
			"thermal slowdown.", source: "gpud, temperature/component.go"},
	{kind: cluster.KindGPUHot, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: coreHot, after: moreThanOnce,
		when:   "The GPU is above its slowdown temperature, in 2 samples, and the driver reports no thermal slowdown.",
		source: nvml},
	{kind: cluster.KindPowerBrake, scope: cluster.ScopeGPU, severity: cluster.Warning,
		holds:  isThrottledBy(wire.ThrottleHWPowerBrake, metric.PowerBrakeTime),
		when:   "The hardware lowers the clocks because a power supply asks for it: the power brake signal is set.",
		source: nvml},
	{kind: cluster.KindSlowdown, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: unnamedSlowdown,
		after: moreThanOnce,
		when:  "Hardware slowdown without a reported reason, in 2 samples.", source: nvml},
	{kind: cluster.KindNVLink, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: linkBroken, watch: aMinute,
		when: "{nvlink_crc_per_second} NVLink CRC errors per second.", source: dcgm},
	{kind: cluster.KindNVLink, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: linkErrors, watch: aMinute,
		when: "Any NVLink CRC error in the last minute or two, or replays or recoveries at a pace of " +
			"{nvlink_errors_per_minute} a minute.", source: dcgm},
	{kind: cluster.KindNVLinkDown, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: linkDown,
		after: moreThanOnce,
		when: "Fewer NVLinks are up than of another GPU of the model on the node, than nvnodetop has seen up, or " +
			"than the GPU has in an NVLink fabric; " +
			"in 2 samples. Not in MIG mode.", source: dcgm},
	{kind: cluster.KindPCIe, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: isPCIeNarrow, after: moreThanOnce,
		when: "The PCIe link has fewer lanes or a lower generation than it could, at {pcie_load_percent}% " +
			"utilization or more, in 2 samples.", source: nvml},
	{kind: cluster.KindPCIeReplays, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: manyReplays,
		watch: aMinute,
		when: "More than {pcie_replays_per_lane_minute} PCIe replays per minute and lane at generation 3; twice as " +
			"many for each later generation.", source: dcgm},
	{kind: cluster.KindFault, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: hasUnreadMetrics,
		after: moreThanOnce,
		when:  "Something cannot be read of the GPU, in 2 samples.", source: nvml},
	{kind: cluster.KindFault, scope: cluster.ScopeGPU, severity: cluster.Note, holds: hasCeasedMetrics,
		after: moreThanOnce,
		when:  "The driver no longer has a value that it gave before, in 2 samples.", source: nvml},
	{kind: cluster.KindNoCompute, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: noCompute,
		when: "The compute mode is prohibited.", source: nvml},
	{kind: cluster.KindMemoryFull, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: memoryEnds,
		after: time.Minute, watch: halfAnHour,
		when: "80% of the GPU's memory is in use, its use has grown evenly for half an hour, and it will be full within " +
			"{gpu_memory_full_minutes} min at this pace; for 1 min.", source: "own"},
	{kind: cluster.KindMemoryFull, scope: cluster.ScopeGPU, severity: cluster.Note, holds: memoryFills,
		after: time.Minute, watch: halfAnHour,
		when: "The same, and it will be full within half an hour.", source: "own"},
	{kind: cluster.KindMemoryFull, scope: cluster.ScopeGPU, severity: cluster.Note, holds: memoryFull,
		when: "{gpu_memory_full_percent}% of the GPU's memory is in use.", source: "own"},

	{kind: cluster.KindHidden, scope: cluster.ScopeJob, severity: cluster.Critical, holds: areGPUsHidden, only: true,
		when:   "The probe is in the cgroup of another job, which hides this job's GPUs.",
		source: "scontrol show job -d"},
	{kind: cluster.KindMissing, scope: cluster.ScopeJob, severity: cluster.Critical, holds: areGPUsMissing,
		when: "The driver does not list a GPU that SLURM allocated to the job.", source: "scontrol show job -d"},
	{kind: cluster.KindMissing, scope: cluster.ScopeJob, severity: cluster.Warning, holds: perhapsMissing,
		when: "The same, where SLURM may just number the GPUs differently.", source: "scontrol show job -d"},
	{kind: cluster.KindLeftOver, scope: cluster.ScopeJob, severity: cluster.Warning, holds: leftOver,
		after:  listedAgain,
		when:   "A process of the user whose job has ended holds more than 15 MiB of GPU memory on the node, for 90 s.",
		source: "squeue, cgroup"},
	{kind: cluster.KindStranger, scope: cluster.ScopeJob, severity: cluster.Warning, holds: hasForeignProcess,
		after: listedAgain,
		when: "A process of another job or user, not root's, is on a GPU that is proved to be the job's, for 90 s. " +
			"Not while the job is suspended.", source: "squeue, cgroup"},
	{kind: cluster.KindHostMemory, scope: cluster.ScopeJob, severity: cluster.Warning, holds: hostMemoryFull,
		when:   "The job uses {host_memory_percent}% of the memory that its cgroup may use on the node.",
		source: "cgroup"},
	{kind: cluster.KindHostMemory, scope: cluster.ScopeJob, severity: cluster.Warning, holds: hostMemoryFills,
		after: time.Minute,
		when: "It uses 80% and will reach the limit within {host_memory_minutes} min at the pace of the last " +
			"minutes; for 1 min.", source: "cgroup"},
	{kind: cluster.KindWrongCgroup, scope: cluster.ScopeJob, severity: cluster.Warning, holds: elsewhereAdopted,
		when: "The probe is in the cgroup of another job, which hides GPUs of the node.", source: "scontrol show node"},
	{kind: cluster.KindOwner, scope: cluster.ScopeJob, severity: cluster.Note, holds: areGPUsUnowned, after: time.Minute,
		ofGPUs: true,
		when: "Nothing proves which GPUs of the node are the job's, for 1 min: all are shown as the job's. Or the " +
			"probe is in an unknown job, " +
			"which may hide some.", source: "scontrol show node"},
	{kind: cluster.KindMixed, scope: cluster.ScopeJob, severity: cluster.Note, holds: differsFromMost, ofGPUs: true,
		when: "Most nodes of the job have another driver or another model of GPU.", source: nvml},
	{kind: cluster.KindFarCPUs, scope: cluster.ScopeJob, severity: cluster.Note, holds: bindsFarCPUs, ofGPUs: true,
		after: listedAgain,
		when: "A rank whose process is on one GPU may run on no CPU of the GPU's socket, for 90 s. Not where the " +
			"node has one NUMA node, and not in MIG mode.", source: nvml + ", sched_getaffinity(2)"},
	{kind: cluster.KindCPUsFull, scope: cluster.ScopeJob, severity: cluster.Note, holds: fillsCPUs, ofGPUs: true,
		after: longSlow,
		when: "The job uses 0.85 of its CPUs on the node, more threads wait for one half of the time, and its GPUs " +
			"are busy 5% to 70% of it, for 10 min.", source: "cgroup, PSI"},
	{kind: cluster.KindOneThread, scope: cluster.ScopeJob, severity: cluster.Note, holds: feedsByOne, ofGPUs: true,
		after: longSlow,
		when: "A GPU is busy 5% to 60% of the time, its Python process uses one core and might use 4, nothing else " +
			"of the job works on the node, half of the job's CPUs there are idle, and its log counts steps, for 10 min.",
		source: "cgroup"},
	{kind: cluster.KindClockSkew, scope: cluster.ScopeJob, severity: cluster.Note, holds: clockWrong,
		after:  time.Minute,
		when:   "The clock of the node is {clock_skew_seconds} s from the median of the job's nodes, for 1 min.",
		source: "own"},
}

// catalog is the source of the rules for Xids.
const catalog = "NVIDIA, Analyzing Xid Errors with the Xid Catalog"

// Package cluster is the domain of nvnodetop: jobs, nodes, GPUs and processes, their problems, and whose GPU is whose.
//
// Every input is a stream of Events, whether its Source is the real cluster, the demo or a recording. The Store
// (package store) applies Events in the order of their arrival and returns Snapshots. Every output is a function of a
// Snapshot. Its Rules decide what is a problem.
//
// A Snapshot and everything it points to never changes, so it may be read from any number of goroutines. Time is data:
// nothing here reads the clock. Events carry the time of their arrival, and the caller passes the time of a Snapshot.
//
// # Whose GPU it is
//
// A GPU is identified by its UUID. Its number on the screen is the minor number of the device, since in a job's cgroup
// the first GPU is always "0". SLURM's GRES IDX is an index into the node's list of GPUs in its configuration. It
// counts as the minor number only if no GPU of the node has MIG on and all its minor numbers are below the count that
// scontrol show node gives. Otherwise a GPU is the job's if the probe is in the job's own cgroup, which hides all other
// GPUs; if not, Job.Share says that the owner is unknown. CUDA_VISIBLE_DEVICES is ignored. A GPU that was lost before
// the probe started has no minor number: it gets a number only if the node's earlier reports, its job or its place in
// NVML's list proves which GPU it is. The GPUs that SLURM allocated are compared with the GPUs that the probe sees: a
// missing GPU is a critical problem of the job on that node, exit code 1. A MIG instance is an entry of its own after
// its GPU, with the GPU's number ("3:1" on the screen) and an index from 1000 on. It never counts as a GPU: not for the
// job, not in totals, not for SLURM's numbers. A process is listed once, on its instance. The list of GPUs is read
// again when an instance's handle stops working, and every minute while MIG is on.
package cluster

import (
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Snapshot is the immutable state of everything known at one moment.
type Snapshot struct {
	At        time.Time // ages count up to this time
	Poll      time.Duration
	Span      time.Duration // time that graphs of histories show; 0: the usual one
	Discovery Discovery     // Discovery.Jobs are the jobs as discovered; show Jobs
	Jobs      []JobView
	Nodes     map[string]*Node // by name; has every node of every job

	Marks []Mark // of the jobs' programs: the latest, in order of arrival

	// Stacks are what the ranks of jobs did when they were last asked, by job ID.
	Stacks map[string]*rankstacks.Verdict

	// NotChecked are the problems that cannot have been found yet.
	NotChecked []NotChecked
}

// Bin is the width of a bin of the histories.
func (s *Snapshot) Bin() time.Duration { return history.BinWidth(s.Poll, s.Span) }

// NotChecked is a kind of problem that cannot have been found yet. It has the time that a node must report before the
// problem can be found, or another reason. A time below a second stands for a second report. A kind is listed more than
// once if some of its problems take longer than others.
type NotChecked struct {
	Kind  Kind
	Takes time.Duration
	Why   Unchecked
	Job   string // only of this job; "": of all
}

// JobView is a job with the data of its nodes.
type JobView struct {
	Job
	Common Common
	// worst first, then those that slow the whole job, then newest first; those cleared within Linger come last
	Findings  []Finding
	Cleared   []Finding     // cleared before that, at most Remember ago, latest first; repeats are merged
	Reporting int           // nodes that report
	GPUs      int           // of the job: as SLURM counts them, otherwise those that nodes have listed
	GPUsSeen  int           // the GPUs among them that report: on reporting nodes, neither lost nor hung
	Roles     []pace.Role   // what the GPUs do, if they are seen to do two things; otherwise nil
	Progress  *JobProgress  // how far its program is; nil: not known
	Steps     progress.Past // what its log said over time
}

// NodeState is the state of a node.
type NodeState string

// States of a node.
const (
	NodeConnecting NodeState = "connecting" // the first attempt is in progress
	NodeReporting  NodeState = "reporting"  // reports arrive
	NodeStale      NodeState = "stale"      // the data is older than 3 intervals, or the session was just lost
	NodeFailed     NodeState = "failed"     // no current data: Failure says why
)

// Node is one node. It has data if State is NodeReporting or NodeStale. If the node had data earlier, Past has the last
// data.
type Node struct {
	Name   string
	Switch string // the leaf switch or the block of SLURM's topology; "": not known
	State  NodeState
	Since  time.Time // of State

	Tries    int          // attempts since the last report, including the current one
	Route    reach.Route  // of the current attempt or session, or the last one
	Steps    []reach.Step // of Route; in the order of Route.Stages
	Attempts []Attempt    // failed ones, newest first, at most maxAttempts
	// of the last attempt or session; also why a node is not reached yet when an output ends; nil while reports arrive
	Failure *reach.Failure
	// of the door that came farthest of those given up for the current one; nil: no such door, or the node failed since
	Passed  *Passed
	RetryAt time.Time // zero: none is planned

	Hello    *wire.Hello // nil before the first
	Host     wire.Host
	History  history.History // of Host
	Interval time.Duration   // between two reports
	Arrived  time.Time       // time of the last report; zero: none yet
	Age      time.Duration   // Snapshot.At − Arrived
	Took     time.Duration   // time that the driver took for its slowest GPU, in the last report

	GPUs      []GPU // by Number, those without one last
	Listed    bool  // Processes are from the report at ListedAt: the last one, or one at most KeepList ago
	ListedAt  time.Time
	Processes []wire.Process
	// ranks of jobs on the node, in Processes or in an earlier list; at most maxRanks
	Ranks  []SeenRank
	Faults []wire.Fault // collectors that failed in the last report

	// in the last hour, since the watch began and since the driver was loaded; oldest first, at most maxXids
	Xids   []Xid
	Memory []JobMemory // host memory of jobs, in the last report

	Past *Past // of a node without current numbers; nil: it never had any

	Clocked bool // the probe sends the node's time
	// our clock minus the node's, plus the delay of the fastest report in the last minute
	Offset time.Duration

	layout gpuLayout // of GPUs
}

// Watched returns the time from the first to the last report of a reporting node; 0: there has been only one report.
func (n *Node) Watched() time.Duration { return n.Arrived.Sub(n.Since) }

// Xid is an event that the driver reported.
type Xid struct {
	At   time.Time
	Code uint64
	Key  string // of the GPU
}

// StagesLeft returns how many stages of the current attempt are not done. All doors end with the same stages, so the
// attempt with the fewest left came farthest.
func (n *Node) StagesLeft() int {
	left := len(n.Route.Stages)
	for i := range n.Steps {
		if n.Steps[i].State == reach.StepDone {
			left--
		}
	}
	return left
}

// Passed is the failure of a door that was given up for another one.
type Passed struct {
	Door    string
	Left    int // number of its stages that were not done
	Failure *reach.Failure
}

// Attempt is a failed attempt.
type Attempt struct {
	At      time.Time
	Door    string
	Summary string
	Took    time.Duration
}

// GPU is one GPU of a node: its static data (Card), its last sample (GPU) and its History. Get searches both.
type GPU struct {
	*wire.GPU            // belongs to the Report, and never changes
	Card      *wire.Card // belongs to the Hello, and never changes; nil only where there is no Hello
	Key       string     // UUID, or "index:N" without one
	Number    int        // as displayed: the device's minor number, or NoNumber; an instance has the number of its GPU

	History history.History
	growth  history.Growth
	limit   float64 // watts: the last power limit that the driver gave; 0: none yet
	links   uint64  // a bit for each NVLink that has been up

	Memory history.MemoryPast // trend of its memory use in the last half hour
}

// NoNumber is the Number of a GPU that was lost before the probe started and cannot be identified.
const NoNumber = -1

// hungAfter is the duration of a driver call after which its GPU counts as hung.
const hungAfter = 10 * time.Second

// Instance reports whether this is a MIG instance of another GPU, and not a GPU itself.
func (g *GPU) Instance() bool { return g.Card != nil && g.Card.Instance != nil }

// Hung reports whether a driver call for this GPU does not return.
func (g *GPU) Hung() bool { return g.HangsMS >= hungAfter.Milliseconds() }

// Late reports whether a driver call for this GPU has already taken half the time after which the GPU counts as hung.
func (g *GPU) Late() bool { return g.HangsMS >= hungAfter.Milliseconds()/2 }

// Awaited reports whether the driver has not given any values of this GPU yet, but may still do so.
func (g *GPU) Awaited() bool { return (g.Reading || g.HangsMS > 0) && g.Reports() && g.Values.Empty() }

// Reports reports whether the GPU is neither lost nor hung.
func (g *GPU) Reports() bool { return g.Lost == "" && !g.Hung() }

// Get returns a metric of the GPU, static or sampled, and whether it is known.
func (g *GPU) Get(id metric.ID) (float64, bool) {
	if v, known := g.Values.Get(id); known {
		return v, true
	}
	if g.Card == nil {
		return 0, false
	}
	return g.Card.Values.Get(id)
}

// Float returns a metric of the GPU, NaN if it is unknown.
func (g *GPU) Float(id metric.ID) float64 {
	v, known := g.Get(id)
	if !known {
		return math.NaN()
	}
	return v
}

// PowerLimit returns the enforced power limit in watts. For a lost GPU it returns the last known limit, so that graphs
// of its past keep their scale.
func (g *GPU) PowerLimit() (float64, bool) {
	if v, known := g.Get(metric.PowerLimit); known {
		return v, true
	}
	return g.limit, g.limit > 0
}

// Severity orders findings.
type Severity int

// Severities, mildest first.
const (
	Note     Severity = iota // worth knowing
	Waiting                  // in progress: no problem yet
	Warning                  // needs a look
	Critical                 // needs action
)

// String is the name of the severity. It is stable: programs may match on it.
func (s Severity) String() string {
	return [...]string{Note: "note", Waiting: "waiting", Warning: "warning", Critical: "critical"}[s]
}

// Kind is the kind of a finding. It is stable: programs may match on it.
type Kind string

// Kinds of findings, worst first within a severity.
const (
	KindMissing    Kind = "gpu_missing"  // X: the driver does not list a GPU that SLURM allocated to the job
	KindHidden     Kind = "gpu_hidden"   // X: the probe is in the cgroup of another job, which hides this job's GPUs
	KindLost       Kind = "gpu_lost"     // X: the GPU is lost or needs a reset
	KindUnusable   Kind = "gpu_unusable" // X: the driver gives no access to the GPU
	KindHang       Kind = "gpu_hang"     // X: a driver call for the GPU does not return
	KindFailed     Kind = "node_failed"  // the node does not report; Finding.Class says why
	KindNoDriver   Kind = "no_driver"    // the node reports, but NVML is not usable
	KindStale      Kind = "node_stale"   // no report for 3 intervals
	KindSilence    Kind = "all_silent"   // no node has reported for 3 intervals: one finding for all of them
	KindSlow       Kind = "driver_slow"  // the driver takes longer than the interval
	KindECC        Kind = "ecc"          // E: uncorrectable ECC errors since driver load
	KindThermal    Kind = "thermal"      // T: thermal throttling
	KindPowerBrake Kind = "power_brake"  // P: hardware power brake
	KindSlowdown   Kind = "hw_slowdown"  // T: hardware slowdown without a reported reason
	KindFault      Kind = "collector"    // some metrics cannot be read

	KindXid         Kind = "xid"             // X: the driver reported an Xid
	KindRecovery    Kind = "recovery_action" // X: the driver asks for a reset or a reboot
	KindRemap       Kind = "remap_pending"   // E: rows will be remapped at the next reset
	KindRemapFailed Kind = "remap_failed"    // E: a row could not be remapped
	KindNoSpares    Kind = "spare_rows"      // E: memory banks have no spare rows left
	KindRetired     Kind = "retired_pages"   // E: many retired pages, or some that wait for a reboot
	KindECCGrowing  Kind = "ecc_growing"     // E: uncorrectable ECC errors since the watch began
	KindNVLinkDown  Kind = "nvlink_down"     // N: an NVLink link is down
	KindNVLink      Kind = "nvlink_errors"   // N: NVLink errors since the watch began
	KindFabric      Kind = "nvlink_fabric"   // X: the GPU is not registered with its NVLink fabric
	KindFabricIll   Kind = "fabric_degraded" // N: the NVLink fabric of the GPU is not healthy
	KindOtherClique Kind = "fabric_clique"   // N: NVLink does not connect the GPU with the others of the node
	KindMemoryHot   Kind = "memory_hot"      // T: the memory is above its maximum temperature
	KindGPUHot      Kind = "gpu_hot"         // T: the GPU is above its slowdown temperature, and not slowed down
	KindNoCompute   Kind = "compute_mode"    // X: no CUDA program may start on the GPU
	KindPCIe        Kind = "pcie_degraded"   // N: PCIe below its width or generation under load
	KindPCIeReplays Kind = "pcie_replays"    // N: many PCIe replays
	KindMixed       Kind = "mixed_drivers"   // the nodes of the job have different drivers or models
	KindPersistence Kind = "persistence_off" // the driver is unloaded when no program runs
	KindHostMemory  Kind = "host_memory"     // the job's host memory is close to its limit
	KindMemoryFull  Kind = "gpu_memory_full" // GPU memory is nearly full
	KindLeftOver    Kind = "left_over"       // a process of an ended job, or an idle one, holds GPU memory
	KindStranger    Kind = "foreign_process" // a process that is not the job's is on one of its GPUs
	KindWrongCgroup Kind = "other_cgroup"    // the probe was adopted into another job
	KindClockSkew   Kind = "clock_skew"      // the node's clock differs from the others'
	KindDisk        Kind = "disk_full"       // the local disk or /tmp is nearly full
	KindRankGone    Kind = "rank_gone"       // a rank of the job has ended while others run

	KindLag        Kind = "lag"              // L: slower than the other GPUs of the job
	KindLinkUnused Kind = "nvlink_unused"    // N: it exchanges data over PCIe, though it has NVLink
	KindStepSlower Kind = "step_slower"      // the steps of the job take longer than before
	KindStalled    Kind = "stalled"          // the job stood still for longer than ever before, and has resumed
	KindLogSilent  Kind = "log_silent"       // the log of the job does not grow any more
	KindTooLong    Kind = "too_long"         // the program will not finish within the time limit of the job
	KindLowClock   Kind = "low_clock"        // T: a low SM clock at full load, and the driver names no reason
	KindIdle       Kind = "idle"             // I: idle while the other GPUs of the job work
	KindJobIdle    Kind = "job_idle"         // no GPU of the job works
	KindJobHang    Kind = "job_hang"         // the job seems to hang in a collective
	KindFarCPUs    Kind = "far_cpus"         // ranks may only run on CPUs of another socket than that of their GPU
	KindCPUsFull   Kind = "cpus_full"        // more threads of the job want to run than it has CPUs, and its GPUs wait
	KindOneThread  Kind = "one_thread"       // one thread feeds a GPU, which waits, and other CPUs of the job are idle
	KindImbalance  Kind = "memory_imbalance" // one GPU has much more memory in use than the others
	KindConnecting Kind = "connecting"
	KindOwner      Kind = "owner_unknown" // which GPUs are the job's is not known
	KindOldDriver  Kind = "old_driver"    // the driver lacks optional NVML calls: some columns are empty
)

// Finding is a problem, or something worth knowing. Package health writes its text.
type Finding struct {
	Kind     Kind
	Class    reach.Class // of the failure, for KindFailed and KindStale
	Severity Severity
	Since    time.Time // when it began; a return within Linger does not count
	Before   bool      // it was there when the node was first seen, at Since; its beginning is unknown
	Over     time.Time // when it last held; zero: it still holds
	Times    int       // how often it has begun since Since
	Last     time.Time // when it last held before it began again; zero: this is the first time within Remember
	Earlier  Earlier   // the times before Since
	Job      string    // ID
	Node     string    // empty: the whole job, on several nodes
	GPU      int       // Number of the GPU; -1: the node, or a GPU without a number
	Key      string    // of the GPU; empty: the node
	Every    bool      // it is about the node because it is about every GPU of it

	Compared *Comparison // the evidence, for kinds that compare the GPUs of a job
	Silence  *Silence    // likewise, for KindSilence
}

// Of reports whether the finding is about this GPU of its node.
func (f *Finding) Of(g *GPU) bool { return f.Every || f.Key != "" && f.Key == g.Key }

// OfAwaited reports whether the finding is about GPUs for which a job waits that stands still, not about the job.
func (f *Finding) OfAwaited() bool { return f.Kind.StopsJob() && (f.Key != "" || f.Every) }

// Holds reports whether the finding is true now. A cleared finding stays for Linger, so that lines do not come and go.
func (f *Finding) Holds() bool { return f.Over.IsZero() }

// Percent returns used as a percentage of total; false if either is unknown (NaN) or total is 0.
func Percent(used, total float64) (float64, bool) {
	if used != used || total != total || total == 0 {
		return 0, false
	}
	return 100 * used / total, true
}

// HasNumbers reports whether the node has current numbers.
func (n *Node) HasNumbers() bool { return n.State == NodeReporting || n.State == NodeStale }

// maxTook limits how long the Store waits for the report of a slow driver, whatever duration the node states.
const maxTook = time.Minute

// Patience is the age from which data is stale. A node with a slow driver gets more time.
func (n *Node) Patience() time.Duration { return 3 * max(n.Interval, min(n.Took, maxTook)) }

// KeepList is the age up to which a list of processes is kept. Without requests for processes, a probe lists them at
// the pace of slow metrics.
const KeepList = 3 * metric.SlowSeconds * time.Second

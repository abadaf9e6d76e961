package cluster

import (
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Snapshot is an immutable picture of all that is known at one moment.
type Snapshot struct {
	At        time.Time // the moment that ages are counted to
	Poll      time.Duration
	Discovery Discovery // Discovery.Jobs are the jobs as discovered; Jobs below is what to show
	Jobs      []JobView
	Nodes     map[string]*Node // by name; every node of every job has an entry
}

// JobView is a job with what its nodes say.
type JobView struct {
	Job
	Findings  []Finding // worst first, newest first among equals; those of the last minute that hold no more are among them
	Cleared   []Finding // what ended before that, at most Remember ago, latest first; repeats at one place are one entry
	Reporting int       // nodes with fresh data
	GPUs      int       // of the job, as far as it is known: from SLURM's IDX, else from what nodes have shown
	GPUsSeen  int       // of them those that report: on nodes with fresh data, neither lost nor hung
}

// NodeState is what a screen needs to know of a node first.
type NodeState string

// States of a node.
const (
	NodeConnecting NodeState = "connecting" // an attempt is under way, and it has not failed before
	NodeReporting  NodeState = "reporting"  // reports come
	NodeStale      NodeState = "stale"      // there are numbers, older than 3 polls, or the session was just lost
	NodeFailed     NodeState = "failed"     // no numbers that are fit to show: Failure says why
)

// Node is one node. Numbers are present when State is NodeReporting or NodeStale.
type Node struct {
	Name  string
	State NodeState
	Since time.Time // of State

	Tries    int            // attempts since the last stream, the current one included
	Stages   []reach.Stage  // of an attempt, in order
	Steps    []reach.Step   // of the current attempt, or the last one; in the order of Stages
	Attempts []Attempt      // failed ones, newest first, at most maxAttempts
	Failure  *reach.Failure // of the last attempt or session; nil once reports come
	RetryAt  time.Time      // zero: none is planned

	Hello    *wire.Hello // nil until a probe has answered once
	Host     wire.Host
	Interval time.Duration // between two reports
	Arrived  time.Time     // of the last report; zero: none yet
	Age      time.Duration // Snapshot.At − Arrived
	Took     time.Duration // what the driver took for its slowest GPU, in the last report

	GPUs      []GPU // by Number, those without one last
	Listed    bool  // Processes were asked for and read
	Processes []wire.Process
	Faults    []wire.Fault // collectors that failed in the last report
}

// Attempt is one failed attempt, for the history of tries.
type Attempt struct {
	At      time.Time
	Summary string
	Took    time.Duration
}

// GPU is one GPU of a node: what never changes (Card), the last sample (GPU) and what led to it. Get finds numbers in both.
type GPU struct {
	wire.GPU
	Card   wire.Card
	Key    string // UUID, or "index:N" while there is none
	Number int    // shown: the device's minor number, or NoNumber

	History History
}

// NoNumber is the Number of a GPU that was lost before the probe began, when nothing says which one it is.
const NoNumber = -1

// hungAfter is how long a call into the driver for a GPU may take before the GPU counts as hung.
const hungAfter = 10 * time.Second

// Hung reports whether a call into the driver for this GPU does not return.
func (g *GPU) Hung() bool { return g.HangsMS >= hungAfter.Milliseconds() }

// reports is false for a GPU that is lost or hung.
func (g *GPU) reports() bool { return g.Lost == "" && !g.Hung() }

// Get returns a number of the GPU, whether it is read once or for every report, and whether it is known.
func (g *GPU) Get(id metric.ID) (float64, bool) {
	if v, known := g.Values.Get(id); known {
		return v, true
	}
	return g.Card.Values.Get(id)
}

// Float is a number of the GPU, or NaN when it is not known.
func (g *GPU) Float(id metric.ID) float64 {
	v, known := g.Get(id)
	if !known {
		return math.NaN()
	}
	return v
}

// Severity orders findings.
type Severity int

// Severities, mildest first.
const (
	Note     Severity = iota // worth knowing
	Waiting                  // on its way: no fault yet
	Warning                  // look
	Critical                 // act
)

// Kind is the kind of a finding. It is stable: a program may match on it.
type Kind string

// Kinds of findings, worst first within a severity.
const (
	KindMissing    Kind = "gpu_missing"  // X: SLURM gave a GPU to the job that the driver does not list
	KindHidden     Kind = "gpu_hidden"   // X: the probe sits in the cgroup of another job and cannot see this job's GPUs
	KindLost       Kind = "gpu_lost"     // X: NVML says that the GPU is lost
	KindUnusable   Kind = "gpu_unusable" // X: the driver gives no access to the GPU
	KindHang       Kind = "gpu_hang"     // X: a call into the driver for the GPU does not return
	KindFailed     Kind = "node_failed"  // a node does not stream; Finding.Class says why
	KindNoDriver   Kind = "no_driver"    // the node streams but NVML cannot be used
	KindStale      Kind = "node_stale"   // numbers older than 3 polls
	KindSlow       Kind = "driver_slow"  // the driver answers slower than it is asked
	KindECC        Kind = "ecc"          // E: uncorrected memory errors since the driver was loaded
	KindThermal    Kind = "thermal"      // T: slowed by heat
	KindPowerBrake Kind = "power_brake"  // P: the power supply pulls the brake
	KindSlowdown   Kind = "hw_slowdown"  // T: hardware slowdown for no named reason
	KindFault      Kind = "collector"    // a collector of the probe fails
	KindConnecting Kind = "connecting"
	KindOldDriver  Kind = "old_driver" // the driver lacks optional calls: some columns are absent
)

// Finding is one thing that is wrong, or worth knowing. How it is said is not for this package.
type Finding struct {
	Kind     Kind
	Class    reach.Class // of KindFailed and KindStale: the failure's
	Severity Severity
	Since    time.Time // when it first held; a return within Linger is no new beginning
	Before   bool      // it held already when it was first seen, at Since: when it began is not known
	Over     time.Time // when it last held; zero: it holds
	Times    int       // how often it has begun since Since
	Job      string    // ID
	Node     string
	GPU      int    // Number of the GPU; -1: the node, or a GPU without a number
	Key      string // of the GPU; empty: the node
}

// Of reports whether the finding is about that GPU of its node.
func (f *Finding) Of(g *GPU) bool { return f.Key != "" && f.Key == g.Key }

// Holds reports whether the finding is true now. One that does not hold stays for Linger, so that lines do not come and go.
func (f *Finding) Holds() bool { return f.Over.IsZero() }

// Percent is the share of used in total, in percent; false when either is not known (NaN) or total is 0.
func Percent(used, total float64) (float64, bool) {
	if used != used || total != total || total == 0 {
		return 0, false
	}
	return 100 * used / total, true
}

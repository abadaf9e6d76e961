// Package wire is the protocol between nvnodetop and its probe: the types and the framing, shared by both ends. It has
// the kernel's facts about a process too, as a node sends them.
//
// The probe writes lines of JSON to its standard output, one Message per line. First comes the Magic line, which the
// reader finds after any output of a login shell. Then comes a Hello, and another Hello when its contents change, for
// example when a driver comes back. Then come Reports at the requested pace. nvnodetop writes Requests to the probe's
// standard input, one per line; each gets one Reply.
//
// The probes of several nodes may share one input, as under srun. A line made by Address is only for the probe that was
// started under that name; the others ignore it, and do not count the line as a sign of life. A line without an address
// is for all probes.
//
// The metrics of GPUs and nodes are rows of the table in package metric; the metrics of processes are fields here. A
// value that the driver or the kernel does not report is left out of the JSON, and so is a nil pointer. An unknown
// value is never 0 or -1. Units are in the key, the name of the field or its comment.
//
// Writer and Reader take and give whole Reports. On the wire, a Report with "same" omits everything that is equal to
// the previous Report since the Hello. "changes" has the changed values of GPUs, with one list for each metric; "host"
// has the changed values of the node. Without "gpus" the GPUs are those of the previous Report, and only their values
// may differ. A process with "as", its index in the last list of processes since the Hello, omits everything that has
// not changed since that list; its age is expected to grow with the uptime. "host_gone" and "gone" list the keys of
// values that have become absent; "gone" of a Report has a list for each GPU. Without "same" a Report is whole, and so
// is a process without "as". A line that refers to a Report that does not exist is malformed.
//
// The package has no behavior apart from the codec. Decoded values may be read by any number of goroutines.
//
// # Limits
//
// A node may be hostile. wire limits lines and lists before it decodes them, link counts answers and standard error,
// and poller allows no more reports than were requested. Beyond these limits the session ends (too_much). The body of a
// message is never quoted in an error. docs/SECURITY.md lists the threats with their tests. The log of --log contains
// only our own words. Only app, poller and slurm may write to it (access hands it over); the packages that keep keys
// and the user's input may not.
package wire

import (
	"maps"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Version is the version of the protocol, in the Magic line and in Hello.
//
//	1  first version
const Version = 1

// Magic is the first line that a probe of this Version prints. It starts with a character that no login banner
// contains.
const Magic = "\x1envnodetop-probe/1"

// MagicBudget is how many bytes of login noise a reader skips before it gives up.
const MagicBudget = 256 << 10

// MaxLine is the longest line, in bytes, that either end accepts. A report with MaxProcesses of the longest commands
// fits.
const MaxLine = 1 << 20

// Message is one line from the probe. Exactly one field is set.
type Message struct {
	Hello  *Hello  `json:"hello,omitempty"`
	Report *Report `json:"report,omitempty"`
	Reply  *Reply  `json:"reply,omitempty"`
}

// Hello holds facts that rarely change while the probe runs.
type Hello struct {
	Version int    `json:"version"`            // protocol version
	Build   string `json:"build"`              // version of the probe's executable
	System  string `json:"system,omitempty"`   // what the probe was built for, such as "linux/amd64"
	Program string `json:"program,omitempty"`  // path of the probe's executable
	Host    string `json:"host"`               // the node's own host name
	PID     int    `json:"pid"`                // of the probe
	Root    bool   `json:"root,omitempty"`     // the probe runs as root
	Kernel  string `json:"kernel,omitempty"`   // release, as uname -r
	CPUs    int    `json:"cpus"`               // logical CPUs of the node, not only those of the probe's cgroup
	Job     string `json:"job,omitempty"`      // SLURM job id of the probe's own cgroup, if it was adopted into a job
	SLUID   string `json:"sluid,omitempty"`    // of that job, if its number is unknown; Job is empty then
	Driver  string `json:"driver,omitempty"`   // NVIDIA driver version
	CUDA    string `json:"cuda,omitempty"`     // highest CUDA version that the driver supports, as "12.4"
	GPUs    []Card `json:"gpus"`               // in NVML's order; empty when NVML could not be used
	Fault   string `json:"fault,omitempty"`    // why NVML is not usable, as an error message
	FaultID string `json:"fault_id,omitempty"` // class of Fault: one of the Fault… constants

	// Missing lists optional NVML functions that the driver's library lacks. Their metrics are absent.
	Missing []string `json:"missing,omitempty"`

	// NUMA lists the NUMA nodes that have CPUs; empty: there is only one, or they are not known.
	NUMA []NUMANode `json:"numa,omitempty"`

	// StandIn is the reason why no probe runs on the node. nvidia-smi is read there instead, which gives less.
	StandIn string `json:"stand_in,omitempty"`
}

// NUMANode is a NUMA node with CPUs.
type NUMANode struct {
	ID     int    `json:"id"`
	CPUs   string `json:"cpus"`   // "0-15,64-79", at most MaxAffinity bytes
	Socket int    `json:"socket"` // a socket may have several
}

// MaxNUMA limits Hello.NUMA.
const MaxNUMA = 64

// Adopted reports whether the probe is in the cgroup of a job, which may be unknown.
func (h *Hello) Adopted() bool { return h.Job != "" || h.SLUID != "" }

// WholeGPUs counts the GPUs without MIG instances.
func (h *Hello) WholeGPUs() (n int) {
	for i := range h.GPUs {
		if h.GPUs[i].Instance == nil {
			n++
		}
	}
	return n
}

// Classes of Hello.Fault.
const (
	FaultNoLibrary = "no_library"      // libnvidia-ml.so.1 is not installed
	FaultMismatch  = "driver_mismatch" // library and kernel module have different versions
	FaultNoDriver  = "no_driver"       // the kernel module is not loaded or does not respond
	FaultNoNVML    = "built_without"   // the probe was built without NVML
	// a driver call hangs, in this probe or another one; reports have no GPUs until it returns
	FaultHangs = "driver_hangs"
	FaultOther = "other"
)

// The reasons why NVML cannot access a GPU: Card.LostID and GPU.LostID.
const (
	LostFellOff = "fell_off" // the GPU has fallen off the bus
	LostReset   = "reset"    // the GPU must be reset
	LostPower   = "power"    // a power cable is missing or loose
	LostIRQ     = "irq"      // the kernel sees no interrupts from it
	LostTimeout = "timeout"  // the driver gave up waiting for it
	LostOther   = "other"
)

// ExitOutdated is the exit status of a probe whose driver was replaced while it ran. It must be started again.
const ExitOutdated = 76

// Card is the static part of one GPU.
type Card struct {
	Index  int           `json:"index"`             // in NVML, as this probe sees the node
	UUID   string        `json:"uuid,omitempty"`    // "GPU-…"; empty if the GPU was lost before the probe started
	Minor  *int          `json:"minor,omitempty"`   // N of /dev/nvidiaN, which SLURM's GRES IDX lists
	Name   string        `json:"name,omitempty"`    // as the driver reports it, including "NVIDIA "
	PCIBus string        `json:"pci_bus,omitempty"` // "00000000:1B:00.0"
	MIG    bool          `json:"mig,omitempty"`     // MIG mode is on: the parent GPU has no utilization
	Lost   string        `json:"lost,omitempty"`    // why NVML cannot access the GPU: its error message
	LostID string        `json:"lost_id,omitempty"` // class of Lost: one of the Lost… constants
	Values metric.Values `json:"values"`            // metrics that are read once

	Serial     string `json:"serial,omitempty"`
	VBIOS      string `json:"vbios,omitempty"`
	Capability string `json:"cuda_capability,omitempty"` // CUDA compute capability, as "9.0"

	// FabricDomain is the UUID of the NVLink domain of several nodes to which the GPU belongs.
	FabricDomain string `json:"fabric_domain,omitempty"`

	// Absent lists the keys of absent metrics by reason. These are metrics that this GPU or its driver does not have,
	// that we may not read, and, for Values, also those that could not be read so far. The reason is NVML's error
	// message, or that the driver does not respond. AbsentXids says that the GPU reports no Xids.
	Absent map[string][]string `json:"absent,omitempty"`

	// Instance is set if this is not a GPU but an instance of one in MIG mode. It has the Minor and the PCIBus of its
	// GPU.
	Instance *Instance `json:"instance,omitempty"`

	// MIGUnknown says that NVML could not tell whether MIG mode is on.
	MIGUnknown bool `json:"mig_unknown,omitempty"`
}

// AbsentXids stands for Xids in Card.Absent.
const AbsentXids = "xids"

// ShareAbsent lets cards that lack the same metrics share one list, as cards of one model do: the lists never change.
func ShareAbsent(cards []Card) {
	for i := 1; i < len(cards); i++ {
		if before := cards[i-1].Absent; maps.EqualFunc(cards[i].Absent, before, slices.Equal[[]string]) {
			cards[i].Absent = before
		}
	}
}

// Instance identifies a MIG instance.
type Instance struct {
	Parent  string `json:"parent"` // UUID of the GPU
	Index   int    `json:"index"`  // among the instances of the GPU, as nvidia-smi -L counts them
	GPU     int    `json:"gi"`     // GPU instance ID
	Compute int    `json:"ci"`     // compute instance ID
}

// Report is one sample of a node.
type Report struct {
	Seq uint64 `json:"seq"` // counts from 1 in a session
	// the node's CLOCK_MONOTONIC in ms when the sample was taken: for rates between two reports
	MonoMS int64 `json:"mono_ms"`
	// the node's time of day when the sample was taken, in ms since 1970: to compare clocks
	WallMS int64 `json:"wall_ms,omitempty"`
	// sent at once because of a Request or after a Hello; not a sample for histories
	OffBeat bool `json:"off_beat,omitempty"`

	// TookMS is the duration of the last complete reading of the slowest GPU, in ms.
	TookMS int64 `json:"took_ms,omitempty"`

	Host Host  `json:"host"`
	GPUs []GPU `json:"gpus"` // in the order of Hello.GPUs

	// Processes are those with a context on a GPU. Listed says that this report has a list, and that at least one GPU
	// listed its own processes. GPUs with Unlisted or Lost did not. Any other GPU without an entry then has no
	// processes; if its Values are repeated, so is its list.
	Listed    bool      `json:"listed,omitempty"`
	Processes []Process `json:"processes,omitempty"`

	Xids []Xid `json:"xids,omitempty"` // since the last report
	// jobs of the user's processes with a context on a GPU, and of the probe itself
	Jobs   []JobMemory `json:"jobs,omitempty"`
	Faults []Fault     `json:"faults,omitempty"` // collectors that failed in this report
}

// Xid is an event that the driver reports: an error of the GPU, or of a program on it.
type Xid struct {
	GPU    int    `json:"gpu"` // Card.Index
	Code   uint64 `json:"code"`
	MonoMS int64  `json:"mono_ms"` // as Report.MonoMS, when the probe got it
}

// JobMemory is how much host memory and CPU time a job uses on the node, according to its cgroup.
type JobMemory struct {
	Job   string `json:"job"`                   // SLURM job id
	Used  uint64 `json:"used_bytes"`            // without the page cache that the kernel can drop
	Limit uint64 `json:"limit_bytes,omitempty"` // beyond it the kernel kills the job; absent: none
	CPU   uint64 `json:"cpu_usec,omitempty"`    // CPU time of all processes so far, in µs; absent: not known
	// time in µs in which a process of it waited for a CPU that others used, by the kernel's PSI; absent: not known
	Waited uint64 `json:"cpu_waited_usec,omitempty"`
}

// Host holds the metrics of scope metric.Host.
type Host struct{ metric.Values }

// UnmarshalJSON parses metrics of a node.
func (h *Host) UnmarshalJSON(text []byte) error { return h.Parse(text, metric.Host) }

// GPU is the changing part of one GPU: the metrics of scope metric.GPU, except metrics that are read once.
type GPU struct {
	Index int `json:"index"` // of the Card
	// why NVML cannot access the GPU: its error message; Values are then empty
	Lost   string        `json:"lost,omitempty"`
	LostID string        `json:"lost_id,omitempty"` // as in Card
	Values metric.Values `json:"values"`

	// A driver call may hang for a single GPU. Its last values are then repeated for three intervals, or for twice the
	// time that its last reading took, up to 30 s; after that they are absent.
	HangsMS int64  `json:"hangs_ms,omitempty"` // ms for which a call for this GPU has hung; 0: none hangs
	Call    string `json:"call,omitempty"`     // the collector that hangs, as in Fault.Collector
	Reading bool   `json:"reading,omitempty"`  // the reading is not complete yet: the next report may have more
	// age of Values in ms if their reading began before this report; 0: they are new
	AgeMS int64 `json:"age_ms,omitempty"`

	// Repeated says that an earlier report already had these Values: they are not a sample for histories.
	Repeated bool `json:"repeated,omitempty"`

	// why the processes of this GPU cannot be listed, in a report that has a list or failed to make one
	Unlisted string `json:"unlisted,omitempty"`
}

// Limits of a report, to keep it below MaxLine.
const (
	MaxCommand   = 512  // bytes of Process.Command
	MaxAffinity  = 256  // bytes of Process.CPUAffinity; a longer list is absent
	MaxProcesses = 1000 // a probe leaves out the rest and adds a Fault
	MaxXids      = 32   // likewise
)

// CollectorProcesses is the collector of processes: if it has a Fault, some processes are missing from the list.
const CollectorProcesses = "processes"

// Fault reports that a collector failed in one report.
type Fault struct {
	Collector string `json:"collector"`
	Error     string `json:"error"`
	GPUs      []int  `json:"gpus,omitempty"` // Card.Index of the GPUs for which it failed; empty: it is not about GPUs
	// Ceased says that the GPU gave the value before, and that the driver now refuses it as if the GPU did not have it.
	Ceased bool `json:"ceased,omitempty"`
}

// Request is one line to the probe. Exactly one of the pointers is set.
type Request struct {
	// repeated in the Reply; counts from 1; 0 in an Alive for several probes, whose Replies nobody reads
	ID      uint64     `json:"id"`
	Pace    *Pace      `json:"pace,omitempty"`
	Alive   *Alive     `json:"alive,omitempty"`
	Environ *ProcessID `json:"environ,omitempty"` // the environment of one of the user's own processes
	Process *ProcessID `json:"process,omitempty"` // details of a process
	Inspect *Inspect   `json:"inspect,omitempty"` // everything about a process
	Signal  *Signal    `json:"signal,omitempty"`
	Family  *Family    `json:"family,omitempty"`
	ReadLog *ReadLog   `json:"read_log,omitempty"`
	Stacks  *Stacks    `json:"stacks,omitempty"`
	RAS     *AskRAS    `json:"ras,omitempty"`
}

// Pace asks for a report every IntervalMS. With Processes, each has a list of processes; otherwise the first report
// after each Hello has one, and then one report every metric.SlowSeconds. When processes are newly requested, the probe
// sends an OffBeat report at once. A probe sends no reports before the first Pace. SecondMS counts in the first Pace
// only.
type Pace struct {
	IntervalMS int `json:"interval_ms"` // 250..600000
	// from the first report to the second, if that is shorter; 0: IntervalMS
	SecondMS  int  `json:"second_ms,omitempty"`
	Processes bool `json:"processes,omitempty"`
}

// Alive tells the probe that nvnodetop still runs. The probe exits when it has received nothing for SilenceMS.
type Alive struct{}

// SilenceMS is how long, in ms, a probe waits for input before it exits.
const SilenceMS = 60_000

// ProcessID identifies a process. The PID alone may be reused after the process has ended.
type ProcessID struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"` // as Process.StartTicks
}

// Reply answers one Request with an Error or the requested result. Pace and Alive have no result.
type Reply struct {
	ID      uint64   `json:"id"`
	Error   string   `json:"error,omitempty"` // why the request failed; empty: success
	Environ *Environ `json:"environ,omitempty"`
	Process *Details `json:"process,omitempty"`

	Inspected *InspectedProcess `json:"inspected,omitempty"`

	Signaled []Signaled `json:"signaled,omitempty"` // for each process of Signal, in the same order
	Family   []Relative `json:"family,omitempty"`   // ordered by PID
	Log      *LogPiece  `json:"log,omitempty"`

	// Stacks has the requested processes in their order, each followed by its descendants.
	Stacks []ProcessStacks `json:"stacks,omitempty"`
	// Addresses are the node's own, sent with Stacks: they tell which node is at the other end of a connection.
	Addresses []string `json:"addresses,omitempty"` // at most MaxAddresses

	RAS *RASPiece `json:"ras,omitempty"`

	// ReadMS is when Family or Stacks was read, in ms on a clock of the node that never goes back; 0: not known. Shares
	// of a CPU are computed from two of them.
	ReadMS uint64 `json:"read_ms,omitempty"`

	// Truncated says that there are more processes than Family or Stacks lists; Environ and Details have a field of
	// their own.
	Truncated bool `json:"truncated,omitempty"`
}

// Environ is the environment with which a process was started, or the present one if the program has overwritten the
// original. It contains secrets: it is shown only on request and never logged.
type Environ struct {
	Variables []string `json:"variables"`           // "KEY=VALUE"
	Truncated bool     `json:"truncated,omitempty"` // it was longer than MaxEnviron or MaxStrings
}

// Details describes a process. Fields that /proc hides are absent, such as the executable and the directory of other
// users' processes.
type Details struct {
	ProcessID
	Parent     int      `json:"parent_pid"`
	State      string   `json:"state"` // one letter, as ps shows it
	Threads    int      `json:"threads"`
	User       string   `json:"user,omitempty"` // as in Process
	UID        *int     `json:"uid,omitempty"`
	Name       string   `json:"name,omitempty"` // comm
	Arguments  []string `json:"arguments,omitempty"`
	Truncated  bool     `json:"truncated,omitempty"` // they were longer than MaxArguments or MaxStrings
	Cgroup     string   `json:"cgroup,omitempty"`
	Job        string   `json:"job,omitempty"` // SLURM job id from its cgroup
	ElapsedSec *int64   `json:"elapsed_seconds,omitempty"`
	Executable string   `json:"executable,omitempty"`
	Directory  string   `json:"directory,omitempty"` // working directory
}

// Limits of a Reply, to keep it far below MaxLine.
const (
	MaxEnviron   = 256 << 10 // bytes of JSON
	MaxArguments = 64 << 10  // likewise
	MaxStrings   = 64 << 10  // elements of either list: a Reader refuses more
	MaxFamily    = 512 << 10 // bytes of JSON
	MaxRelatives = 1000
)

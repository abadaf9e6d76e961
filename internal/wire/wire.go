// Package wire is the protocol between nvnodetop and its probe: the types and the framing, shared by both ends.
//
// The probe writes lines of JSON to its standard output. Before them comes the Magic line, which the reader looks for behind
// whatever a login shell printed; then a Hello (and another whenever what it says has changed: a driver that came back), and
// Reports at the pace that was asked for, each a Message of its own line.
// nvnodetop writes Requests to the probe's standard input, one a line; each gets one Reply.
//
// One input may be heard by the probes of several nodes, as that of srun is. A line that Address has addressed is for the probe that was
// started under that name alone; the others pass over it, and do not count it as a sign of life. A line without an address is for all.
//
// The numbers of a GPU and of a node are rows of the table in package metric; those of a process are fields here.
// Absent is absent: a number that the driver or the kernel does not give is left out of the JSON, and so is a pointer field that is nil.
// It is never 0 and never -1. Units are in the key, or in the field's name or its comment.
//
// The package has no behaviour but the codec. Values may be read from any number of goroutines once decoded.
package wire

import "github.com/nvnodetop/nvnodetop/internal/metric"

// Version is the protocol's version, in the Magic line and in Hello.
//
//	1  first version
const Version = 1

// Magic is the first line that a probe of this Version prints. It begins with a character that no login banner has.
const Magic = "\x1envnodetop-probe/1"

// MagicBudget is how many bytes of login noise a reader passes over before it gives up looking for Magic.
const MagicBudget = 256 << 10

// MaxLine is the longest line, in bytes, that either end accepts. A report with MaxProcesses of the longest commands fits.
const MaxLine = 1 << 20

// Message is one line from the probe. Exactly one field is set.
type Message struct {
	Hello  *Hello  `json:"hello,omitempty"`
	Report *Report `json:"report,omitempty"`
	Reply  *Reply  `json:"reply,omitempty"`
}

// Hello is what does not change while the probe runs.
type Hello struct {
	Version int    `json:"version"`            // protocol version
	Build   string `json:"build"`              // version of the probe's executable
	Host    string `json:"host"`               // the node's own host name
	PID     int    `json:"pid"`                // of the probe
	Kernel  string `json:"kernel,omitempty"`   // release, as uname -r
	CPUs    int    `json:"cpus"`               // logical CPUs of the node, not only those of the probe's cgroup
	Job     string `json:"job,omitempty"`      // SLURM job id of the probe's own cgroup, when it was adopted into one
	Driver  string `json:"driver,omitempty"`   // NVIDIA driver version
	CUDA    string `json:"cuda,omitempty"`     // highest CUDA version that the driver supports, as "12.4"
	GPUs    []Card `json:"gpus"`               // in NVML's order; empty when NVML could not be used
	Fault   string `json:"fault,omitempty"`    // why there is no NVML at all, in the library's words
	FaultID string `json:"fault_id,omitempty"` // class of Fault: one of the Fault… constants

	// Missing lists the optional NVML symbols that this driver's library lacks. The columns that need them are absent.
	Missing []string `json:"missing,omitempty"`
}

// Classes of Hello.Fault.
const (
	FaultNoLibrary = "no_library"      // libnvidia-ml.so.1 is not installed
	FaultMismatch  = "driver_mismatch" // library and kernel module are of different versions
	FaultNoDriver  = "no_driver"       // the kernel module is not loaded or does not answer
	FaultNoNVML    = "built_without"   // the probe was built without cgo
	FaultHangs     = "driver_hangs"    // a call into the driver has not returned; reports go on without GPUs until it does
	FaultOther     = "other"
)

// Why NVML gives no access to a GPU: Card.LostID and GPU.LostID.
const (
	LostFellOff = "fell_off" // the GPU has fallen off the bus
	LostReset   = "reset"    // the GPU must be reset
	LostPower   = "power"    // a power cable is missing or loose
	LostIRQ     = "irq"      // the kernel sees no interrupts from it
	LostTimeout = "timeout"  // the driver gave up waiting for it
	LostOther   = "other"
)

// ExitOutdated is the exit status of a probe whose driver was replaced while it ran: start it again.
const ExitOutdated = 76

// Card is the static part of one GPU.
type Card struct {
	Index  int           `json:"index"`             // NVML's, in this probe's view of the node
	UUID   string        `json:"uuid,omitempty"`    // "GPU-…"; empty for a GPU that was lost before the probe began
	Minor  *int          `json:"minor,omitempty"`   // of /dev/nvidiaN: what SLURM's GRES IDX names
	Name   string        `json:"name,omitempty"`    // as the driver gives it, "NVIDIA " included
	PCIBus string        `json:"pci_bus,omitempty"` // "00000000:1B:00.0"
	MIG    bool          `json:"mig,omitempty"`     // MIG mode is on: the parent GPU has no utilization
	Lost   string        `json:"lost,omitempty"`    // why NVML gives no access to the GPU, in its words
	LostID string        `json:"lost_id,omitempty"` // class of Lost: one of the Lost… constants
	Values metric.Values `json:"values"`            // what is read once

	// MIGUnknown says that NVML could not tell whether MIG mode is on.
	MIGUnknown bool `json:"mig_unknown,omitempty"`
}

// Report is one sample of a node.
type Report struct {
	Seq     uint64 `json:"seq"`                // counts up from 1 in a session
	MonoMS  int64  `json:"mono_ms"`            // the node's CLOCK_MONOTONIC in ms at the sample: for rates between two reports
	OffBeat bool   `json:"off_beat,omitempty"` // sent at once because a Request changed what is asked; not a sample for histories

	// TookMS is how long the driver took to answer for its slowest GPU, in ms, at each GPU's last reading that ended.
	TookMS int64 `json:"took_ms,omitempty"`

	Host Host  `json:"host"`
	GPUs []GPU `json:"gpus"` // in the order of Hello.GPUs

	// Processes are those with a context on a GPU. Listed says that they were asked for and that at least one GPU listed its own. A GPU with
	// Unlisted, Lost or HangsMS is not among those; of every other GPU an empty list then means none.
	Listed    bool      `json:"listed,omitempty"`
	Processes []Process `json:"processes,omitempty"`

	Faults []Fault `json:"faults,omitempty"` // collectors that failed in this report; the others go on
}

// Host is the node itself: the numbers of metric.Host.
type Host struct{ metric.Values }

// UnmarshalJSON reads the numbers of a node.
func (h *Host) UnmarshalJSON(text []byte) error { return h.Parse(text, metric.Host) }

// GPU is the changing part of one GPU: the numbers of metric.GPU but those that are read once.
type GPU struct {
	Index  int           `json:"index"`             // of the Card
	Lost   string        `json:"lost,omitempty"`    // NVML gives no access to the GPU: its words; there is no number then
	LostID string        `json:"lost_id,omitempty"` // as in Card
	Values metric.Values `json:"values"`

	// A call into the driver may hang for one GPU alone. Its last numbers are then repeated for three intervals; after that they are absent.
	HangsMS int64  `json:"hangs_ms,omitempty"` // how long a call for this GPU has not returned, in ms; 0: none is late
	Call    string `json:"call,omitempty"`     // what the call that is late reads, as in Fault.Collector
	AgeMS   int64  `json:"age_ms,omitempty"`   // how old Values are, in ms, when they are repeated: no sample for histories; 0: they are new

	Unlisted string `json:"unlisted,omitempty"` // why the processes on this GPU cannot be listed, when they were asked for
}

// Bits of metric.Throttle, as nvml.h names them (nvmlClocksEventReason…).
const (
	ThrottleGPUIdle      = 0x1
	ThrottleAppClocks    = 0x2
	ThrottleSWPowerCap   = 0x4
	ThrottleHWSlowdown   = 0x8
	ThrottleSyncBoost    = 0x10
	ThrottleSWThermal    = 0x20
	ThrottleHWThermal    = 0x40
	ThrottleHWPowerBrake = 0x80
	ThrottleDisplay      = 0x100
)

// Process is one process with a context on one GPU. A process on two GPUs is listed twice.
type Process struct {
	PID        int      `json:"pid"`
	StartTicks uint64   `json:"start_ticks,omitempty"` // field 22 of /proc/PID/stat: with PID the identity of the process
	GPU        int      `json:"gpu"`                   // Card.Index
	Type       string   `json:"type"`                  // "C" compute, "G" graphics, "M" MPS client, "C+G"
	User       string   `json:"user,omitempty"`        // name, or the number when the node knows no name; empty when /proc hides the process
	UID        *int     `json:"uid,omitempty"`
	Name       string   `json:"name,omitempty"`    // comm
	Command    string   `json:"command,omitempty"` // command line, arguments parted by spaces, capped at MaxCommand bytes
	Job        string   `json:"job,omitempty"`     // SLURM job id from its cgroup
	GPUMemory  *uint64  `json:"gpu_memory_bytes,omitempty"`
	SMPercent  *int     `json:"sm_percent,omitempty"`
	MemPercent *int     `json:"mem_util_percent,omitempty"` // memory bandwidth
	CPUPercent *float64 `json:"cpu_percent,omitempty"`      // 100 = one CPU, since the last listing; absent in the first
	RSS        *uint64  `json:"rss_bytes,omitempty"`
	ElapsedSec *int64   `json:"elapsed_seconds,omitempty"`
}

// Caps of a report, so that it stays below MaxLine.
const (
	MaxCommand   = 512  // bytes of Process.Command
	MaxProcesses = 1000 // Processes; a probe leaves out the rest and says so in a Fault
)

// Fault is a collector that failed in one report.
type Fault struct {
	Collector string `json:"collector"`
	Error     string `json:"error"`
	GPUs      []int  `json:"gpus,omitempty"` // Card.Index of the GPUs it failed for; empty: it is the node's
}

// Request is one line to the probe. Exactly one of the pointers is set.
type Request struct {
	ID      uint64     `json:"id"` // of the Reply; counts up from 1
	Pace    *Pace      `json:"pace,omitempty"`
	Alive   *Alive     `json:"alive,omitempty"`
	Environ *ProcessID `json:"environ,omitempty"` // the environment of a process of one's own
	Process *ProcessID `json:"process,omitempty"` // what the node knows of a process
}

// Pace asks for reports every IntervalMS, and for what they hold. The probe answers a Pace that asks for processes anew with an
// OffBeat report at once. A probe that has had no Pace yet sends no reports.
type Pace struct {
	IntervalMS int  `json:"interval_ms"` // 250..600000
	Processes  bool `json:"processes,omitempty"`
}

// Alive says that nvnodetop is still there. The probe ends itself when it has heard nothing for Silence.
type Alive struct{}

// SilenceMS is how long, in ms, a probe hears nothing before it ends itself.
const SilenceMS = 60_000

// ProcessID names one process. The number alone is given again when the process has ended.
type ProcessID struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"` // as Process.StartTicks
}

// Reply answers one Request: with an Error, or with the result that was asked for. A Pace and an Alive have none.
type Reply struct {
	ID      uint64   `json:"id"`
	Error   string   `json:"error,omitempty"` // why the probe will not or cannot; empty: done
	Environ *Environ `json:"environ,omitempty"`
	Process *Details `json:"process,omitempty"`
}

// Environ is the environment of a process as it was when the process began. It holds secrets: it is shown to a person who asks for it,
// and never written to a log.
type Environ struct {
	Variables []string `json:"variables"`           // "KEY=VALUE"
	Truncated bool     `json:"truncated,omitempty"` // there are more than MaxEnviron bytes
}

// Details is what the node knows of one process. What /proc hides, as it does the executable and the directory of
// another user's process, is absent.
type Details struct {
	ProcessID
	Parent     int      `json:"parent_pid"`
	State      string   `json:"state"` // one letter, as ps shows it
	Threads    int      `json:"threads"`
	User       string   `json:"user,omitempty"` // as in Process
	UID        *int     `json:"uid,omitempty"`
	Name       string   `json:"name,omitempty"` // comm
	Arguments  []string `json:"arguments,omitempty"`
	Truncated  bool     `json:"truncated,omitempty"` // there are Arguments beyond MaxArguments bytes
	Cgroup     string   `json:"cgroup,omitempty"`
	Job        string   `json:"job,omitempty"` // SLURM job id from its cgroup
	ElapsedSec *int64   `json:"elapsed_seconds,omitempty"`
	Executable string   `json:"executable,omitempty"`
	Directory  string   `json:"directory,omitempty"` // the working one
}

// Caps of a Reply, in bytes of JSON, so that it stays far below MaxLine.
const (
	MaxEnviron   = 256 << 10
	MaxArguments = 64 << 10
)

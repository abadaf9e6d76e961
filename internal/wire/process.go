package wire

import (
	"encoding/json"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Process is one process with a context on one GPU. A process on two GPUs is listed twice.
type Process struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks,omitempty"` // field 22 of /proc/PID/stat: with PID the identity of the process
	GPU        int    `json:"gpu"`                   // Card.Index
	Identity

	Type       string   `json:"type"`            // "C" compute, "G" graphics, "M" MPS client, "C+G"
	State      string   `json:"state,omitempty"` // one letter, as ps shows it
	GPUMemory  *uint64  `json:"gpu_memory_bytes,omitempty"`
	SMPercent  *int     `json:"sm_percent,omitempty"`
	MemPercent *int     `json:"mem_util_percent,omitempty"` // of the time in which it reads or writes GPU memory
	EncPercent *int     `json:"encoder_percent,omitempty"`
	DecPercent *int     `json:"decoder_percent,omitempty"`
	CPUPercent *float64 `json:"cpu_percent,omitempty"` // 100 = one CPU, since the last list; absent in the first
	RSS        *uint64  `json:"rss_bytes,omitempty"`
	Threads    *int     `json:"threads,omitempty"`
	ElapsedSec *int64   `json:"elapsed_seconds,omitempty"`
	// since the last list; absent in the first list, and for another user's process
	IORead  *uint64 `json:"io_read_bytes_per_second,omitempty"`
	IOWrite *uint64 `json:"io_write_bytes_per_second,omitempty"`
}

// MaxPID is the highest PID that a kernel assigns. Drivers report 2^32-1 when they know none.
const MaxPID = 1 << 22

// Identity holds the facts that never, or hardly ever, change while a process runs a program. Facts that /proc hides
// are absent.
type Identity struct {
	User      string `json:"user,omitempty"` // name, or number if it has no name
	UID       *int   `json:"uid,omitempty"`
	Name      string `json:"name,omitempty"`    // comm
	Command   string `json:"command,omitempty"` // command line, arguments separated by spaces, at most MaxCommand bytes
	Directory string `json:"directory,omitempty"`
	Parent    int    `json:"parent_pid,omitempty"`
	Job       string `json:"job,omitempty"`  // SLURM job id, from its cgroup or from its environment
	Step      string `json:"step,omitempty"` // likewise: "0", "batch", "interactive", "extern"
	Rank      *Rank  `json:"rank,omitempty"` // of a process of the user's own whose environment names one
	// why it is unknown whether a process of the user's own has a rank: one of the NoRank… constants
	NoRank string `json:"no_rank,omitempty"`
	// the CPUs that it may run on, at most MaxAffinity bytes: "0-15,64-79"
	CPUAffinity string `json:"cpu_affinity,omitempty"`

	// Foreign says that the PID does not belong to this node's PID namespace, as for a process in a container: nothing
	// else is known about the process.
	Foreign bool `json:"foreign,omitempty"`

	// Ended says that the node has no process with the PID, although the driver has listed it for seconds: nothing else
	// is known about it, and it may hold memory.
	Ended bool `json:"ended,omitempty"`
}

// Values of Identity.NoRank.
const (
	// the program has overwritten the environment that the kernel shows, as setproctitle does
	NoRankOverwritten = "environment_overwritten"
	NoRankTooLong     = "environment_too_long"   // longer than the probe reads
	NoRankUnreadable  = "environment_unreadable" // the kernel keeps it private, as for a program with privileges
)

// Rank is the place of a process in a distributed program, from its environment. Numbers that the environment lacks are
// absent.
type Rank struct {
	Rank  int    `json:"rank"`
	Local *int   `json:"local,omitempty"` // rank on its node
	World *int   `json:"world,omitempty"` // number of ranks
	From  string `json:"from"`            // the variable that names the rank: "RANK", "SLURM_PROCID", …

	// Program is a hash of what the environments of all ranks of one program have in common, and those of other
	// programs do not; empty: there is nothing of the kind.
	Program string `json:"program,omitempty"`
}

// amounts are the numbers of a process that are left out when they have not changed. A change of another field makes
// the process whole again. A new number needs a field of Process, a row here, and a reader in package procs: see the
// recipe in docs/ARCHITECTURE.md.
var amounts = []amount{
	number[uint64]{func(p *Process) **uint64 { return &p.GPUMemory }, field.Field[Process]{
		Key: "gpu_memory_bytes", Also: []string{"mem", "gpu_mem"}, Unit: field.Bytes, Title: "GPU-MEM", Width: 8,
		Place: 6,
		Help:  "GPU memory of the process", Example: "10GiB", Letter: 'g', OnGPU: true, AtRank: 3,
		Chart: field.Chart{Place: 2, Title: "GPU memory GiB", OfGPU: metric.MemoryUsed.String()},
		Series: field.Series{Place: 5, Name: "nvnodetop_process_gpu_memory_bytes",
			Help: "GPU memory of the process."}}},
	number[int]{func(p *Process) **int { return &p.SMPercent }, field.Field[Process]{
		Key: "sm_percent", Also: []string{"sm"}, Unit: field.Percent, Title: "%SM", Width: 4, Place: 7,
		Help: "share of the SMs' time", Example: "50", Letter: 's', OnGPU: true, Pace: true, AtRank: 1,
		Chart: field.Chart{Place: 1, Title: "SM %", OfGPU: metric.Util.String()},
		Series: field.Series{Place: 6, Name: "nvnodetop_process_gpu_sm_utilization_ratio",
			Help: "Its share of the SMs' time."}}},
	number[int]{func(p *Process) **int { return &p.MemPercent }, field.Field[Process]{
		Key: "mem_util_percent", Also: []string{"mem_rw", "mbw"}, Unit: field.Percent, Title: "%MRW", Width: 4,
		Place: 11, Help: "share of the time that it reads or writes GPU memory", Example: "50", Letter: 'b',
		OnGPU: true,
		Chart: field.Chart{Place: 5, Title: "Memory read/write time %", Rare: true, OfGPU: metric.MemUtil.String()},
		Series: field.Series{Place: 7, Name: "nvnodetop_process_gpu_memory_utilization_ratio",
			Help: "Share of the time in which it reads or writes GPU memory."}}},
	number[int]{func(p *Process) **int { return &p.EncPercent }, field.Field[Process]{
		Key: "encoder_percent", Unit: field.Percent, Title: "%ENC", Width: 4,
		Help: "share of the video encoder's time", Example: "50", OnGPU: true,
		Series: field.Series{Place: 8, Name: "nvnodetop_process_gpu_encoder_utilization_ratio",
			Help: "Its share of the video encoder's time."}}},
	number[int]{func(p *Process) **int { return &p.DecPercent }, field.Field[Process]{
		Key: "decoder_percent", Unit: field.Percent, Title: "%DEC", Width: 4,
		Help: "share of the video decoder's time", Example: "50", OnGPU: true,
		Series: field.Series{Place: 9, Name: "nvnodetop_process_gpu_decoder_utilization_ratio",
			Help: "Its share of the video decoder's time."}}},
	number[float64]{func(p *Process) **float64 { return &p.CPUPercent }, field.Field[Process]{
		Key: "cpu_percent", Also: []string{"cpu"}, Unit: field.Percent, Decimals: 1, Title: "%CPU", Width: 6,
		Place: 9, Help: "CPU; 100 is one core", Example: "100", Letter: 'c', Pace: true, AtRank: 2,
		Chart: field.Chart{Place: 3, Title: "CPU %, 100 is one core"},
		Series: field.Series{Place: 2, Name: "nvnodetop_process_cpu_ratio",
			Help: "CPUs that the process uses: 1 is one CPU."}}},
	number[uint64]{func(p *Process) **uint64 { return &p.RSS }, field.Field[Process]{
		Key: "rss_bytes", Also: []string{"rss"}, Unit: field.Bytes, Title: "RSS", Width: 8,
		Help: "host memory of the process", Example: "4GiB", AtRank: 7,
		Chart: field.Chart{Place: 4, Title: "Host memory GiB (RSS)"},
		Series: field.Series{Place: 3, Name: "nvnodetop_process_resident_memory_bytes",
			Help: "Host memory of the process."}}},
	number[int64]{func(p *Process) **int64 { return &p.ElapsedSec }, field.Field[Process]{
		Key: "elapsed_seconds", Also: []string{"time"}, Unit: field.Seconds, Title: "time", Width: 8, Place: 10,
		Help: "how long it has run", Example: "2h", Letter: 't', AtRank: 8,
		Series: field.Series{Place: 1, Name: "nvnodetop_process_running_seconds",
			Help: "How long the process has run."}}},
	number[int]{func(p *Process) **int { return &p.Threads }, field.Field[Process]{
		Key: "threads", Unit: field.Count, Title: "THR", Width: 4, Place: 14,
		Help: "number of threads", Example: "64"}},
	number[uint64]{func(p *Process) **uint64 { return &p.IORead }, field.Field[Process]{
		Key: "io_read_bytes_per_second", Also: []string{"io_read"}, Unit: field.BytesPerSecond, Title: "read/s",
		Width: 7, Help: "bytes per second that it reads by system calls, from files, caches and pipes",
		Example: "100MB/s"}},
	number[uint64]{func(p *Process) **uint64 { return &p.IOWrite }, field.Field[Process]{
		Key: "io_write_bytes_per_second", Also: []string{"io_write"}, Unit: field.BytesPerSecond, Title: "write/s",
		Width: 7, Help: "bytes per second that it writes by system calls, to files, caches and pipes",
		Example: "100MB/s"}},
}

// Numbers describes the numbers of a process, for lists.
func Numbers() (fields []field.Field[Process]) {
	for _, a := range amounts {
		fields = append(fields, a.described())
	}
	return fields
}

// Take copies the numbers that are known from another description of the process.
func (p *Process) Take(from *Process) {
	for _, a := range amounts {
		a.take(p, from)
	}
}

// amount is a number of a process that changes, whatever its type.
type amount interface {
	key() string
	described() field.Field[Process]
	take(p, from *Process)                                       // if from has it
	gone(p, base *Process) bool                                  // base has it, p does not
	appendChanged(line []byte, p, base *Process) ([]byte, error) // if it has changed
	change(p *Process, l *processLine)                           // applies what appendChanged and gone have written
}

// number is an amount of type T. Its Key is also its key in JSON.
type number[T int | int64 | uint64 | float64] struct {
	of func(*Process) **T
	field.Field[Process]
}

// described returns the field with its reader. All numbers of a process are sorted highest first by default.
func (n number[T]) described() field.Field[Process] {
	n.DownFirst = true
	n.Number = func(p *Process) (float64, bool) { return field.Known(*n.of(p)) }
	return n.Field
}

func (n number[T]) key() string { return n.Key }

func (n number[T]) take(p, from *Process) {
	if x := *n.of(from); x != nil {
		*n.of(p) = x
	}
}

func (n number[T]) gone(p, base *Process) bool { return *n.of(p) == nil && *n.of(base) != nil }

func (n number[T]) appendChanged(line []byte, p, base *Process) ([]byte, error) {
	x := *n.of(p)
	if equalPointees(x, *n.of(base)) {
		return line, nil
	}
	text, err := json.Marshal(*x)
	line = append(append(append(line, `,"`...), n.Key...), `":`...)
	return append(line, text...), err
}

func (n number[T]) change(p *Process, l *processLine) {
	if x := *n.of(&l.Process); x != nil {
		*n.of(p) = x
	} else if slices.Contains(l.Gone, n.Key) {
		*n.of(p) = nil
	}
}

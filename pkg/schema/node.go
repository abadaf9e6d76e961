package schema

import "time"

// NodeState is the state of a node.
type NodeState string

// States of a node.
const (
	NodeConnecting NodeState = "connecting" // the first attempt is in progress
	NodeReporting  NodeState = "reporting"  // reports arrive
	NodeStale      NodeState = "stale"      // its numbers are older than three intervals, or its session was just lost
	NodeFailed     NodeState = "failed"     // it has no current numbers: Failure says why
)

// Node is a node. It has numbers, GPUs and processes while its State is NodeReporting or NodeStale. Earlier ones are in
// its Past.
type Node struct {
	Name string `json:"name"`
	// its leaf switch, or its block, in SLURM's topology
	Switch     string    `json:"switch,omitempty"`
	State      NodeState `json:"state"`
	Since      time.Time `json:"since,omitzero"`        // of State
	AgeSeconds *float64  `json:"age_seconds,omitempty"` // of its numbers
	Transport  string    `json:"transport,omitempty"`   // of its session or last attempt, as --transport takes it
	Failure    *Failure  `json:"failure,omitempty"`     // also of a node that is still connecting when an output ends
	Hostname   string    `json:"hostname,omitempty"`    // the name it calls itself
	Driver     string    `json:"driver_version,omitempty"`
	CUDA       string    `json:"cuda_version,omitempty"` // highest that the driver supports
	NVMLFault  string    `json:"nvml_fault,omitempty"`   // why its GPUs cannot be read
	// why no probe runs there: nvidia-smi runs instead, which gives less
	StandIn   string    `json:"stand_in,omitempty"`
	CPUs      int       `json:"cpus,omitempty"`      // logical ones; 0: not known
	Host      Metrics   `json:"host,omitempty"`      // of the node itself
	GPUs      []GPU     `json:"gpus,omitempty"`      // by Index, those without one last
	Processes []Process `json:"processes,omitempty"` // on its GPUs
	// Job.ID of the jobs whose GPUs on this node are not known
	OwnerUnknown []string    `json:"owner_unknown,omitempty"`
	Jobs         []JobMemory `json:"jobs,omitempty"`
	Faults       []Fault     `json:"faults,omitempty"`
	Xids         []Xid       `json:"xids,omitempty"` // of the last hour, oldest first
	// of a node that reported before it failed; nil while it has numbers
	Past *Past `json:"past,omitempty"`
}

// Past is what a node last reported before it failed. None of it is current, so no sum and no finding counts it.
type Past struct {
	Time       time.Time   `json:"time"`        // of its last report
	AgeSeconds float64     `json:"age_seconds"` // since then
	Host       Metrics     `json:"host,omitempty"`
	GPUs       []GPU       `json:"gpus"`
	Processes  []Process   `json:"processes,omitempty"`
	Jobs       []JobMemory `json:"jobs,omitempty"`
	Faults     []Fault     `json:"faults,omitempty"`
	Xids       []Xid       `json:"xids,omitempty"` // of the hour before, oldest first
}

// JobMemory is the host memory of a job on a node.
type JobMemory struct {
	JobNumber  string `json:"job_number"` // Job.Number
	UsedBytes  uint64 `json:"memory_used_bytes"`
	LimitBytes uint64 `json:"memory_limit_bytes,omitempty"` // 0: no limit
}

// Fault says that something could not be read in the last report.
type Fault struct {
	Collector string `json:"collector"`
	Error     string `json:"error"`
	GPUs      []int  `json:"gpus,omitzero"` // GPU.Index; nil: it is not about GPUs
}

// Xid is an error that the driver has reported.
type Xid struct {
	Time   time.Time `json:"time"`
	GPU    *int      `json:"gpu,omitempty"`     // GPU.Index
	GPUKey string    `json:"gpu_key,omitempty"` // GPU.Key, of one without an index
	Code   uint64    `json:"code"`
}

// Process is a process on a GPU. A process on several GPUs is listed for each of them.
type Process struct {
	PID int `json:"pid"`
	// when it started, by the kernel's clock: together with PID this is unique until a reboot
	StartTicks   uint64 `json:"start_ticks,omitempty"`
	GPU          *int   `json:"gpu,omitempty"`     // GPU.Index
	GPUKey       string `json:"gpu_key,omitempty"` // GPU.Key, of one without an index
	Type         string `json:"type"`              // C: compute, G: graphics, C+G: both
	State        string `json:"state,omitempty"`   // as ps prints it
	User         string `json:"user,omitempty"`
	Name         string `json:"name,omitempty"`
	Command      string `json:"command,omitempty"`
	Directory    string `json:"directory,omitempty"`
	ParentPID    int    `json:"parent_pid,omitempty"` // 0: not known
	JobNumber    string `json:"job_number,omitempty"` // Job.Number
	Step         string `json:"step,omitempty"`       // of the job
	Rank         *int   `json:"rank,omitempty"`
	LocalRank    *int   `json:"local_rank,omitempty"`
	WorldSize    *int   `json:"world_size,omitempty"`
	RankVariable string `json:"rank_variable,omitempty"` // the environment variable that gives the rank
	// why the rank of one of the user's own processes is not known: environment_overwritten (by the program's title, as
	// with setproctitle), environment_too_long, environment_unreadable
	NoRank string `json:"no_rank,omitempty"`
	// it is in another PID namespace: only the driver knows it
	Foreign bool `json:"foreign,omitempty"`
	// it has exited, but the driver still lists it: nvitop's "No Such Process"
	Ended bool `json:"ended,omitempty"`

	// The numbers, made from the table of package wire by go test ./pkg/schema -update. Those that are not known are
	// nil, as what a process of another user reads and writes.

	// GPU memory of the process
	GPUMemoryBytes *uint64 `json:"gpu_memory_bytes,omitempty"`
	// share of the GPU's memory that the process has
	GPUMemoryPercent *float64 `json:"gpu_memory_percent,omitempty"`
	// share of the SMs' time
	SMPercent *int `json:"sm_percent,omitempty"`
	// share of the time that it reads or writes GPU memory
	MemUtilPercent *int `json:"mem_util_percent,omitempty"`
	// share of the video encoder's time
	EncoderPercent *int `json:"encoder_percent,omitempty"`
	// share of the video decoder's time
	DecoderPercent *int `json:"decoder_percent,omitempty"`
	// CPU; 100 is one core
	CPUPercent *float64 `json:"cpu_percent,omitempty"`
	// host memory of the process
	RSSBytes *uint64 `json:"rss_bytes,omitempty"`
	// share of the node's memory that the process has
	HostMemoryPercent *float64 `json:"host_memory_percent,omitempty"`
	// number of threads
	Threads *int `json:"threads,omitempty"`
	// how long it has run
	ElapsedSeconds *int64 `json:"elapsed_seconds,omitempty"`
	// bytes per second that it reads by system calls, from files, caches and pipes
	IOReadBytesPerSecond *uint64 `json:"io_read_bytes_per_second,omitempty"`
	// bytes per second that it writes by system calls, to files, caches and pipes
	IOWriteBytesPerSecond *uint64 `json:"io_write_bytes_per_second,omitempty"`

	// end of the numbers

	// the CPUs on which the kernel may run it: "0-15,64-79"
	CPUAffinity string `json:"cpu_affinity,omitempty"`

	// what the kernel knows about it, if this was requested: nvnodetop --json --details
	Details *ProcessDetails `json:"details,omitempty"`
}

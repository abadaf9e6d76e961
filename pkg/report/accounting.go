package report

import "time"

// Where a part of a report comes from.
const (
	FromWatch      = "watched"    // nvnodetop watched the job while it ran
	FromRecording  = "recording"  // nvnodetop's recording of the time in which the job ran
	FromAccounting = "accounting" // SLURM's accounting, as sacct prints it
)

// Source says where a part of a report comes from.
type Source struct {
	From  string `json:"from"`           // see FromWatch
	Parts string `json:"parts"`          // what comes from there, in words
	File  string `json:"file,omitempty"` // of a recording
}

// Accounting is what SLURM has counted of the job, whoever watched it. Whatever SLURM has not gathered is absent.
type Accounting struct {
	Elapsed  float64  `json:"elapsed_seconds"`
	Waited   *float64 `json:"waited_seconds,omitempty"` // from its submission to its start
	Nodes    int      `json:"nodes"`
	NodeList string   `json:"node_list,omitempty"` // as SLURM writes it
	CPUs     int      `json:"cpus"`
	Tasks    int      `json:"tasks,omitempty"` // of its largest step

	CPU    *CPUTime `json:"cpu,omitempty"`
	Memory *Memory  `json:"host_memory,omitempty"` // of the node that used most; an estimate if several tasks ran there

	// memory is requested by CPU at this site, so ask for it that way
	PerCPU bool `json:"memory_per_cpu,omitempty"`

	GPUs  *int   `json:"gpus,omitempty"`
	Model string `json:"gpu_type,omitempty"` // SLURM's word for it
	// the mean utilization is at most this: SLURM keeps only the highest sample of each task
	GPUUtilMost *float64 `json:"gpu_util_most_percent,omitempty"`
	GPUMemory   *uint64  `json:"gpu_memory_peak_bytes,omitempty"` // of a task
	GPUHours    *Shares  `json:"gpu_hours,omitempty"`

	Energy *float64 `json:"energy_kwh,omitempty"` // used by its nodes, as SLURM measures it

	// the step in which the kernel killed a process because of its memory, or "job"
	OutOfMemory string `json:"out_of_memory,omitempty"`
	// the memory that this step could use on a node, if the job could use more
	OutOfMemoryLimit *uint64 `json:"out_of_memory_limit_bytes,omitempty"`

	Earlier []Run `json:"earlier_runs,omitempty"` // earlier runs of a requeued job, latest first

	Steps     []Step `json:"steps,omitempty"`      // in SLURM's order
	MoreSteps int    `json:"more_steps,omitempty"` // number of steps that are left out
}

// CPUTime is CPU time of the job's processes. The time given is that of its CPUs, whether the job used them or not.
type CPUTime struct {
	Given   float64 `json:"given_seconds"`
	Used    float64 `json:"used_seconds"`
	Percent float64 `json:"used_percent"`
}

// Run is an earlier run of a job that was requeued.
type Run struct {
	State    string    `json:"state"`
	Start    time.Time `json:"start"`
	End      time.Time `json:"end,omitzero"`
	Elapsed  float64   `json:"elapsed_seconds"`
	Nodes    int       `json:"nodes"`
	NodeList string    `json:"node_list,omitempty"`
	GPUHours *float64  `json:"gpu_hours,omitempty"` // given
}

// Shares are GPU-hours: those that the job had, used and wasted, as far as known. Used and Wasted come from watching
// the job. SLURM knows only the highest utilization, from which the other values follow.
type Shares struct {
	Given       float64  `json:"given"`
	Used        *float64 `json:"used,omitempty"`
	Wasted      *float64 `json:"wasted,omitempty"`
	UsedMost    *float64 `json:"used_at_most,omitempty"`
	WastedLeast *float64 `json:"wasted_at_least,omitempty"`
}

// Step is a step of the job.
type Step struct {
	Name    string    `json:"name"` // batch, extern or a number
	Program string    `json:"program,omitempty"`
	State   string    `json:"state"`
	Code    *int      `json:"exit_code,omitempty"` // absent: it runs, or the kernel killed it because of its memory
	Signal  int       `json:"signal,omitempty"`
	Start   time.Time `json:"start,omitzero"`
	Elapsed float64   `json:"elapsed_seconds"`
	Nodes   int       `json:"nodes,omitempty"`
	Tasks   int       `json:"tasks,omitempty"`
	CPU     *float64  `json:"cpu_seconds,omitempty"`
	Memory  *uint64   `json:"task_memory_peak_bytes,omitempty"` // of its largest task
	Node    string    `json:"task_memory_node,omitempty"`
	// the sum of each task's highest sample: 100 is one GPU
	GPUUtilMost *float64 `json:"gpu_util_most_percent,omitempty"`
}

// Advice is a number to write into the next batch script.
type Advice struct {
	Kind   string `json:"kind"` // stable: the Kind of the Note that it answers, if there is one
	Option string `json:"option"`
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// Cost is what the job has cost, with the site's prices.
type Cost struct {
	Currency string   `json:"currency,omitempty"`
	GPUHours *float64 `json:"gpu_hours,omitempty"` // price of the GPU-hours given
	Energy   *float64 `json:"energy,omitempty"`    // price of the energy
	CO2      *float64 `json:"co2_kg,omitempty"`    // of the energy, in kg
}

// Row is a job in a List.
type Row struct {
	Job
	Elapsed  float64  `json:"elapsed_seconds"`
	Nodes    int      `json:"nodes"`
	CPUs     int      `json:"cpus"`
	GPUs     *int     `json:"gpus,omitempty"`
	GPUHours *Shares  `json:"gpu_hours,omitempty"`
	GPUUtil  *float64 `json:"gpu_util_percent,omitempty"` // the mean; only of a job that was watched
	GPUMost  *float64 `json:"gpu_util_most_percent,omitempty"`
	CPU      *float64 `json:"cpu_used_percent,omitempty"`
	Memory   *float64 `json:"host_memory_used_percent,omitempty"`
}

// List is a report on several jobs, from SLURM's accounting. Times are in UTC.
type List struct {
	Version int       `json:"version"`
	User    string    `json:"user,omitempty"` // absent: the jobs were named
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`
	Jobs    []Row     `json:"jobs"` // by start time
	Total   ListTotal `json:"total"`
}

// ListTotal adds up the jobs of a List.
type ListTotal struct {
	Jobs    int     `json:"jobs"`
	Given   float64 `json:"gpu_hours"`                 // of the jobs whose GPUs are known
	Judged  float64 `json:"gpu_hours_judged"`          // of Given: of the jobs whose utilization was sampled
	Wasted  float64 `json:"gpu_hours_wasted_at_least"` // of the judged ones
	Unknown float64 `json:"gpu_hours_not_known"`       // the rest of Given
	NoGPUs  int     `json:"jobs_without_gpus"`         // or whose GPUs SLURM does not count; they are jobs
	CPU     float64 `json:"cpu_hours"`                 // of all CPUs of all jobs
	CPUUsed float64 `json:"cpu_hours_used"`            // of the jobs whose CPU time is known
	Failed  int     `json:"jobs_failed,omitempty"`     // jobs that neither ended well nor were ended by their user
}

// Comparison puts two reports side by side.
type Comparison struct {
	Version int        `json:"version"`
	Reports [2]*Report `json:"reports"`
	Rows    []Compared `json:"rows"`
}

// Compared is a number that both reports have. A value that is not known is absent.
type Compared struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`
	A      *float64 `json:"a,omitempty"`
	B      *float64 `json:"b,omitempty"`
	Change *float64 `json:"change_percent,omitempty"` // from A to B, in percent of A
}

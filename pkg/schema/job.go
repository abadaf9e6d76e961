package schema

import "time"

// Job is a running job, array task or component of a heterogeneous job. With a list of hosts in place of SLURM it is
// all these hosts.
type Job struct {
	// as squeue prints it: 48211, 2_1 for an array task, 3+1 for a component; empty for a list of hosts
	ID        string    `json:"id,omitempty"`
	Number    string    `json:"number,omitempty"` // SLURM's number of the job
	Name      string    `json:"name"`
	User      string    `json:"user,omitempty"`
	Partition string    `json:"partition,omitempty"`
	Start     time.Time `json:"start,omitzero"`
	// when it reaches its time limit; zero while it is suspended
	End          time.Time `json:"end,omitzero"`
	LimitSeconds float64   `json:"limit_seconds,omitzero"` // 0: no limit, or none known
	Suspended    bool      `json:"suspended,omitempty"`    // its processes keep their GPU memory
	Nodes        []string  `json:"nodes"`                  // names, in SLURM's order
	// GPU.Index of its GPUs, by node; a node without an entry is not known
	GPUMinors      map[string][]int `json:"gpu_minors,omitempty"`
	GPUs           int              `json:"gpus"`      // of the job, as far as known
	GPUsSeen       int              `json:"gpus_seen"` // the part of GPUs that report: neither lost nor hung
	NodesReporting int              `json:"nodes_reporting"`
	Totals         *Totals          `json:"totals,omitempty"` // nil only in documents of older versions
	// groups of GPUs that do the same, if the job is seen to do two things that exchange data, such as prefill and
	// decode; otherwise nil
	Groups   []Group   `json:"groups,omitempty"`
	Progress *Progress `json:"progress,omitempty"` // nil: not known
	Ranks    []Rank    `json:"ranks,omitempty"`
	Findings []Finding `json:"findings"`          // problems that hold, worst first
	Cleared  []Finding `json:"cleared,omitempty"` // problems that held within the last hour
}

// Progress is how far the program of a job is, as its log says it. What the log does not say is nil; if it says nothing
// of steps, the pace may be from the power of the GPUs.
type Progress struct {
	Time    time.Time     `json:"time"`                  // when the line came that says it, or the power was looked at
	Step    *int64        `json:"step,omitempty"`        // as the log prints it: some programs count from 0
	Steps   *int64        `json:"steps_total,omitempty"` // steps of StepsOf
	StepsOf ProgressScope `json:"steps_of"`
	Epoch   *float64      `json:"epoch,omitempty"` // as the log prints it
	Epochs  *int64        `json:"epochs_total,omitempty"`

	SecondsPerStep *float64 `json:"seconds_per_step,omitempty"`
	PaceFrom       PaceFrom `json:"pace_from,omitempty"`
	// the pace before it became slower, and since when it is; nil: it is as fast as it was
	SecondsPerStepBefore *float64  `json:"seconds_per_step_before,omitempty"`
	SlowerSince          time.Time `json:"slower_since,omitzero"`
	Earlier              *Run      `json:"earlier,omitempty"` // of the same name and shape; nil: none is known
	UnitsPerSecond       *float64  `json:"units_per_second,omitempty"`
	Unit                 string    `json:"unit,omitempty"` // of UnitsPerSecond: tokens, samples, images

	Loss         *float64 `json:"loss,omitempty"`          // of the training
	LossDiverged bool     `json:"loss_diverged,omitempty"` // the loss is NaN or inf
	LearningRate *float64 `json:"learning_rate,omitempty"`
	MFUPercent   *float64 `json:"mfu_percent,omitempty"` // model FLOPs utilization

	DonePercent   *float64 `json:"done_percent,omitempty"`    // of the run
	EndsInSeconds *float64 `json:"ends_in_seconds,omitempty"` // until the end of the run
	// time from the job's time limit to the end of the run; negative: it ends in time
	AfterLimitSeconds  *float64 `json:"after_limit_seconds,omitempty"`
	DoneAtLimitPercent *float64 `json:"done_at_limit_percent,omitempty"` // how far it comes until its limit

	CheckpointTime time.Time `json:"checkpoint_time,omitzero"` // of the last checkpoint that the log mentions
	CheckpointStep *int64    `json:"checkpoint_step,omitempty"`
	ResumedAtStep  *int64    `json:"resumed_at_step,omitempty"`
	// since when the log does not grow as it used to; zero: it does, or that is not known
	SilentSince time.Time `json:"silent_since,omitzero"`

	Text []string `json:"text,omitempty"` // the same in words for people, the most important first
}

// Run is what is kept of an earlier job.
type Run struct {
	JobID          string    `json:"job_id"`
	Seen           time.Time `json:"seen"` // when it was watched last
	SecondsPerStep float64   `json:"seconds_per_step"`
}

// ProgressScope is what steps are counted within.
type ProgressScope string

// Scopes of steps.
const (
	StepsOfRun     ProgressScope = "run"
	StepsOfEpoch   ProgressScope = "epoch"
	StepsOfUnknown ProgressScope = "unknown"
)

// PaceFrom is where a pace comes from.
type PaceFrom string

// Sources of a pace.
const (
	PaceFromLog   PaceFrom = "log"   // the log says it
	PaceFromSteps PaceFrom = "steps" // from the steps, and the times of their lines
	PaceFromPower PaceFrom = "power" // the power of the GPUs shows it, and the log says nothing of steps
)

// Group is a group of GPUs of a job that do the same.
type Group struct {
	GPUs        int      `json:"gpus"`
	UtilPercent *float64 `json:"util_percent,omitempty"` // mean of the last half minute
}

// Totals are numbers over the GPUs of a job on nodes that report. A number that no GPU reports is nil.
type Totals struct {
	GPUsCounted       int      `json:"gpus_counted"` // number of GPUs in the least complete of these numbers
	UtilPercent       *float64 `json:"util_percent,omitempty"`
	UtilMedianPercent *float64 `json:"util_median_percent,omitempty"`
	// of the GPU with the lowest utilization, if that stands out from the others
	UtilLowestPercent *float64 `json:"util_lowest_percent,omitempty"`
	UtilLowestNode    string   `json:"util_lowest_node,omitempty"`   // its node
	UtilLowestGPU     *int     `json:"util_lowest_gpu,omitempty"`    // its GPU.Index
	MemoryUsedBytes   *float64 `json:"memory_used_bytes,omitempty"`  // of GPUs that report both this and their size
	MemoryTotalBytes  *float64 `json:"memory_total_bytes,omitempty"` // of the same GPUs
	// sum of the memory of the processes on all GPUs, where the driver counts the memory of none of these GPUs
	MemoryOfProcessesBytes *float64 `json:"memory_of_processes_bytes,omitempty"`
	PowerWatts             *float64 `json:"power_watts,omitempty"`
	PowerLimitWatts        *float64 `json:"power_limit_watts,omitempty"`   // of GPUs that report their power
	TemperatureCelsius     *float64 `json:"temperature_celsius,omitempty"` // of the hottest
}

// PendingJob is a job in the queue.
type PendingJob struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Partition string    `json:"partition,omitempty"`
	Nodes     int       `json:"nodes"`          // number it asks for
	GPUs      *int      `json:"gpus,omitempty"` // number it asks for, in total
	Reason    string    `json:"reason,omitempty"`
	Start     time.Time `json:"start_estimate,omitzero"` // SLURM's estimate
	Booting   bool      `json:"nodes_booting,omitempty"` // its nodes are allocated and are booting
}

// EndedJob is a job that is ending or has ended.
type EndedJob struct {
	ID        string    `json:"id"`
	Number    string    `json:"number,omitempty"`
	Name      string    `json:"name"`
	Partition string    `json:"partition,omitempty"`
	Nodes     int       `json:"nodes"`
	GPUs      *int      `json:"gpus,omitempty"`  // in total
	State     string    `json:"state,omitempty"` // SLURM's word, such as COMPLETED or OUT_OF_MEMORY
	ExitCode  *int      `json:"exit_code,omitempty"`
	Signal    int       `json:"signal,omitempty"` // the signal that ended it; 0: none, or not known
	Start     time.Time `json:"start,omitzero"`
	End       time.Time `json:"end,omitzero"`

	// OutOfMemoryStep is the step of a failed job that ran out of memory: "0", "batch". Cause says why the job failed,
	// in a sentence from its log: "rank 3: ValueError: bad batch (train.py:20)".
	OutOfMemoryStep string `json:"out_of_memory_step,omitempty"`
	Cause           string `json:"cause,omitempty"`
}

// Rank is one rank of a job on one GPU, or without one.
type Rank struct {
	Rank      int       `json:"rank"`
	WorldSize *int      `json:"world_size,omitempty"`
	Program   int       `json:"program,omitempty"` // which of the job's programs, counted from 1; 0: it has only one
	State     RankState `json:"state"`
	Node      string    `json:"node,omitempty"`
	GPU       *int      `json:"gpu,omitempty"`     // GPU.Index, where it runs or ran
	GPUKey    string    `json:"gpu_key,omitempty"` // GPU.Key, of a GPU without an index
	PID       int       `json:"pid,omitempty"`     // 0: no process with this rank is listed
	LastSeen  time.Time `json:"last_seen,omitzero"`
}

// RankState is the state of a rank.
type RankState string

// States of a rank.
const (
	RankRuns      RankState = "runs"       // its process is on the GPU
	RankGone      RankState = "gone"       // its process has left the GPU, while others of its program run
	RankNeverSeen RankState = "never_seen" // no process has it, although all GPUs of the job are listed
	RankUnknown   RankState = "unknown"    // its node does not report
)

// Finding is a problem, or something worth knowing.
type Finding struct {
	Kind        string    `json:"kind"`            // stable: programs may match on it. docs/health.md lists them
	Class       string    `json:"class,omitempty"` // class of the Failure that caused it
	Severity    Severity  `json:"severity"`
	Since       time.Time `json:"since,omitzero"`
	SinceBefore bool      `json:"since_before,omitempty"` // it was there when the node was first seen, at Since
	Over        time.Time `json:"over,omitzero"`          // when it last held; zero: it holds
	// how often it has begun: if it holds, within the last hour; otherwise between Since and Over
	Times int `json:"times,omitzero"`
	// if it holds: when it last held before it began again; zero: it has begun only once
	Last    time.Time `json:"last,omitzero"`
	Node    string    `json:"node"`          // empty: the whole job
	GPU     *int      `json:"gpu,omitempty"` // GPU.Index; nil: the node, or a GPU with a key
	GPUKey  string    `json:"gpu_key,omitempty"`
	AllGPUs bool      `json:"all_gpus,omitempty"` // it is about the node because it is about every GPU of it
	// for kinds that compare the GPUs of a job: how the GPUs are known to work together. docs/health.md lists the
	// values
	Coupling string  `json:"coupling,omitempty"`
	GPUs     []int   `json:"gpus,omitempty"`    // indices of GPUs of the job that the driver does not list
	Awaited  []Place `json:"awaited,omitempty"` // of a job that stands still: the GPUs for which it waits
	Text     *string `json:"text,omitempty"`    // one sentence; nil if the finding is over
	Hint     string  `json:"hint,omitempty"`    // what to do
}

// Place is a GPU, or all GPUs of a node.
type Place struct {
	Node    string `json:"node"`
	GPU     *int   `json:"gpu,omitempty"`      // GPU.Index
	GPUKey  string `json:"gpu_key,omitempty"`  // GPU.Key, of a GPU without an index
	AllGPUs bool   `json:"all_gpus,omitempty"` // of the node
}

// Severity orders findings.
type Severity string

// Severities, mildest first.
const (
	SeverityNote     Severity = "note"     // worth knowing
	SeverityWaiting  Severity = "waiting"  // in progress: no problem yet
	SeverityWarning  Severity = "warning"  // needs a look
	SeverityCritical Severity = "critical" // needs action
)

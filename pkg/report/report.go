// Package report has the reports of nvnodetop report and nvnodetop track as Go types, which encode to their JSON and
// decode from it.
//
// A Report is about a job (report ID --format json): the work of its nodes, GPUs and ranks while it was watched, what
// SLURM has counted, the problems, and advice for the next time. A List has several jobs, one row each. A Comparison
// puts two reports side by side. Means are weighted by time. Time in which a node was silent counts as not seen, and is
// in no mean. An unknown value is absent: a nil pointer, an empty string or a zero time. Times that are numbers are in
// seconds, memory is in bytes; other numbers have their unit in their comment or their JSON.
//
// A Command is about a command and its descendants on one host (track --format json -- COMMAND). It uses the terms of
// gpu_tracker, and the units that it names.
//
// All are plain values. Any number of goroutines may read them.
package report

import (
	"fmt"
	"time"
)

// Version is the version of the document. The meaning of a field changes only with it. New fields may come without a
// new version.
//
//	1  first version
const Version = 1

// Report is the report of a job. Times are in UTC.
type Report struct {
	Version  int       `json:"version"` // see Version
	Job      Job       `json:"job"`
	Watched  Watched   `json:"watched,omitzero"` // absent: nobody watched the job
	Total    Total     `json:"total"`
	Nodes    []Node    `json:"nodes"` // in SLURM's order
	Ranks    []Rank    `json:"ranks,omitempty"`
	Tags     []Tag     `json:"tags,omitempty"`   // parts that the job's programs marked, by start time
	Findings []Finding `json:"findings"`         // by start time
	Stacks   []Stacks  `json:"stacks,omitempty"` // what the ranks did each time they were asked, by time
	Notes    []Note    `json:"notes"`            // the most important first

	Pace       *Pace       `json:"pace,omitempty"` // nil: nobody watched its log, or nothing was kept of it
	Accounting *Accounting `json:"accounting,omitempty"`
	Advice     []Advice    `json:"advice,omitempty"`
	Cost       *Cost       `json:"cost,omitempty"`
	Sources    []Source    `json:"sources,omitempty"` // only if there is a source besides the watch
}

// Job says which job it is and how it ended.
type Job struct {
	ID        string    `json:"id"`
	Number    string    `json:"number,omitempty"`
	Name      string    `json:"name,omitempty"`
	User      string    `json:"user,omitempty"`
	Account   string    `json:"account,omitempty"`
	QOS       string    `json:"qos,omitempty"`
	Partition string    `json:"partition,omitempty"`
	Submit    time.Time `json:"submit,omitzero"`
	Start     time.Time `json:"start,omitzero"`
	End       time.Time `json:"end,omitzero"`
	Limit     float64   `json:"limit_seconds,omitempty"` // time limit; 0: none, or not known
	// RUNNING, SUSPENDED, ENDED if how it ended is not known, or SLURM's word
	State  string `json:"state"`
	Code   *int   `json:"exit_code,omitempty"`
	Signal int    `json:"signal,omitempty"` // the signal that ended it; 0: none, or not known
	Cause  string `json:"cause,omitempty"`  // why it failed, from its log: "rank 3: ValueError: bad batch"
}

// Pace is how fast the program of the job was, by its log.
type Pace struct {
	SecondsPerStep float64     `json:"seconds_per_step"`
	Earlier        *EarlierRun `json:"earlier,omitempty"` // the last one of the same name and shape; nil: none is known
}

// EarlierRun is what is kept of an earlier job.
type EarlierRun struct {
	Job            string    `json:"job_id"`
	Seen           time.Time `json:"seen"` // when it was watched last
	SecondsPerStep float64   `json:"seconds_per_step"`
}

// Watched is the time that the report covers.
type Watched struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Seconds   float64   `json:"seconds"`                     // from From to To
	Suspended float64   `json:"suspended_seconds,omitempty"` // of Seconds, while the job was suspended
}

// Numbers are those of one GPU, or of several together. A number that no GPU reported is absent.
type Numbers struct {
	Util        *Util    `json:"util_percent,omitempty"`             // percent of the time in which kernels ran
	Memory      *Memory  `json:"gpu_memory,omitempty"`               // for several GPUs: of the fullest one
	Temperature *float64 `json:"temperature_peak_celsius,omitempty"` // the highest, in °C
	Power       *Power   `json:"power,omitempty"`
	Energy      *Energy  `json:"energy,omitempty"`
	// only reasons with a time above 0; for several GPUs, their sum
	Throttled []Throttled `json:"throttled,omitempty"`
}

// Util is a utilization over time, in percent. For one GPU, Lowest and Highest are samples. For several GPUs they are
// means of one GPU each, which At names.
type Util struct {
	Mean      float64 `json:"mean"`
	Lowest    float64 `json:"lowest"`
	Highest   float64 `json:"highest"`
	LowestAt  *Place  `json:"lowest_at,omitempty"`
	HighestAt *Place  `json:"highest_at,omitempty"`
}

// Memory is the highest use, and what was then left of the limit, in bytes.
type Memory struct {
	Peak uint64 `json:"peak_bytes"`
	// size of the GPU's memory, or limit of the job's cgroup on the node
	Limit    *uint64 `json:"limit_bytes,omitempty"`
	Headroom *uint64 `json:"headroom_bytes,omitempty"`
	At       *Place  `json:"at,omitempty"`
}

// Power is a power draw over time, in watts. For several GPUs, Mean is the sum of their means, and Peak the highest sum
// at one time.
type Power struct {
	Mean float64 `json:"mean_watts"`
	Peak float64 `json:"peak_watts"`
}

// How an amount of energy, or a time, was measured.
const (
	FromCounter = "counter" // the driver counts it
	FromSamples = "samples" // computed from samples over time
	FromBoth    = "both"    // counted for some GPUs, from samples for others
)

// Energy is what the GPUs used from the first to the last report.
type Energy struct {
	KWh    float64 `json:"kwh"`
	Joules float64 `json:"joules"`
	From   string  `json:"from"`
}

// Throttled is how long the clocks were reduced for one reason.
type Throttled struct {
	Reason  string  `json:"reason"` // as in the output of --json
	Seconds float64 `json:"seconds"`
	From    string  `json:"from"`
}

// Place is a GPU, or a node.
type Place struct {
	Node string `json:"node"`
	GPU  *int   `json:"gpu,omitempty"`
	Key  string `json:"gpu_key,omitempty"` // of a GPU without a number
}

// String names the GPU: "gpu-n01 GPU3".
func (p Place) String() string {
	switch {
	case p.GPU != nil:
		return fmt.Sprintf("%s GPU%d", p.Node, *p.GPU)
	case p.Key != "":
		return p.Node + " " + p.Key
	}
	return p.Node
}

// JobCPU is CPU time of the job's own processes, whoever else uses the node. It comes from the job's cgroup, while the
// job was watched.
type JobCPU struct {
	Seconds float64 `json:"seconds"`
	Busy    float64 `json:"cpus_busy_mean"` // seconds of CPU time per second
}

// Hours are GPU-hours of the GPUs that the job had, for the time watched.
type Hours struct {
	Given float64  `json:"given"`
	Seen  float64  `json:"seen"`           // the part in which the GPUs reported
	Used  *float64 `json:"used,omitempty"` // the part of Seen in which kernels ran: the utilization over time
}

// Total is the whole job.
type Total struct {
	Nodes      int     `json:"nodes"`
	GPUs       int     `json:"gpus"`      // as SLURM counts them, otherwise as the nodes have listed them
	GPUsSeen   int     `json:"gpus_seen"` // those that have reported at least once
	Hours      Hours   `json:"gpu_hours"`
	HostMemory *Memory `json:"host_memory,omitempty"` // of the node with the least headroom
	JobCPU     *JobCPU `json:"job_cpu,omitempty"`     // of all nodes together
	Numbers
}

// Node is one node of the job.
type Node struct {
	Name       string   `json:"name"`
	GPUs       int      `json:"gpu_count"`
	Seen       float64  `json:"seen_seconds"`             // time in which it reported
	Unseen     float64  `json:"unseen_seconds,omitempty"` // length of Gaps, in which it was silent
	Gaps       int      `json:"gaps,omitempty"`
	Hours      Hours    `json:"gpu_hours"`
	CPU        *float64 `json:"cpu_mean_percent,omitempty"` // of all CPUs of the node, whoever uses them
	HostMemory *Memory  `json:"host_memory,omitempty"`      // of the job
	JobCPU     *JobCPU  `json:"job_cpu,omitempty"`
	Numbers
	List []GPU `json:"gpus"`
}

// Reported reports whether the node has sent at least one report.
func (n *Node) Reported() bool { return n.Seen > 0 || len(n.List) > 0 || n.CPU != nil }

// GPU is one GPU of the job.
type GPU struct {
	Number *int    `json:"number,omitempty"`  // the device's minor number
	Key    string  `json:"gpu_key,omitempty"` // of one without a number
	UUID   string  `json:"uuid,omitempty"`
	Model  string  `json:"model,omitempty"`
	Seen   float64 `json:"seen_seconds"`
	Numbers
}

// Rank is a rank of a program of the job. Its numbers are those of the GPU that it was on, for the time it was there.
type Rank struct {
	Rank  int     `json:"rank"`
	World *int    `json:"world_size,omitempty"`
	Place         // the last one
	PID   int     `json:"pid"`
	Seen  float64 `json:"seen_seconds"`
	Numbers
}

// Finding is a problem during the run.
type Finding struct {
	Kind     string    `json:"kind"`
	Severity string    `json:"severity"`
	Since    time.Time `json:"since"`
	Before   bool      `json:"since_before,omitempty"` // it was there when the node was first seen
	Over     time.Time `json:"over,omitzero"`          // absent: it held until the end
	Times    int       `json:"times"`
	Node     string    `json:"node,omitempty"` // absent: the whole job
	GPU      *int      `json:"gpu,omitempty"`
	Key      string    `json:"gpu_key,omitempty"` // of a GPU without a number
	Text     string    `json:"text"`
	Hint     string    `json:"hint,omitempty"`
}

// Note is a sentence about the run, or advice.
type Note struct {
	Kind string `json:"kind"` // stable: programs may match on it
	Text string `json:"text"`
}

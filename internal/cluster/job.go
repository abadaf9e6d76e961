package cluster

import (
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Job is one SLURM job that has nodes. An array task and a component of a heterogeneous job are Jobs of their own.
type Job struct {
	// as squeue prints it: "48211", "2_1" for an array task, "3+1" for a het component; empty with --nodes
	ID        string    `json:"id"`
	Number    string    `json:"number"` // SLURM's number of the job: "16" for the array task "2_1"
	Name      string    `json:"name"`
	User      string    `json:"user"`
	Partition string    `json:"partition,omitempty"`
	Start     time.Time `json:"start,omitzero"`
	// time at which its time limit ends it; zero: no limit, or a limit that does not run while the job is suspended
	End       time.Time     `json:"end,omitzero"`
	Limit     time.Duration `json:"limit,omitzero"`      // zero: no limit
	Suspended bool          `json:"suspended,omitempty"` // it keeps its nodes and GPUs, but does not run
	Nodes     []string      `json:"nodes"`               // in SLURM's order

	// Minors are the device minor numbers of the job's GPUs by node: the GRES IDX of `scontrol show job -d`, if SLURM's
	// configuration of the node allows them to be minor numbers. Share says whether the node confirms this. An empty
	// entry means no GPU there.
	Minors map[string][]int `json:"minors,omitempty"`

	// Counts are the numbers of the job's GPUs by node, where SLURM does not name the GPUs. Configured are the numbers
	// of GPUs of each node in SLURM's configuration, as far as known.
	Counts     map[string]int `json:"counts,omitempty"`
	Configured map[string]int `json:"configured,omitempty"`

	// Asking says that SLURM has not yet answered which GPUs the job has. Counts are then the GPUs that it requests.
	Asking bool `json:"asking,omitempty"`
}

// Owns reports whether the GPU of node n belongs to the job, or may belong to it: see Share. A GPU without a number
// belongs to no job whose minor numbers are known; Missing then reports the job's loss.
func (j *Job) Owns(n *Node, g *GPU) bool { return j.Share(n).Has(&g.Number) }

// Is reports whether a user's name for a job means this job. The name is its ID or its number; an array task has both.
func (j *Job) Is(name string) bool { return name != "" && (j.ID == name || j.Number == name) }

// PartOf reports whether a user's name for a job includes this one: the job Is the named job, a task of the named
// array, or a component of the named heterogeneous job.
func (j *Job) PartOf(name string) bool {
	return j.Is(name) || name != "" && (strings.HasPrefix(j.ID, name+"_") || strings.HasPrefix(j.ID, name+"+"))
}

// Component returns two values for a component of a heterogeneous job: the number of the first component, by which srun
// knows the whole job, and the index of this component.
func (j *Job) Component() (leader, group string, ok bool) { return strings.Cut(j.ID, "+") }

// PendingJob is a job in the queue.
type PendingJob struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Partition string    `json:"partition"`
	Nodes     int       `json:"nodes"`
	GPUs      *int      `json:"gpus,omitempty"` // in total; nil if the request does not say
	Reason    string    `json:"reason"`
	Start     time.Time `json:"start,omitzero"`    // SLURM's estimate; zero: none
	Booting   bool      `json:"booting,omitempty"` // its nodes are allocated and are booting
}

// Discovery is the state of the jobs, and how old it is.
type Discovery struct {
	Command string        `json:"command,omitempty"` // lists the jobs, for the user to repeat; empty with --nodes
	User    string        `json:"user,omitempty"`    // user of the jobs
	Host    string        `json:"host,omitempty"`    // host of nvnodetop
	Asked   time.Time     `json:"asked,omitzero"`    // time of the last answer or failure; zero: none yet
	Took    time.Duration `json:"took,omitzero"`     // duration of the last question
	Next    time.Time     `json:"next,omitzero"`     // time of the next question to SLURM
	// time of the last answer, from which the jobs are; zero: none yet
	Answered time.Time      `json:"answered,omitzero"`
	Failure  *reach.Failure `json:"failure,omitempty"` // failure of the last question; the jobs stay those of Answered
	Note     string         `json:"note,omitempty"`    // on what SLURM was asked about; empty: nothing to say
	// SLURM has not yet answered which nodes and GPUs some jobs have
	Asking   bool `json:"asking,omitempty"`
	Topology bool `json:"topology,omitempty"` // SLURM has not yet answered which switch each node is under

	Jobs []Job `json:"jobs"`
	// Others are the numbers of the user's running jobs that Jobs leaves out because only one job was requested.
	Others  []string     `json:"others,omitempty"`
	Pending []PendingJob `json:"pending,omitempty"`
	Ended   []EndedJob   `json:"ended,omitempty"` // within the last hour, latest first

	Switches []Switch `json:"switches,omitempty"` // of the jobs' nodes, as far as SLURM has a topology
}

// Switch is a leaf switch of SLURM's topology, or a block, with those of its nodes that the jobs use.
type Switch struct {
	Name  string   `json:"name"`
	Nodes []string `json:"nodes"`
}

// Model returns the model of the job's first GPU on the node, from the node's Hello; empty if it is unknown.
func (j *Job) Model(n *Node) string {
	minors, known := j.Minors[n.Name]
	for i := range n.Hello.GPUs {
		c := &n.Hello.GPUs[i]
		if c.Name != "" && c.Instance == nil && (!known || c.Minor != nil && slices.Contains(minors, *c.Minor)) {
			return c.Name
		}
	}
	return ""
}

// JobWith returns the job with an ID; nil: no job has it.
func (s *Snapshot) JobWith(id string) *JobView {
	for i := range s.Jobs {
		if s.Jobs[i].ID == id {
			return &s.Jobs[i]
		}
	}
	return nil
}

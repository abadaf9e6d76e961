package export

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// document is the whole document. An unknown field is absent, never 0 or null. Names include the unit.
type document struct {
	Version   int        `json:"version"`
	Time      time.Time  `json:"time"`
	Poll      float64    `json:"poll_seconds"`
	Discovery *discovery `json:"discovery,omitempty"`
	Jobs      []job      `json:"jobs"`
	Pending   []pending  `json:"pending,omitempty"`
	Ended     []ended    `json:"ended_jobs,omitempty"`
	Nodes     []node     `json:"nodes"`
}

type discovery struct {
	Command  string    `json:"command"`
	User     string    `json:"user,omitempty"`
	Host     string    `json:"host,omitempty"`
	Answered time.Time `json:"answered,omitzero"`
	Took     float64   `json:"took_seconds"`
	Failure  *failure  `json:"failure,omitempty"`
}

type job struct {
	ID        string           `json:"id,omitempty"`
	Number    string           `json:"number,omitempty"`
	Name      string           `json:"name"`
	User      string           `json:"user,omitempty"`
	Partition string           `json:"partition,omitempty"`
	Start     time.Time        `json:"start,omitzero"`
	End       time.Time        `json:"end,omitzero"`
	Limit     float64          `json:"limit_seconds,omitzero"`
	Suspended bool             `json:"suspended,omitempty"`
	Nodes     []string         `json:"nodes"`
	Minors    map[string][]int `json:"gpu_minors,omitempty"`
	GPUs      int              `json:"gpus"`
	GPUsSeen  int              `json:"gpus_seen"`
	Reporting int              `json:"nodes_reporting"`
	Ranks     []rank           `json:"ranks,omitempty"`
	Findings  []finding        `json:"findings"`
	Cleared   []finding        `json:"cleared,omitempty"`
}

type pending struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Partition string    `json:"partition,omitempty"`
	Nodes     int       `json:"nodes"`
	GPUs      *int      `json:"gpus,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	Start     time.Time `json:"start_estimate,omitzero"`
	Booting   bool      `json:"nodes_booting,omitempty"`
}

type ended struct {
	ID        string           `json:"id"`
	Number    string           `json:"number,omitempty"`
	Name      string           `json:"name"`
	Partition string           `json:"partition,omitempty"`
	Nodes     int              `json:"nodes"`
	GPUs      *int             `json:"gpus,omitempty"`
	State     cluster.EndState `json:"state,omitempty"`
	Code      *int             `json:"exit_code,omitempty"`
	Signal    int              `json:"signal,omitempty"`
	Start     time.Time        `json:"start,omitzero"`
	End       time.Time        `json:"end,omitzero"`
}

// finding is a problem that holds, with its words, or one that has cleared.
type finding struct {
	Kind     cluster.Kind `json:"kind"`
	Class    reach.Class  `json:"class,omitempty"`
	Severity string       `json:"severity"`
	Since    time.Time    `json:"since,omitzero"`
	Before   bool         `json:"since_before,omitempty"`
	Over     time.Time    `json:"over,omitzero"`
	Times    int          `json:"times,omitzero"` // only of a cleared one
	Node     string       `json:"node"`
	GPU      *int         `json:"gpu,omitempty"`
	Key      string       `json:"gpu_key,omitempty"` // of a GPU without a number
	Missing  []int        `json:"gpus,omitempty"`    // numbers that the driver does not list
	Text     *string      `json:"text,omitempty"`
	Hint     string       `json:"hint,omitempty"`
}

type failure struct {
	Class   reach.Class `json:"class"`
	Stage   reach.Stage `json:"stage,omitempty"`
	Summary string      `json:"summary"`
	Words   string      `json:"words,omitempty"`
	Meaning string      `json:"meaning,omitempty"`
	Hints   []string    `json:"hints,omitempty"`
	Doors   []tried     `json:"transports,omitempty"`
}

// tried is what a transport answered, or why it was passed over.
type tried struct {
	Door    string      `json:"transport"`
	Class   reach.Class `json:"class"`
	Summary string      `json:"summary"`
	Hint    string      `json:"hint,omitempty"`
}

type node struct {
	Name      string            `json:"name"`
	State     cluster.NodeState `json:"state"`
	Since     time.Time         `json:"since,omitzero"`
	Age       *float64          `json:"age_seconds,omitempty"` // of the numbers
	Door      string            `json:"transport,omitempty"`
	Failure   *failure          `json:"failure,omitempty"`
	Hostname  string            `json:"hostname,omitempty"`
	Driver    string            `json:"driver_version,omitempty"`
	CUDA      string            `json:"cuda_version,omitempty"`
	NVMLFault string            `json:"nvml_fault,omitempty"`
	StandIn   string            `json:"stand_in,omitempty"`
	CPUs      int               `json:"cpus,omitempty"`
	Host      object            `json:"host,omitempty"` // metric.Host
	GPUs      []object          `json:"gpus,omitempty"`
	Processes []process         `json:"processes,omitempty"`
	Unknown   []string          `json:"owner_unknown,omitempty"` // IDs of jobs
	Jobs      []jobMemory       `json:"jobs,omitempty"`
	Faults    []fault           `json:"faults,omitempty"`
	Xids      []xid             `json:"xids,omitempty"`
}

// xid is an error that the driver reported.
type xid struct {
	Time time.Time `json:"time"`
	GPU  *int      `json:"gpu,omitempty"`     // gpus[].index
	Key  string    `json:"gpu_key,omitempty"` // gpus[].key, of one without an index
	Code uint64    `json:"code"`
}

// jobMemory is the host memory of a job on the node.
type jobMemory struct {
	Job   string `json:"job_number"`
	Used  uint64 `json:"memory_used_bytes"`
	Limit uint64 `json:"memory_limit_bytes,omitempty"`
}

// migInstance says of which GPU a MIG instance is, and which of its instances.
type migInstance struct {
	Parent  string `json:"parent"`
	Index   int    `json:"index"`
	GPU     int    `json:"gi"`
	Compute int    `json:"ci"`
}

type fault struct {
	Collector string `json:"collector"`
	Error     string `json:"error"`
	GPUs      []int  `json:"gpus,omitzero"`
}

package schema

import "time"

// StacksVersion is the version of Stacks. The meaning of a field changes only with it.
//
//	1  first version
const StacksVersion = 1

// Stacks says what the ranks of a job do. nvnodetop stacks --json prints it.
type Stacks struct {
	Version int       `json:"version"` // see StacksVersion
	Job     string    `json:"job,omitempty"`
	Time    time.Time `json:"time"` // of the last look
	// time between the last two looks; absent: there was only one look, and State is unclear
	ComparedSeconds *float64   `json:"compared_seconds,omitempty"`
	State           StackState `json:"state"`

	// Headline is the result in a few words, for people: "rank 11 in _try_get_data, 63 in all_reduce"; "": there is
	// none.
	Headline string `json:"headline,omitempty"`
	// Said is the result in sentences, the most important first. They are for people, and change between versions.
	Said []string `json:"said"`

	Asked  int          `json:"asked"` // processes of the job on its GPUs
	Read   int          `json:"read"`  // processes whose place in the program is known
	Groups []StackGroup `json:"groups"`
	// processes whose place is not known, by reason; for some, the kernel says how they wait
	Refused []StackRefusal `json:"refused,omitempty"`

	// NCCL is what the job's own NCCL library says about its collectives; nil: it was not asked, or did not answer.
	NCCL *StackNCCL `json:"nccl,omitempty"`
}

// StackState is the result of comparing two looks.
type StackState string

// The states of a job.
const (
	StacksMoving  StackState = "moving"  // a rank was elsewhere in the previous look, or a collective has ended since
	StacksStuck   StackState = "stuck"   // no rank has moved, and most wait for one that does not work; or NCCL says so
	StacksUnclear StackState = "unclear" // neither is known
)

// StackGroup is a group of ranks with equal stacks: the frames of their main threads agree in function and file.
type StackGroup struct {
	Summary string `json:"summary"` // the stack in one line, for people
	Members string `json:"members"` // the ranks in a few words, for people
	Outlier bool   `json:"outlier"` // few ranks are there, while most of the job is elsewhere
	// Vague means that only the kernel says how they wait. Cause and Hint say why, as in Refused.
	Vague bool   `json:"vague,omitempty"`
	Cause string `json:"cause,omitempty"`
	Hint  string `json:"hint,omitempty"`
	// number of ranks that were elsewhere in the previous look, at least; absent: not known
	Moved      *int         `json:"moved,omitempty"`
	Collective string       `json:"collective,omitempty"` // the function in which they wait for other ranks
	Ranks      []StackRank  `json:"ranks"`
	Frames     []StackFrame `json:"frames,omitempty"` // innermost first; none: no Python, or not permitted
	Deeper     bool         `json:"deeper,omitempty"` // there are more frames outside of the last one
	// other threads with Python frames, of the first rank
	Threads []StackThread `json:"threads,omitempty"`
	// descendants that wait for a file, and cannot be interrupted
	Workers []StackWorker `json:"workers,omitempty"`
	// Children are the descendants that were read, whatever they do. In a large group they are those of its first
	// ranks.
	Children     []StackChild `json:"children,omitempty"`
	MoreChildren int          `json:"more_children,omitempty"` // number that are left out
}

// StackRank is a process of the job.
type StackRank struct {
	Rank       *int   `json:"rank,omitempty"`
	NoRank     string `json:"no_rank,omitempty"` // as in Process
	Node       string `json:"node"`
	GPUs       []int  `json:"gpus,omitempty"`
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks,omitempty"`
	State      string `json:"state,omitempty"` // one letter, as ps shows it

	Counted *StackCounted `json:"counted,omitempty"` // absent: there was one look, or nothing is known
}

// StackCounted is what was counted of a process between two looks. None of it grows in a process that waits forever.
// Unknown values are absent.
type StackCounted struct {
	Seconds float64 `json:"seconds,omitempty"` // between the looks, on the clock of the node

	CPUPercent *float64 `json:"cpu_percent,omitempty"` // of one CPU; all threads together
	// how often the thread that determines whether the process goes on has begun to wait
	Switches *uint64 `json:"voluntary_switches,omitempty"`
	IOBytes  *uint64 `json:"io_bytes,omitempty"` // read and written by it

	Looks  int `json:"looks,omitempty"`             // number of quick looks in between
	InLine int `json:"looks_in_one_line,omitempty"` // how many of them saw its main thread where the last look did
}

// StackChild is a descendant of a rank: a worker of its data loader, or a program that the rank started.
type StackChild struct {
	Rank    *int          `json:"rank,omitempty"` // of its ancestor
	Node    string        `json:"node"`
	PID     int           `json:"pid"`
	Parent  int           `json:"parent_pid,omitempty"`
	Name    string        `json:"name,omitempty"`
	State   string        `json:"state,omitempty"`   // one letter, as ps shows it
	Summary string        `json:"summary,omitempty"` // its Python stack in one line, for people
	Counted *StackCounted `json:"counted,omitempty"`
}

// StackFrame is a call of a function.
type StackFrame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"` // where most ranks are; absent: not known
	// the ranks by line, if they are in several lines
	Lines []StackLine `json:"lines,omitempty"`
}

// StackLine is a group of ranks in one line of a frame.
type StackLine struct {
	Line    int    `json:"line,omitempty"`
	Members string `json:"members"`
}

// StackThread is another thread of a process.
type StackThread struct {
	TID     int          `json:"tid,omitempty"`
	Name    string       `json:"name,omitempty"`
	State   string       `json:"state,omitempty"`
	Summary string       `json:"summary"`
	Frames  []StackFrame `json:"frames,omitempty"`
}

// StackWorker is a descendant of a rank.
type StackWorker struct {
	Rank  *int   `json:"rank,omitempty"` // of its ancestor
	Node  string `json:"node"`
	PID   int    `json:"pid"`
	Name  string `json:"name,omitempty"`
	State string `json:"state,omitempty"`
	// the file that it waits for, the file system with its type, and the mount point
	File       string `json:"file,omitempty"`
	FileSystem string `json:"file_system,omitempty"`
	Mount      string `json:"mount,omitempty"`
	Summary    string `json:"summary,omitempty"`
}

// StackRefusal is a reason why stacks are not known.
type StackRefusal struct {
	ID      string `json:"id"`
	Cause   string `json:"cause"`
	Hint    string `json:"hint,omitempty"` // what the user or an administrator can change
	Count   int    `json:"count"`
	Members string `json:"members"`
	Grouped bool   `json:"grouped,omitempty"` // they stand in vague groups, too
}

// NCCLNotAsked is the StackNCCL.State of an NCCL before 2.29. It is not asked, since its answer can crash the job.
const NCCLNotAsked = "not_asked"

// StackNCCL is what NCCL's RAS says about the job's collectives.
type StackNCCL struct {
	Version string   `json:"nccl_version,omitempty"`
	State   string   `json:"state"` // as of package nccl, or NCCLNotAsked
	Said    []string `json:"said"`  // in sentences
	// Coupled is the number of GPUs that certainly work together: all launched operations of one communicator between
	// the answers; absent: none are known to.
	Coupled int `json:"coupled_gpus,omitempty"`
}

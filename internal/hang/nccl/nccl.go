// Package nccl understands what NCCL knows about a job: the answers of its RAS subsystem (reliability, availability and
// serviceability), which every process of a job runs from NCCL 2.24 on.
//
// Read parses an answer: JSON of 2.28.7 and newer, text of older versions. The text names only the ranks that differ
// from most others, and its format changes from release to release: what is not understood is in Answer.Rest. Judge
// compares two answers, a few seconds apart, and gives the Verdict: the counts of launched collectives move, or they
// stand still, and then some ranks have not launched what others wait for. A Roster of the job's processes tells
// whether an answer is this job's, and names its ranks by node and GPU.
//
// RAS counts what a rank has launched, not what has ended. Counts that differ are normal for a moment, and so are
// counts that stand still while a program does something else: Verdict.Over says for how long they did.
//
// Everything here is a pure function of the answers. They come from a process of the user, which may be broken: Read
// takes any bytes, in bounded memory, and makes names safe to display.
package nccl

import (
	"strconv"
	"time"
)

// Answer is one answer of RAS.
type Answer struct {
	At      time.Time // when it was complete; set by the caller
	JSON    bool      // otherwise it is text
	Version string    // of NCCL, as "2.29.7"; "": not known
	// Took is the time in which RAS asked all processes, and Timeouts how many of them did not answer in time.
	Took     time.Duration
	Timeouts int

	Operations []string // names of the counts of a Rank
	Comms      []Comm   // communicators, the largest first; text names only those with differences or errors
	Groups     []Group  // of text: all communicators, equal ones together
	Gone       []Gone   // of text: processes that did not answer

	// Rest is what is not understood: lines of text, at most maxRest. Cut says that the answer ended before its end, or
	// has more than Read takes.
	Rest []string
	Cut  bool
	// Holes says that RAS left out communicators of processes that initialize another one, as up to 2.30: their ranks
	// look as if they had left.
	Holes bool
}

// Comm is a communicator: processes that work together, each with one rank for each of its GPUs.
type Comm struct {
	ID      string    // its hashes
	Number  int       // from 1 on, in the order of Answer.Comms
	Size    int       // ranks that it has; 0: not known
	Ranks   []Rank    // that answered; of text: those that it names, in the order of their first mention
	Missing []Missing // ranks about which RAS knows nothing now

	// Spreads has an entry for each operation of which the ranks have launched different numbers.
	Spreads []Spread
}

// GPU is a process on one of its GPUs, as NCCL identifies it.
type GPU struct {
	Host  string // an IP address of the node
	PID   int    // as the process itself sees it; 0: not known
	Index int    // in NVML, which CUDA_VISIBLE_DEVICES does not change; -1: not known
}

// Rank is a member of a communicator.
type Rank struct {
	GPU
	Rank   int      // in the communicator; not the rank in the job
	Init   Result   // Success: initialized; InProgress: not yet
	Error  Result   // asynchronous
	Leaves bool     // it finalizes, destroys or aborts the communicator
	Counts []uint64 // launched, in the order of Answer.Operations; nil: text does not tell all
}

// Missing is a member of a communicator that has told nothing about it.
type Missing struct {
	GPU
	Rank int
	Why  Why
}

// Gone is a process that did not answer, as the text of RAS names it: without its communicators.
type Gone struct {
	Host string
	PID  int
	GPUs []int
	Why  Why
}

// Why is the reason why nothing is known of a rank. The values are ordered: the last one says most.
type Why int

// Reasons why a rank is missing.
const (
	// its process answers, but is no member of the communicator: it has left it, or not joined it
	Left         Why = iota
	Unresponsive     // its process does not answer
	Dead             // its process has not answered for so long that RAS asks it no more
)

// Spread is how far the ranks of a communicator are with one operation.
type Spread struct {
	Operation string  // as "AllReduce"; "": all operations together, as before 2.26
	Levels    []Level // the furthest first; at least two
}

// Level is a group of ranks that have launched equally many operations.
type Level struct {
	Launched uint64
	Count    int   // ranks
	Ranks    []int // their indices in Comm.Ranks; of text empty if it does not name them
}

// Group is a row of the table in the text: communicators of one kind.
type Group struct {
	Comms, Nodes, Size, Ranks int
	PerNode, Status, Errors   string
}

// Result is a result of NCCL (ncclResult_t).
type Result int

// Results that mean something here.
const (
	Success     Result = 0
	RemoteError Result = 6 // another rank has failed
	InProgress  Result = 7
)

var results = [...]string{"success", "unhandled CUDA error", "system error", "internal error", "invalid argument",
	"invalid usage", "remote process error", "in progress", "timeout"}

// String is the result in NCCL's words.
func (r Result) String() string {
	if r < 0 || int(r) >= len(results) {
		return "error " + strconv.Itoa(int(r))
	}
	return results[r]
}

// Failed reports whether the result is an error.
func (r Result) Failed() bool { return r != Success && r != InProgress }

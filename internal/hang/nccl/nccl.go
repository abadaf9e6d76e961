// Package nccl understands what NCCL knows about a job: the answers of its RAS subsystem (reliability, availability and
// serviceability), which every process of a job runs since NCCL 2.24.
//
// Read parses an answer: JSON from 2.28.7 on, text from older versions. Text names only the ranks that differ from most
// others, and its format changes from release to release: lines that are not understood go to Answer.Rest. Judge
// compares two answers, a few seconds apart, and gives the Verdict: either the counts of launched collectives grow, or
// they stand still because some ranks have not launched what others wait for. A Roster of the job's processes tells
// whether an answer is about this job, and names its ranks by node and GPU.
//
// RAS counts what a rank has launched, not what has ended. Counts that differ for a moment are normal. So are counts
// that stand still while a program does something else: Verdict.Over says for how long they did.
//
// Everything here is a pure function of the answers. They come from a process of the user, which may be broken: Read
// accepts any bytes, in bounded memory, and makes names safe to display.
package nccl

import (
	"strconv"
	"time"
)

// Answer is one answer of RAS.
type Answer struct {
	At      time.Time // when it was complete; the caller sets it
	JSON    bool      // otherwise it is text
	Version string    // of NCCL, as "2.29.7"; "": not known
	// Took is how long RAS took to ask all processes. Timeouts is how many of them did not answer in time.
	Took     time.Duration
	Timeouts int

	Operations []string        // names of what Rank.Counts counts
	Comms      []Comm          // communicators, the largest first; text names only those with differences or errors
	Groups     []Group         // text only: all communicators, equal ones together
	Gone       []SilentProcess // text only: processes that did not answer

	// Rest holds what was not understood: lines of text, at most maxRest. Cut says that the answer broke off, or holds
	// more than Read accepts.
	Rest []string
	Cut  bool
	// Holes says that RAS left out communicators of processes that are initializing another one, as it does up to 2.30:
	// their ranks look as if they had left.
	Holes bool
}

// Comm is a communicator: processes that work together, each with one rank for each of its GPUs.
type Comm struct {
	ID      string    // its hashes
	Number  int       // from 1, in the order of Answer.Comms
	Size    int       // number of ranks; 0: not known
	Ranks   []Rank    // those that answered; in text, those that it names, in the order in which it first mentions them
	Missing []Missing // ranks about which RAS knows nothing now

	// Spreads has an entry for each operation that the ranks have launched different numbers of times.
	Spreads []Spread
}

// GPU is a process on one of its GPUs, as NCCL identifies it.
type GPU struct {
	Host  string // an IP address of the node
	PID   int    // as the process itself sees it; 0: not known
	Index int    // in NVML, which CUDA_VISIBLE_DEVICES does not affect; -1: not known
}

// Rank is a member of a communicator.
type Rank struct {
	GPU
	Rank   int      // in the communicator, not in the job
	Init   Result   // Success: initialized; InProgress: not yet
	Error  Result   // asynchronous
	Leaves bool     // it finalizes, destroys or aborts the communicator
	Counts []uint64 // launched, in the order of Answer.Operations; nil: text does not give all
}

// Missing is a member of a communicator that has not reported anything about it.
type Missing struct {
	GPU
	Rank int
	Why  UnknownReason
}

// SilentProcess is a process that did not answer, as RAS text names it: without its communicators.
type SilentProcess struct {
	Host string
	PID  int
	GPUs []int
	Why  UnknownReason
}

// UnknownReason is the reason why nothing is known about a rank. The values are ordered: the last one says most.
type UnknownReason int

// Reasons why a rank is missing.
const (
	// its process answers, but is not a member of the communicator: it has left it, or not joined it
	Left         UnknownReason = iota
	Unresponsive               // its process does not answer
	Dead                       // its process has not answered for so long that RAS no longer asks it
)

// Spread says how far the ranks of a communicator are with one operation.
type Spread struct {
	Operation string  // such as "AllReduce"; "": all operations together, as before 2.26
	Levels    []Level // the furthest first; at least two
}

// Level is a group of ranks that have launched an operation equally often.
type Level struct {
	Launched uint64
	Count    int   // ranks
	Ranks    []int // their indices in Comm.Ranks; empty if the text does not name them
}

// Group is a row of the table in RAS text: communicators of one kind.
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

package nccl

import "time"

// State is what two answers say about a job.
type State int

// States of a job.
const (
	// Unclear: there are not two whole answers, or text shows no differences, which says nothing about progress.
	Unclear State = iota
	// Moving: ranks have launched operations between the answers.
	Moving
	// RankDead: RAS has declared processes dead.
	RankDead
	// Failed: ranks report errors.
	Failed
	// NoAnswer: processes do not answer RAS, and nothing moves.
	NoAnswer
	// Disagree: ranks of one communicator have called different operations, and nothing moves.
	Disagree
	// Stuck: ranks wait for others that have not launched the same operation, and nothing moves.
	Stuck
	// Initializing: a communicator is not complete, and nothing moves.
	Initializing
	// RankLeft: ranks have left a communicator that others still have, and nothing moves.
	RankLeft
	// NotStarted: no rank has launched any operation.
	NotStarted
	// AllLaunched: no rank is behind, and nothing moves: a collective does not end, or all ranks do something else.
	AllLaunched
	// NotAsked: NCCL is older than 2.29, and an answer from it can crash the job.
	NotAsked
)

var states = [...]string{"unclear", "moving", "rank_dead", "failed", "no_answer", "disagree", "stuck", "initializing",
	"rank_left", "not_started", "all_launched", "not_asked"}

// String returns the name of the state. It is stable: programs may match on it.
func (s State) String() string { return states[s] }

// Verdict is what two answers say about a job.
type Verdict struct {
	State   State
	Over    time.Duration // between the answers
	Version string        // of NCCL
	Comms   int           // communicators
	Members int           // GPUs of processes in the communicators; 0: not known
	Moved   int           // how many of Members have launched operations between the answers
	Coupled int           // GPUs of the largest communicator in which all have moved; 0: there is none

	// Causes are the members that others wait for, and that wait for nobody themselves: they are behind, have died, do
	// not answer, report an error of their own, or have called another operation. Circular says that they wait for each
	// other. Unnamed counts causes that the text does not name.
	Causes   []Member
	Circular bool
	Unnamed  int

	Waiting int    // members that wait for a cause, directly or through others
	Waits   []Wait // where they wait: waits for a cause first, then those with the most members

	// Initializing and Left are the communicators in those states.
	Initializing, Left []JobComm

	Dead, Silent []Member // processes that are dead; processes that do not answer
	Errors       []Error

	// Partial says that an answer was cut, or is text: there may be more.
	Partial bool
}

// Member is a process of the job on one of its GPUs.
type Member struct {
	GPU
	Place *Place // nil: not a known process of the job
}

// Wait is an operation that some members of a communicator have launched and others have not.
type Wait struct {
	JobComm
	Operation string  // "": not known
	Launched  uint64  // by those that wait, how often
	Waiting   int     // how many wait
	Behind    []Level // the others; Ranks is nil
	OfCause   bool    // a cause is among those behind
}

// JobComm is a communicator as a part of the job.
type JobComm struct {
	Number  int      // of the communicator, from 1, the largest first
	ID      string   // its hashes
	Size    int      // ranks
	Members []Member // the known ones, in order of their ranks
	Few     int      // how many members are in the state that the Part is listed for
}

// Error is an error that a member reports.
type Error struct {
	Member
	Comm   int // number of the communicator
	Result Result
}

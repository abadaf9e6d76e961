package source

import (
	"cmp"
	"time"
)

// SLURM is asked after events, and otherwise at this pace. Sites limit the use of squeue, above all by programs that
// nobody watches.
const (
	paceInUse  = 30 * time.Second // a key was pressed within inUse; users can set another
	paceListed = 10 * time.Second // likewise, with the list of jobs on the screen; not for users who set a slower pace
	paceIdle   = time.Minute      // within idle
	paceAsleep = 5 * time.Minute  // the user is away

	inUse = 5 * time.Minute
	idle  = 30 * time.Minute
)

// slow is how long an answer takes at least if the controller is overloaded.
const slow = 2 * time.Second

// Gaps between an answer and the next question for the jobs, whatever happens.
const (
	leastGap     = 2 * time.Second
	fruitlessGap = 30 * time.Second // the longest, while sessions are lost again and again and the jobs stay the same
)

// endSlack is how long after a job's time limit SLURM is asked whether the job has ended.
const endSlack = 2 * time.Second

// schedule determines the time of the next question for the jobs, from the results of the last rounds. A round is one
// question for the jobs and the questions about them that follow.
type schedule struct {
	labored   int  // rounds in a row, before this one, with a slow answer or a failure
	heavy     bool // this round had such an answer
	failed    bool // the last question failed
	fruitless int  // rounds in a row that began because of a lost session and brought no change
	ends      int  // rounds in a row that began when a job's time limit was reached

	own    time.Duration // the pace that the user set instead of paceInUse; 0: none
	listed bool          // the list of jobs is on the screen
}

// roundReasons says why a round begins.
type roundReasons struct {
	lost bool // a session was lost
	over bool // a job's time limit was reached since the last round
}

// beginRound begins a round with the result of its first question; news says that something has changed.
func (s *schedule) beginRound(took time.Duration, failed bool, reason roundReasons, news bool) {
	s.labored = inRow(s.labored, s.heavy)
	s.heavy = false
	s.addQuestion(took, failed)
	s.fruitless = inRow(s.fruitless, reason.lost && !news)
	s.ends = inRow(s.ends, reason.over)
}

func inRow(n int, again bool) int {
	if again {
		return n + 1
	}
	return 0
}

// addQuestion adds a question to the round.
func (s *schedule) addQuestion(took time.Duration, failed bool) {
	s.failed = failed
	s.heavy = s.heavy || failed || took > slow
}

// questionInterval returns the time from one question for the jobs to the next. away is how long ago the last key was
// pressed. The interval doubles with every round that had a slow answer or a failure. But a controller that failed is
// asked again soon while the user waits for it to come back.
func (s *schedule) questionInterval(away time.Duration) time.Duration {
	used := cmp.Or(s.own, paceInUse)
	asleep := max(used, paceAsleep)
	basic := asleep
	switch {
	case away < inUse && s.failed:
		return max(used, paceInUse)
	case away < inUse && s.listed && used <= paceInUse:
		basic = min(used, paceListed)
	case away < inUse:
		basic = used
	case away < idle:
		basic = max(used, paceIdle)
	}
	if s.heavy {
		basic <<= min(s.labored+1, 8)
	}
	return min(basic, asleep)
}

// lostGap returns how long after an answer a lost session may lead to the next question.
func (s *schedule) lostGap() time.Duration { return min(leastGap<<min(s.fruitless, 8), fruitlessGap) }

// endGap returns how long after an answer the end of a job's time may lead to the next question. While such ends follow
// each other, it grows to the interval. A controller that fails or is slow is asked only at the interval.
func (s *schedule) endGap(interval time.Duration) time.Duration {
	if s.heavy {
		return interval
	}
	return min(leastGap<<min(s.ends, 8), interval)
}

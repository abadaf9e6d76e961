package source

import "time"

// SLURM is asked when something happened, otherwise at this pace. Sites limit the use of squeue, above all by programs
// that no one watches.
const (
	paceInUse  = 30 * time.Second // a key was pressed within inUse
	paceIdle   = time.Minute      // within idle
	paceAsleep = 5 * time.Minute  // no one is there

	inUse = 5 * time.Minute
	idle  = 30 * time.Minute
)

// slow is how long an answer takes at least when the controller is overloaded.
const slow = 2 * time.Second

// Gaps between an answer and the next question for the jobs, whatever happens.
const (
	leastGap     = 2 * time.Second
	fruitlessGap = 30 * time.Second // the most, while sessions are lost again and again and the jobs stay the same
)

// endSlack is how long after the time limit of a job SLURM is asked whether it has ended.
const endSlack = 2 * time.Second

// schedule says when to ask for the jobs next, from how the last rounds went. A round is one question for the jobs and
// the ones about them that follow.
type schedule struct {
	labored   int  // rounds in a row, before this one, with a slow answer or a failure
	heavy     bool // this round had one
	failed    bool // the last question
	fruitless int  // rounds in a row that began because a session was lost, and brought nothing new
	ends      int  // rounds in a row that began after the end of a job's time
}

// why is what led to a round.
type why struct {
	lost bool // a session was lost
	over bool // the time of a job is over since the last round
}

// asked begins a round with how its first question went, and whether it brought something new.
func (s *schedule) asked(took time.Duration, failed bool, reason why, news bool) {
	s.labored = inRow(s.labored, s.heavy)
	s.heavy = false
	s.followed(took, failed)
	s.fruitless = inRow(s.fruitless, reason.lost && !news)
	s.ends = inRow(s.ends, reason.over)
}

func inRow(n int, again bool) int {
	if again {
		return n + 1
	}
	return 0
}

// followed adds a question to the round.
func (s *schedule) followed(took time.Duration, failed bool) {
	s.failed = failed
	s.heavy = s.heavy || failed || took > slow
}

// interval is the time from one question for the jobs to the next when nobody has pressed a key for away. It doubles
// with every round that had a slow answer or a failure, but a controller that failed is asked again soon while the user
// waits for it to come back.
func (s *schedule) interval(away time.Duration) time.Duration {
	basic := paceAsleep
	switch {
	case away < inUse && s.failed:
		return paceInUse
	case away < inUse:
		basic = paceInUse
	case away < idle:
		basic = paceIdle
	}
	if s.heavy {
		basic <<= min(s.labored+1, 8)
	}
	return min(basic, paceAsleep)
}

// lostGap is how long after an answer a lost session may lead to the next question.
func (s *schedule) lostGap() time.Duration { return min(leastGap<<min(s.fruitless, 8), fruitlessGap) }

// endGap is how long after an answer the end of a job's time may lead to the next question. While ends follow each
// other it grows to the interval. A controller that fails or is slow is asked at the interval only.
func (s *schedule) endGap(interval time.Duration) time.Duration {
	if s.heavy {
		return interval
	}
	return min(leastGap<<min(s.ends, 8), interval)
}

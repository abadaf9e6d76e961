package source

import "time"

// SLURM is asked when something happened, and else at this pace: sites write limits for squeue, and mind it most when nobody looks.
const (
	paceInUse  = 30 * time.Second // somebody pressed a key within inUse
	paceIdle   = time.Minute      // within idle
	paceAsleep = 5 * time.Minute  // nobody is there

	inUse = 5 * time.Minute
	idle  = 30 * time.Minute
)

// slow is how long an answer takes when the controller is under load.
const slow = 2 * time.Second

// Gaps between an answer and the next question, whatever happens.
const (
	leastGap     = 2 * time.Second
	fruitlessGap = 30 * time.Second // at most, while sessions are lost again and again and the jobs stay what they are
)

// endSlack is how long after a job's time limit SLURM is asked whether it has ended.
const endSlack = 2 * time.Second

// schedule says when to ask next, from how the last questions went.
type schedule struct {
	labored   int  // slow answers and failures in a row
	failed    bool // the last question
	fruitless int  // questions in a row that were asked because a session was lost, and told nothing new
}

// asked takes in how a question went.
func (s *schedule) asked(took time.Duration, failed, lost, news bool) {
	s.failed = failed
	if failed || took > slow {
		s.labored++
	} else {
		s.labored = 0
	}
	if lost && !news {
		s.fruitless++
	} else {
		s.fruitless = 0
	}
}

// interval is the time from an answer to the next question when nobody has pressed a key for away. It doubles with every slow answer
// and failure, but a controller that failed is asked soon again while somebody waits for it to come back.
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
	return min(basic<<min(s.labored, 8), paceAsleep)
}

// lostGap is how long after an answer the loss of a session may ask again.
func (s *schedule) lostGap() time.Duration { return min(leastGap<<min(s.fruitless, 8), fruitlessGap) }

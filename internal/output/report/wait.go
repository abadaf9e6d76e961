package report

import (
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Epilogue is how long SLURM has to say how a job ended.
const Epilogue = 20 * time.Second

// Wait decides when to stop waiting for a job's report. It is for one goroutine.
type Wait struct {
	Job    string
	Answer time.Time // time limit for SLURM's first answer

	ending time.Time // when the job was first seen to end; zero: it runs
}

// Over reports whether the wait is over. It returns an error if there is nothing to wait for. stage and d come from an
// Observer.
func (w *Wait) Over(now time.Time, stage Stage, d *cluster.Discovery) (over bool, err error) {
	switch {
	case stage == Ended:
		return true, nil
	case stage == Unknown && now.After(w.Answer):
		return true, Unanswered("SLURM did not answer in time", d)
	case stage == Absent:
		return true, Missing(w.Job, d)
	case stage != Ends:
		return false, nil
	case w.ending.IsZero():
		w.ending = now
	}
	return now.Sub(w.ending) > Epilogue, nil
}

// Unanswered returns the error what, with the reason why SLURM did not answer, if known.
func Unanswered(what string, d *cluster.Discovery) error {
	if d.Failure == nil {
		return errors.New(what)
	}
	return fmt.Errorf("%s: %w", what, d.Failure)
}

// Missing returns why the job is not in SLURM's answer.
func Missing(id string, d *cluster.Discovery) error {
	if d.Command == "" {
		return errors.New("SLURM is not configured on this host")
	}
	for i := range d.Jobs {
		if j := &d.Jobs[i]; j.PartOf(id) {
			return fmt.Errorf("job %q has several parts: name one of them, e.g. %s", id, j.ID)
		}
	}
	return fmt.Errorf("no job %q of user %q is running or pending: it is another user's, or has ended", id, d.User)
}

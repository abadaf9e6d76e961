package source

import (
	"context"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// KeptJobs returns what a program of the user last stored about the jobs. Its times say how old it is: the jobs are
// from Answered, and Asked is later if SLURM has not answered since. It reports false if there is nothing.
func KeptJobs(answers *command.KeptAnswers) (d cluster.Discovery, ok bool) {
	e := cluster.Event{Discovery: &d}
	if _, ok = answers.Read(slurm.Question, &d); !ok {
		return cluster.Discovery{}, false
	}
	e.Localize()
	now := time.Now()
	for i := range d.Jobs {
		ok = ok && notation.CheckHosts(d.Jobs[i].Nodes) == nil
	}
	return d, ok && !d.Asked.After(now) && !d.Answered.After(d.Asked)
}

// KeepJobs keeps what is known about the jobs.
func KeepJobs(answers *command.KeptAnswers, d *cluster.Discovery) error {
	return answers.Keep(slurm.Question, d.Asked, d)
}

// Kept returns a stored answer about the jobs that can replace a question to SLURM. It must be younger than within,
// know the GPUs of the jobs, and have the wanted job; "" is any job. nil: there is none.
func Kept(answers *command.KeptAnswers, within time.Duration, job string) *EarlyAnswer {
	if within <= 0 {
		return nil
	}
	d, ok := KeptJobs(answers)
	switch {
	case !ok, d.Asking, d.Answered.IsZero(), time.Since(d.Answered) >= within:
		return nil
	case job != "" && len(jobsNamed(job, d.Jobs)) == 0:
		return nil
	}
	return &EarlyAnswer{Kept: true, At: d.Answered, Took: d.Took,
		Answer: &slurm.Answer{Jobs: d.Jobs, Pending: d.Pending, Ended: d.Ended, Switches: d.Switches}}
}

// keepAnswer stores a new answer once it is complete.
func (l *Live) keepAnswer(d *cluster.Discovery) {
	whole := d.Failure == nil && !d.Asking && !d.Answered.IsZero()
	if l.Answers != nil && whole && (l.Heard == nil || !l.Heard.Kept || d.Answered.After(l.Heard.At)) {
		own := *d
		own.Jobs = slices.Clone(d.Jobs)
		_ = KeepJobs(l.Answers, &own) // without it, the next program asks SLURM
	}
}

// KeptLogs returns the files of a job that another program has asked for, if that is recent enough. Otherwise it asks.
func KeptLogs(answers *command.KeptAnswers, within time.Duration, job string,
	ask func() (*cluster.LogFiles, error)) (*cluster.LogFiles, error) {
	files, _, err := command.AskKept(answers, "logs of "+job, within,
		func(f *cluster.LogFiles) bool { return f.Host == "" || notation.CheckHosts([]string{f.Host}) == nil }, ask)
	return files, err
}

// findKnownLogs finds the files of a job whose log nobody waits for.
func (l *Live) findKnownLogs(ctx context.Context, job string) (*cluster.LogFiles, error) {
	return KeptLogs(l.Answers, l.MaxAge, job,
		func() (*cluster.LogFiles, error) { return l.discoverer.findKnownLogs(ctx, job) })
}

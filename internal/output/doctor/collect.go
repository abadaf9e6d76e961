package doctor

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Options are the input of Collect.
type Options struct {
	Facts    // Collect adds to these
	Names    []string
	Run      command.Runner
	Client   *slurm.Client
	Heard    *SqueueAnswer                         // the Client's first answer, if it has been asked
	Doors    []remote.Candidate                    // in the order in which they are tried
	Favorite string                                // the door that last reached a node; empty: the first
	Know     func([]cluster.Job) []remote.KnownJob // tells the doors which jobs there are, and returns these
	Progress func(what string)                     // may be called by several goroutines
	// Stacks asks the ranks of the job what they are doing
	Stacks func(context.Context) (*rankstacks.Verdict, error)
}

// SqueueAnswer is an answer of squeue, or why there is none.
type SqueueAnswer struct {
	Answer *slurm.Answer
	Err    error
	Took   time.Duration
}

const (
	parallelNodes = 8
	fewNodes      = 3 // of the running jobs, if the user names no node
)

// tools of SLURM that nvnodetop runs.
var tools = []string{"squeue", "scontrol", "srun"}

// Collect gathers the facts.
func Collect(ctx context.Context, o *Options) *Facts {
	f := o.Facts
	f.Slurm.Tools = o.askVersions(ctx)
	o.listJobs(ctx, &f.Slurm)
	jobs := o.Know(f.Slurm.Jobs)
	f.Job.Runs = slices.ContainsFunc(f.Slurm.Jobs, func(j cluster.Job) bool { return j.Is(f.Job.ID) })
	names := o.Names
	if f.Named = len(names) > 0; !f.Named {
		names = firstNodes(&f)
	}
	f.Nodes = make([]Node, len(names))
	var group errgroup.Group
	group.SetLimit(parallelNodes)
	for i, name := range names {
		n := &f.Nodes[i]
		n.Name = name
		group.Go(crash.Guard(func() error {
			o.examineNode(ctx, n, jobs)
			return nil
		}))
	}
	_ = group.Wait() // no error
	o.askRanks(ctx, &f.Job)
	return &f
}

// askRanks asks what the ranks of the job are doing.
func (o *Options) askRanks(ctx context.Context, j *AskedJob) {
	if !j.Runs || ctx.Err() != nil {
		return
	}
	o.Progress("stacks of job " + j.ID)
	began := time.Now()
	j.Stacks, j.Failure = o.Stacks(ctx)
	j.Took = time.Since(began)
}

// firstNodes returns the first nodes of the running jobs, or of the job that the user asks about; without SLURM, this
// host.
func firstNodes(f *Facts) (names []string) {
	if f.Slurm.None && f.Login == "" {
		return []string{f.Host}
	}
	for i := range f.Slurm.Jobs {
		if f.Job.ID != "" && !f.Slurm.Jobs[i].Is(f.Job.ID) {
			continue
		}
		for _, name := range f.Slurm.Jobs[i].Nodes {
			if len(names) < fewNodes && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// askVersions asks SLURM's tools for their versions. If their host cannot be reached, it asks only one tool.
func (o *Options) askVersions(ctx context.Context) (all []Tool) {
	for _, name := range tools {
		o.Progress(name + " --version")
		t := o.askVersion(ctx, name)
		if ctx.Err() != nil {
			break
		}
		if all = append(all, t); t.Failure != nil && t.Failure.Class != reach.ClassSlurm {
			break
		}
	}
	return all
}

func (o *Options) askVersion(ctx context.Context, name string) Tool {
	t := Tool{Name: name}
	began := time.Now()
	version, err := command.Version(ctx, o.Run, name)
	t.Version, t.Took = version, time.Since(began)
	t.Missing, t.Idle = errors.Is(err, command.ErrMissing), errors.Is(err, command.ErrNoSlurm)
	if !t.Missing && !t.Idle && ctx.Err() == nil {
		t.Failure = reach.AsFailure(err, reach.ClassSlurm)
	}
	return t
}

// listJobs lists the jobs, with their GPUs.
func (o *Options) listJobs(ctx context.Context, s *Slurm) {
	if ctx.Err() != nil {
		return
	}
	s.Asked = true
	answer, err := o.runSqueue(ctx, s)
	for {
		if answer != nil {
			s.Jobs, s.Pending, s.Note = answer.Jobs, len(answer.Pending), answer.Note
		}
		if answer == nil || !answer.More {
			break
		}
		o.Progress("scontrol")
		if answer, err = o.Client.Next(ctx); answer == nil {
			break
		}
	}
	switch {
	case errors.Is(err, command.ErrNoSlurm):
		s.None = true
	case ctx.Err() == nil:
		s.Failure = reach.AsFailure(err, reach.ClassSlurm)
	}
}

// runSqueue runs squeue, unless it has run already.
func (o *Options) runSqueue(ctx context.Context, s *Slurm) (*slurm.Answer, error) {
	if o.Heard != nil {
		s.Took = o.Heard.Took
		return o.Heard.Answer, o.Heard.Err
	}
	o.Progress("squeue")
	began := time.Now()
	answer, err := o.Client.Ask(ctx)
	s.Took = time.Since(began)
	return answer, err
}

package watch

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/text/safe"
)

// lookUp asks SLURM's accounting about tasks of arrays that began and ended between two questions to SLURM: they count
// as the others do. Where there is no accounting, the user is told that they are not known.
func (o *Options) lookUp(ctx context.Context, log *slog.Logger) error {
	arrays := slices.Sorted(maps.Keys(o.seen.arrays))
	if len(arrays) == 0 {
		return nil
	}
	jobs, err := accounts(ctx, o, log, arrays)
	if err != nil {
		o.Say("tasks of %s that ended between two questions to SLURM are not known: %v", strings.Join(arrays, ", "), err)
		return nil
	}
	now := time.Now()
	for _, i := range o.desk.Ended(now, o.seen.unseen(jobs)) {
		o.seen.news[i.Job]++
		if err := o.print(&i); err != nil {
			return err
		}
	}
	return nil
}

// Times in which SLURM's database learns that a job has ended.
const (
	lag   = 10 * time.Second
	again = 2 * time.Second
)

// accounts asks for the tasks of arrays, again while the database does not know that they have ended.
func accounts(ctx context.Context, o *Options, log *slog.Logger, arrays []string) ([]sacct.Job, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Config.Timeout+lag)
	defer cancel()
	ways, err := access.New(ctx, &o.Config, log)
	if err != nil {
		return nil, err
	}
	defer ways.Close()
	for began := time.Now(); ; {
		jobs, err := sacct.Ask(ctx, ways.Commands, arrays...)
		jobs = sacct.Last(jobs)
		late := slices.ContainsFunc(jobs, func(j sacct.Job) bool { return j.End.IsZero() })
		if err != nil || !late || time.Since(began) > lag {
			return jobs, err
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// unseen adds the tasks that have ended since the watch began and were never listed, and returns them.
func (p *progress) unseen(jobs []sacct.Job) (ended []cluster.EndedJob) {
	for i := range jobs {
		j := &jobs[i]
		if p.byID[j.ID] != nil || !j.Ran() || j.End.Before(p.began.Truncate(time.Second)) {
			continue
		}
		e := endedOf(j)
		of := p.of(e.ID, e.Number, e.Name)
		if of == nil {
			continue
		}
		of.end(&e)
		ended = append(ended, e)
	}
	return ended
}

// endedOf is a job of SLURM's accounting as squeue's jobs are told.
func endedOf(j *sacct.Job) cluster.EndedJob {
	const most = 256
	e := cluster.EndedJob{ID: safe.Line(j.ID, most), Number: safe.Line(j.Number, most), Name: safe.Line(j.Name, most),
		Partition: safe.Line(j.Partition, most), Nodes: j.Nodes, State: cluster.EndState(safe.Line(j.State, most)),
		Start: j.Start, End: j.End, Missed: j.End}
	if j.Signal != sacct.MarkOutOfMemory {
		e.Exit = &cluster.Exit{Code: j.Code, Signal: j.Signal}
	}
	return e
}

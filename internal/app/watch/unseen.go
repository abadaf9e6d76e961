package watch

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/output/notify"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
)

// lookingUp is how long the accounting may be asked, even if a login asks for a password: nobody may be there. If the
// user interrupted the watch, the wait is short.
const (
	lookingUp   = time.Minute
	interrupted = 5 * time.Second
)

// lookUp asks SLURM's accounting about jobs whose end is not known. It also asks about tasks of arrays that began and
// ended between two questions to SLURM, or, if the user names no jobs, about any such jobs: they count like the others.
// If there is no accounting, the user is told that such jobs are not known.
func (o *Options) lookUp(ctx context.Context, log *slog.Logger) error {
	arrays, unknown := slices.Sorted(maps.Keys(o.seen.arrays)), o.seen.unknownJobs()
	ids := slices.Compact(slices.Sorted(slices.Values(slices.Concat(arrays, unknown))))
	ids = slices.DeleteFunc(ids, func(id string) bool { return !sacct.IsID(id) })
	if len(ids) == 0 && len(o.seen.names) > 0 || o.Config.Demo != "" || o.Config.Nodes != "" {
		return nil
	}
	inTime, cancel := context.WithTimeout(ctx, lookingUp)
	defer cancel()
	var jobs []sacct.Job
	var err error
	if len(ids) > 0 {
		jobs, err = feed.SettledJobs(inTime, o.Program, log, o.seen.databaseLags(o.Me()), ids...)
	}
	if err == nil && len(o.seen.names) == 0 { // the others are there even without the accounting
		all, _ := feed.AccountedSince(inTime, o.Program, log, o.Me(), o.seen.began)
		jobs = append(jobs, all...)
	}
	if err != nil {
		o.seen.over = o.seen.over && !errors.Is(err, cli.ErrInterrupted)
		if len(arrays) > 0 {
			o.Say("tasks of %s that ended between two questions to SLURM are not known: %v",
				strings.Join(arrays, ", "), err)
		} else if o.seen.found {
			o.Say("how %s ended is not known: %v", strings.Join(ids, ", "), err)
		}
		return nil
	}
	jobs = slices.DeleteFunc(jobs, func(j sacct.Job) bool { return j.User != "" && j.User != o.Me() })
	now := time.Now()
	for _, i := range o.desk.Ended(now, o.seen.noteUnseen(jobs, o.causeReader(ctx, log))) {
		o.seen.news[i.Job]++
		if err := o.printItem(&i); err != nil {
			return err
		}
	}
	return nil
}

// mostLogs is how many logs are read at most for jobs that nobody has seen.
const mostLogs = 5

// causeReader returns a function that reads why a job failed.
func (o *Options) causeReader(ctx context.Context, log *slog.Logger) func(*sacct.Job) string {
	left := mostLogs
	return func(j *sacct.Job) string {
		if cluster.EndState(j.State).SaysWhy() || left == 0 {
			return ""
		}
		left--
		return feed.WhyFailed(ctx, o.Program, log, j)
	}
}

// databaseLags returns a function that reports whether the database still shows a watched task of the user as running.
// A task that nobody watches, or another user's, may well be running.
func (p *progress) databaseLags(user string) func([]sacct.Job) bool {
	return func(jobs []sacct.Job) bool {
		return slices.ContainsFunc(jobs, func(j sacct.Job) bool {
			return feed.IsRunning(&j, user) && notify.OfJob(j.ID, j.Number, p.names)
		})
	}
}

// noteUnseen notes the ends of jobs that were not known yet, and returns them. If jobs were listed, the only other ends
// that count are those of array tasks that have ended since the watch began.
func (p *progress) noteUnseen(jobs []sacct.Job, why func(*sacct.Job) string) (ended []cluster.EndedJob) {
	listed := p.found
	for i := range jobs {
		j := &jobs[i]
		known := p.byID[j.ID]
		more := known == nil && listed && !slices.Contains(p.unknownJobs(), j.ID)
		if j.End.IsZero() || known != nil && known.ended ||
			more && (!j.Ran() || j.End.Before(p.began.Truncate(time.Second))) {
			continue
		}
		e := endedOf(j)
		of := p.watchedJob(e.ID, e.Number, e.Name)
		if of == nil {
			continue
		}
		e.Cause = why(j)
		of.end(&e)
		ended = append(ended, e)
	}
	return ended
}

// endedOf returns a job of SLURM's accounting in the form of squeue's jobs.
func endedOf(j *sacct.Job) cluster.EndedJob {
	const most = 256
	e := cluster.EndedJob{ID: safe.Line(j.ID, most), Number: safe.Line(j.Number, most), Name: safe.Line(j.Name, most),
		Partition: safe.Line(j.Partition, most), Nodes: j.Nodes, State: cluster.EndState(safe.Line(j.State, most)),
		Start: j.Start, End: j.End, Missed: j.End, OutOfMemory: safe.Line(j.OutOfMemory(), most)}
	if !j.Ran() {
		e.Start = time.Time{}
	}
	if j.Signal != sacct.MarkOutOfMemory {
		e.Exit = &cluster.Exit{Code: j.Code, Signal: j.Signal}
	}
	return e
}

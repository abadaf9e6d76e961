// Package queue says why a job waits: which jobs are ahead of it, what its priority is made of, and when SLURM would
// start the same job with less.
//
// Ask runs scontrol, squeue and sprio once each, and sbatch --test-only for three shapes, which submits nothing. One
// command runs at a time, and after each the controller gets a pause as long as its answer took. So this is only for a
// user who asks: nothing runs it by itself. Strings in the answer are as SLURM printed them: not yet fit for a screen.
package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// Wait is what SLURM says about a job that waits.
type Wait struct {
	Job       string
	Asked     time.Time // when the last answer came
	Reason    string    // SLURM's word
	Partition string
	Priority  int64     // 0: held, or not known
	Start     time.Time // SLURM's estimate; zero: none
	Factors   []Factor  // of the priority; nil: the site orders jobs in another way
	Ahead     *Ahead    // nil: not known
	Trials    []Trial   // the job's own shape first, then smaller ones; fewer if time was short
}

// Factor is a part of a priority, as sprio counts it.
type Factor struct {
	Name  string
	Value float64
}

// Ahead are the waiting jobs of the partition with a higher priority, as far as SLURM shows them to the user.
type Ahead struct {
	Jobs, Nodes int
	Blocked     int // more of them, which wait for something other than nodes, such as another job
}

// Trial is SLURM's answer to what would happen to a job of some shape, if it were submitted now.
type Trial struct {
	Shape   Shape
	Start   time.Time
	Nodes   string // in SLURM's notation
	Refused string // why SLURM would not start it, in its words; "": it would
}

// ErrNoJob says that SLURM knows no such job.
var ErrNoJob = errors.New("no such job")

// RunsError says that a job does not wait. Its text is SLURM's word for the state.
type RunsError string

func (e RunsError) Error() string { return "it does not wait: its state is " + string(e) }

// longestPause limits the pause after an answer.
const longestPause = 3 * time.Second

// asker asks one question after the other.
type asker struct {
	run   command.Runner
	pause func(context.Context, time.Duration)

	took time.Duration // of the last command
}

// ask runs a command, after a pause as long as the last one took.
func (a *asker) ask(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	a.pause(ctx, min(a.took, longestPause))
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	began := time.Now()
	stdout, stderr, err = a.run.Within(ctx, argv...)
	a.took = time.Since(began)
	return stdout, stderr, err
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Ask asks why a job waits, by its number. If ctx ends, it returns what is known so far. The error is ErrNoJob, a
// RunsError, command.ErrNoSlurm or a *reach.Failure, or ctx's if nothing is known.
func Ask(ctx context.Context, run command.Runner, job string) (*Wait, error) {
	a := &asker{run: run, pause: pause}
	r, err := a.show(ctx, job)
	if err != nil {
		return nil, err
	}
	w := &Wait{Job: job, Reason: r.value("Reason"), Partition: r.value("Partition"),
		Start: command.ParseTime(r.value("StartTime"))}
	w.Priority, _ = strconv.ParseInt(r.value("Priority"), 10, 64)
	a.askAhead(ctx, w)
	a.askFactors(ctx, w)
	for _, shape := range shapes(r.shape()) {
		t, ok := a.try(ctx, r.fixed(), shape)
		if !ok {
			break
		}
		w.Trials = append(w.Trials, t)
	}
	w.Asked = time.Now()
	return w, nil
}

// show runs scontrol for the job.
func (a *asker) show(ctx context.Context, job string) (request, error) {
	out, stderr, err := a.ask(ctx, "scontrol", "show", "job", job)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case command.LacksJob(out, stderr):
		return nil, ErrNoJob
	case command.NoSlurm(stderr, err):
		return nil, command.ErrNoSlurm
	case err != nil:
		return nil, command.Failed("scontrol", stderr, err)
	}
	records := command.RecordsOf(out, command.JobLine)
	if len(records) == 0 {
		return nil, command.Failed("scontrol", nil, fmt.Errorf("unexpected output: %.80q", out))
	}
	r := requestOf(records[0])
	if state := r.value("JobState"); state != "PENDING" {
		return nil, RunsError(state)
	}
	return r, nil
}

// waitsForNodes are SLURM's reasons of jobs that wait for nothing but their turn.
var waitsForNodes = map[string]bool{"Resources": true, "Priority": true, "None": true}

// askAhead lists the waiting jobs of the partition.
func (a *asker) askAhead(ctx context.Context, w *Wait) {
	out, _, err := a.ask(ctx, "squeue", "--noheader", "--states=PENDING", "--partition="+w.Partition, "--format=%Q|%D|%r")
	if err != nil {
		return
	}
	w.Ahead = &Ahead{}
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 3)
		priority, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || len(f) < 3 || priority <= w.Priority {
			continue
		}
		if !waitsForNodes[f[2]] {
			w.Ahead.Blocked++
			continue
		}
		nodes, _ := strconv.Atoi(f[1])
		w.Ahead.Jobs, w.Ahead.Nodes = w.Ahead.Jobs+1, w.Ahead.Nodes+nodes
	}
}

// factors are the parts of a priority that every sprio prints, by the letter of its --format.
var factors = []struct{ letter, name string }{
	{"A", "age"}, {"F", "fair share"}, {"J", "size"}, {"P", "partition"}, {"Q", "QOS"},
}

// askFactors asks sprio. It fails where the site has no such priorities.
func (a *asker) askFactors(ctx context.Context, w *Wait) {
	format := "%i"
	for _, f := range factors {
		format += "|%" + f.letter
	}
	out, _, err := a.ask(ctx, "sprio", "--noheader", "--jobs="+w.Job, "--format="+format)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != len(factors)+1 || strings.TrimSpace(f[0]) != w.Job {
			continue
		}
		for i, factor := range factors {
			if v, err := strconv.ParseFloat(strings.TrimSpace(f[i+1]), 64); err == nil {
				w.Factors = append(w.Factors, Factor{factor.name, v})
			}
		}
		return // of several partitions, the first
	}
}

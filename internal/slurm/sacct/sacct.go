// Package sacct asks SLURM's accounting about jobs that run or have ended, with their steps, and reads sacct's output.
//
// Ask runs sacct. The rest is pure. Strings in its answers, such as names of jobs, are as SLURM printed them: not yet
// fit for a screen.
package sacct

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Job is a job, an array task or a component of a heterogeneous job. A number that is not known is 0, and an unknown
// time is zero.
type Job struct {
	ID, Number, Name   string
	User, Account, QOS string
	Partition, State   string // State is only SLURM's first word
	Submit, Start, End time.Time
	Elapsed, Suspended time.Duration
	Limit              time.Duration // 0: none, or not known
	Code, Signal       int
	Nodes, CPUs        int
	NodeList           string
	Memory             Request
	GPUs               int  // as far as the site accounts for them
	CountsGPUs         bool // GPUs is known
	Model              string
	CPUTime            time.Duration
	Joules             float64
	Steps              []Step
	Earlier            []Job    // runs before this one, the last first: the job was requeued
	Impossible         []string `json:",omitempty"` // impossible numbers from SLURM, which are left out
	isMIG              bool
}

// outOfMemory is SLURM's state for a job or a step in which the kernel killed a process because of its memory use.
const outOfMemory = "OUT_OF_MEMORY"

// MarkOutOfMemory is the "signal" of such a job or step: it is not a signal, and the exit code beside it is meaningless
// too.
const MarkOutOfMemory = 125

// nowhere is the node list of a job that has not begun.
const nowhere = "None assigned"

// Ran reports whether the job has begun. In SLURM's records even a job that was canceled before has a start.
func (j *Job) Ran() bool { return !j.Start.IsZero() && j.NodeList != nowhere }

// OutOfMemory names the step that ran out of memory, or says "job"; "": none did.
func (j *Job) OutOfMemory() string {
	for i := range j.Steps {
		if j.Steps[i].State == outOfMemory {
			return j.Steps[i].Name
		}
	}
	if j.State == outOfMemory {
		return "job"
	}
	return ""
}

// Request is how much memory a job asked for.
type Request struct {
	Bytes  uint64
	PerCPU bool // it is per CPU; otherwise per node
}

// Step is a step of a job. What SLURM has not gathered is 0, or nil.
type Step struct {
	Name, State       string // Name is the part of the ID after the job's: batch, extern, 0 …
	Program, NodeList string
	Start, End        time.Time
	Elapsed           time.Duration
	Code, Signal      int
	Nodes, Tasks      int
	CPUs              int
	CPUTime           time.Duration
	MaxRSS            uint64 // of a task
	TotalRSS          uint64 // of all tasks together
	Memory            uint64 // what it may use on a node; 0: not known, or everything that the job may use
	MaxRSSNode        string
	GPUs              int      // 0: not known
	GPUUtilMost       *float64 // percent: the sum of each task's highest sample; 100 is one GPU
	MaxGPUMemory      *uint64  // of a task
	Joules            float64
}

// Query says which jobs to ask about: those with these IDs, or those of a user that ran in a period.
type Query struct {
	IDs      []string
	User     string
	From, To time.Time
}

// jobID matches what sacct accepts as the ID of a job.
var jobID = regexp.MustCompile(`^[1-9][0-9]{0,18}([_+][0-9]{1,10})?$`)

// IsID reports whether s is the ID of a job, of an array task or of a component of a heterogeneous job.
func IsID(s string) bool { return jobID.MatchString(s) }

// userName matches names of users; sacct accepts several names separated by commas, which are refused here.
var userName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,63}\$?$`)

// IsUser reports whether s can be the name of a user.
func IsUser(s string) bool { return userName.MatchString(s) }

// timeFormat is the format of times in sacct's options. They are in the time zone that the Runner sets: UTC.
const timeFormat = "2006-01-02T15:04:05"

// least is the shortest period that is asked for in one call, if longer ones have too many jobs.
const least = 6 * time.Hour

// Ask asks sacct for jobs by their IDs.
func Ask(ctx context.Context, run command.Runner, ids ...string) ([]Job, error) {
	return askSacct(ctx, run, Query{IDs: ids})
}

// Each asks sacct about the jobs of a user, and passes them to take in parts: a period with too many jobs for one call
// is split into two halves. The memory of jobs that take does not keep is free for the next part.
func Each(ctx context.Context, run command.Runner, q Query, take func([]Job)) error {
	seen := map[runKey]bool{}
	return q.askEach(ctx, run, func(jobs []Job) {
		take(slices.DeleteFunc(jobs, func(j Job) bool { // a job that ran in both halves
			id := runKey{strings.Clone(j.Number), j.Start}
			again := seen[id]
			seen[id] = true
			return again
		}))
	})
}

// runKey identifies a run of a job.
type runKey struct {
	number string
	start  time.Time
}

func (q Query) askEach(ctx context.Context, run command.Runner, take func([]Job)) error {
	jobs, err := askSacct(ctx, run, q)
	if err == nil {
		take(jobs)
	}
	if err == nil || ctx.Err() != nil || q.To.Sub(q.From) < 2*least || !tooMuch(err) {
		return err
	}
	middle := q.From.Add(q.To.Sub(q.From) / 2)
	first, second := q, q
	first.To, second.From = middle, middle
	if err := first.askEach(ctx, run, take); err != nil {
		return err
	}
	return second.askEach(ctx, run, take)
}

// tooMuch reports whether a call was too large: it printed too much, or took too long.
func tooMuch(err error) bool {
	f, ok := errors.AsType[*reach.Failure](err)
	return ok && (f.Class == reach.ClassSlurmTimeout || strings.Contains(f.Cause, "MiB of output"))
}

func askSacct(ctx context.Context, run command.Runner, q Query) ([]Job, error) {
	mark := "|" + rand.Text()[:10] + "|"
	argv := []string{"sacct", "--noheader", "--parsable2", "--duplicates", "--delimiter=" + mark,
		"--format=" + format}
	if len(q.IDs) > 0 {
		argv = append(argv, "--jobs="+strings.Join(q.IDs, ","))
	} else {
		argv = append(argv, "--user="+q.User, "--starttime="+q.From.UTC().Format(timeFormat),
			"--endtime="+q.To.UTC().Format(timeFormat))
	}
	out, words, err := run.Within(ctx, argv...)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, explainFailure(words, err)
	}
	jobs, err := Parse(out, mark)
	if err != nil {
		return nil, explainFailure(nil, fmt.Errorf("unexpected output: %w", err))
	}
	return jobs, nil
}

// ErrNoAccounts means that SLURM keeps no accounts that sacct could be asked for.
var ErrNoAccounts = errors.New("SLURM keeps no accounts of jobs here")

// explainFailure explains the failure of sacct. The controller has no part in it.
func explainFailure(words []byte, err error) error {
	switch {
	case command.Missing(err):
		return fmt.Errorf("%w: there is no sacct", ErrNoAccounts)
	case bytes.Contains(words, []byte("accounting storage is disabled")):
		return fmt.Errorf("%w: its accounting storage is disabled", ErrNoAccounts)
	case command.NoSlurm(words, err):
		return command.ErrNoSlurm
	}
	f := command.Failed("sacct", words, err)
	if errors.Is(err, command.ErrLate) || bytes.Contains(words, []byte("database")) ||
		bytes.Contains(words, []byte("persistent connection")) {
		f.Short, f.Meaning = "slurmdbd not responding", "SLURM's database of jobs is down or overloaded."
		f.Hints = []string{"try again later"}
	}
	if f.Cause == "" || errors.Is(err, command.ErrTooMuch) { // a sacct that was cut off may complain
		f.Cause = text.FirstLine(err.Error())
	}
	return f
}

package report

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/report"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// watched observes job id over a feed, which also emits later.
func watched(ctx context.Context, id string, events []cluster.Event, later func() []cluster.Event) (*report.Report,
	error) {
	p := &cli.Program{Config: config.Default(), Streams: cli.Streams{Err: &bytes.Buffer{}}}
	p.Config.Job = id
	return Observe(ctx, p, &laterFeed{feedtest.Feed{Events: events}, later})
}

// laterFeed emits more Events after a minute.
type laterFeed struct {
	feedtest.Feed
	later func() []cluster.Event
}

func (f *laterFeed) Run(ctx context.Context, emit func(cluster.Event)) error {
	f.Then = func(ctx context.Context) error {
		if f.later != nil {
			time.Sleep(time.Minute)
			for _, e := range f.later() {
				e.At = time.Now()
				emit(e)
			}
		}
		<-ctx.Done()
		return nil
	}
	return f.Feed.Run(ctx, emit)
}

// The report comes when the job has ended, as soon as SLURM says how, and otherwise after a while.
func TestJobUntilItEnds(t *testing.T) {
	over := cluster.EndedJob{ID: "7", Number: "7", State: cluster.JobFailed, Exit: &cluster.Exit{Code: 3},
		End: time.Now().Add(time.Hour), Missed: time.Now().Add(time.Hour)}
	for name, tc := range map[string]struct {
		ended []cluster.EndedJob
		state string
		least time.Duration
	}{"SLURM says how": {[]cluster.EndedJob{over}, "FAILED", time.Minute},
		"it does not": {nil, "ENDED", time.Minute + report.Epilogue}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r, err := watched(t.Context(), "7", feedtest.JobThatReports(), func() []cluster.Event {
					return []cluster.Event{feedtest.Discovery(cluster.Discovery{Ended: tc.ended})}
				})
				if err != nil || r == nil || r.Job.State != tc.state || r.Total.Util.Mean != 42 {
					t.Fatalf("%+v, %v", r, err)
				}
				if took := time.Since(began); took < tc.least || took > tc.least+3*time.Second {
					t.Errorf("after %v", took)
				}
			})
		})
	}
}

// A pending job is waited for.
func TestJobThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		r, err := watched(ctx, "7", []cluster.Event{feedtest.Discovery(cluster.Discovery{Pending: []cluster.PendingJob{{ID: "7"}}})}, feedtest.JobThatReports)
		if err != nil || r.Job.State != "RUNNING" || r.Total.GPUsSeen != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// What cannot be tracked is one line and an exit code.
func TestJobThatIsNone(t *testing.T) {
	failure := cluster.Event{Discovery: &cluster.Discovery{Command: "squeue --me", Asked: time.Now(),
		Failure: &reach.Failure{Class: reach.ClassSlurm, Short: "slurmctld not responding"}}}
	for name, tc := range map[string]struct {
		id     string
		events []cluster.Event
		says   string
	}{
		"not mine": {"8", feedtest.JobThatReports(), `no job "8" of user "alice" is running or pending`},
		"an array": {"9", feedtest.JobThatReports(), `job "9" has several parts: name one of them, e.g. 9_1`},
		"no SLURM": {"7", []cluster.Event{{Discovery: &cluster.Discovery{Answered: time.Now()}}},
			"SLURM is not configured on this host"},
		"no answer": {"7", []cluster.Event{failure}, "SLURM did not answer in time: slurmctld not responding"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, err := watched(t.Context(), tc.id, tc.events, nil)
				exit, ours := errors.AsType[*cli.ExitError](err)
				if !ours || exit.Code != cli.ExitNoJobs || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%v, want %q", err, tc.says)
				}
			})
		})
	}
}

// An interrupt ends the watch, not the report. An array task may be named by its number.
func TestJobInterrupted(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	path := filepath.Join(t.TempDir(), "report")
	for id, name := range map[string]string{"48211": "Job 48211 llama-70b", "48380": "Job 48377_3 eval-mmlu"} {
		o := ofDemo(id)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		file, err := cli.OpenReport(path)
		if err != nil {
			t.Fatal(err)
		}
		err = o.Run(ctx, nil, file)
		cancel()
		text, _ := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), name+"\n  State            RUNNING") {
			t.Errorf("%v, wrote\n%s", err, text)
		}
	}
}

// What a job's report is made of can be recorded besides, and gives the same report again.
func TestReportAndRecord(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	o := ofDemo("48211")
	dir := t.TempDir()
	file, err := cli.OpenReport(filepath.Join(dir, "report"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var errs bytes.Buffer
	o.Err, o.Format, o.Record = &errs, "json", filepath.Join(dir, "run.nvr")
	if err := o.Run(ctx, nil, file); err != nil || !strings.HasPrefix(errs.String(), "nvnodetop: recorded ") {
		t.Fatalf("%v, %q", err, errs.String())
	}
	want, _ := os.ReadFile(file.Name())
	seen := report.New("48211", o.Config.Poll, health.Rules(health.Defaults()))
	feedtest.Replay(t, o.Record, seen.Apply)
	var got bytes.Buffer
	if err := output.JSON(&got, seen.Report()); err != nil ||
		got.String() != string(want) || len(want) < 1000 {
		t.Errorf("%v, the recording has\n%s\nwant\n%s", err, got.String(), want)
	}
	if err := o.Run(t.Context(), nil, file); err == nil ||
		!strings.Contains(err.Error(), "exists: recordings are not overwritten") {
		t.Errorf("a recording that exists: %v", err)
	}
}

// ofDemo is the text of a report of a job of the demo.
func ofDemo(job string) *Live {
	p := &cli.Program{Config: config.Default(), Streams: cli.Streams{Err: &bytes.Buffer{}}}
	p.Config.Demo, p.Config.Job = "2x4", job
	return &Live{Program: p, Format: "text"}
}

// However a recording ends, its last state is the state before the sessions closed.
func TestItsRecordingEndsWithTheNodesAsTheyWere(t *testing.T) {
	o := ofDemo("7")
	path := filepath.Join(t.TempDir(), "run.nvr")
	feedtest.EndsWell(t, path, func(ctx context.Context, from *feedtest.PolledJob) error {
		show := func(ctx context.Context, from feed.Feed) error {
			_, err := Observe(ctx, o.Program, from)
			return err
		}
		return record.Beside(o.Program, path, show)(ctx, from)
	})
}

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/report"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// discovery is an answer of squeue.
func discovery(d cluster.Discovery) cluster.Event {
	d.Command, d.User, d.Asked, d.Answered = "squeue --me", "alice", time.Now(), time.Now()
	return cluster.Event{Discovery: &d}
}

// jobThatReports is a job on a node that reports.
func jobThatReports() []cluster.Event {
	return []cluster.Event{
		discovery(cluster.Discovery{Jobs: []cluster.Job{{ID: "7", Number: "7", Name: "train", Nodes: []string{"n1"}, Minors: map[string][]int{"n1": {0}}}, {ID: "9_1", Number: "12"}}}),
		{Node: "n1", Try: &cluster.Try{Interval: time.Second}}, {Node: "n1", Hello: &wire.Hello{GPUs: []wire.Card{{Minor: new(0), UUID: "a"}}}},
		{Node: "n1", Report: &wire.Report{GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Util: 42})}}}},
	}
}

// observe observes job id over a feed, which also emits later.
func observe(ctx context.Context, id string, events []cluster.Event, later func() []cluster.Event) (*report.Report, error) {
	cfg := config.Default()
	cfg.Job = id
	f := &laterFeed{fakeFeed{events: events}, later}
	return observeJob(ctx, &cfg, streams{err: &bytes.Buffer{}}, f)
}

// laterFeed emits more Events after a minute.
type laterFeed struct {
	fakeFeed
	later func() []cluster.Event
}

func (f *laterFeed) Run(ctx context.Context, emit func(cluster.Event)) error {
	f.then = func(ctx context.Context) error {
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
	return f.fakeFeed.Run(ctx, emit)
}

// The report comes when the job has ended, as soon as SLURM says how, and otherwise after a while.
func TestTrackJobUntilItEnds(t *testing.T) {
	over := cluster.EndedJob{ID: "7", Number: "7", State: cluster.JobFailed, Exit: &cluster.Exit{Code: 3}, End: time.Now().Add(time.Hour), Missed: time.Now().Add(time.Hour)}
	for name, tc := range map[string]struct {
		ended []cluster.EndedJob
		state string
		least time.Duration
	}{"SLURM says how": {[]cluster.EndedJob{over}, "FAILED", time.Minute}, "it does not": {nil, "ENDED", time.Minute + epilogue}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r, err := observe(t.Context(), "7", jobThatReports(), func() []cluster.Event {
					return []cluster.Event{discovery(cluster.Discovery{Ended: tc.ended})}
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
func TestTrackJobThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		r, err := observe(ctx, "7", []cluster.Event{discovery(cluster.Discovery{Pending: []cluster.PendingJob{{ID: "7"}}})}, jobThatReports)
		if err != nil || r.Job.State != "RUNNING" || r.Total.GPUsSeen != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// What cannot be tracked is one line and an exit code.
func TestTrackJobThatIsNone(t *testing.T) {
	failure := cluster.Event{Discovery: &cluster.Discovery{Command: "squeue --me", Asked: time.Now(), Failure: &reach.Failure{Class: reach.ClassSlurm, Short: "slurmctld not responding"}}}
	for name, tc := range map[string]struct {
		id     string
		events []cluster.Event
		says   string
	}{
		"not mine":  {"8", jobThatReports(), `no job "8" of user "alice" is running or pending`},
		"an array":  {"9", jobThatReports(), `job "9" has several parts: name one of them, e.g. 9_1`},
		"no SLURM":  {"7", []cluster.Event{{Discovery: &cluster.Discovery{Answered: time.Now()}}}, notConfigured},
		"no answer": {"7", []cluster.Event{failure}, "SLURM did not answer in time: slurmctld not responding"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, err := observe(t.Context(), tc.id, tc.events, nil)
				exit, ours := errors.AsType[*exitError](err)
				if !ours || exit.code != exitNoJobs || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%v, want %q", err, tc.says)
				}
			})
		})
	}
}

// The file keeps what is in it until there is a report. One that cannot be written costs nothing.
func TestTrackJobOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	if err := os.WriteFile(path, bytes.Repeat([]byte("old\n"), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	r := &report.Report{Job: report.Job{ID: "7"}, Nodes: []report.Node{{Name: "n1", Seen: 1}}}
	file, err := openReport(path)
	if err != nil {
		t.Fatal(err)
	}
	if old, _ := os.ReadFile(path); len(old) != 40_000 {
		t.Errorf("%d bytes are left of the old file", len(old))
	}
	if err := printJob(streams{out: out}, file, r, "json"); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); !json.Valid(text) {
		t.Errorf("wrote %q", text)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	if err := printJob(streams{out: out}, full, r, "text"); err == nil || !strings.Contains(err.Error(), "--output") {
		t.Errorf("a full disk: %v", err)
	}
	if text, _ := os.ReadFile(out.Name()); !strings.HasPrefix(string(text), "Job 7\n") {
		t.Errorf("printed %q", text)
	}
	if err := printJob(streams{out: out}, nil, &report.Report{Job: report.Job{ID: "7"}, Nodes: []report.Node{{}}}, "text"); err == nil || !strings.Contains(err.Error(), `no node of job "7" has reported`) {
		t.Errorf("a job that was never seen: %v", err)
	}
}

// Wrong words are errors before anything is done.
func TestTrackJobUsage(t *testing.T) {
	for name, tc := range map[string]struct {
		id, nodes string
		how       jobReport
		code      int
	}{
		"format":    {"7", "", jobReport{format: "csv"}, exitUsage},
		"no id":     {"", "", jobReport{format: "text"}, exitUsage},
		"nodes":     {"7", "n1", jobReport{format: "text"}, exitUsage},
		"directory": {"7", "", jobReport{format: "text", output: "/nowhere/report"}, exitUsage},
		"no SLURM":  {"7", "", jobReport{format: "text"}, exitNoJobs},
	} {
		cfg := config.Default()
		cfg.Nodes = tc.nodes
		if name == "directory" {
			cfg.Demo = config.DefaultDemo
		} else {
			t.Setenv("PATH", "/nowhere")
		}
		err := trackJob(t.Context(), &cfg, streams{}, nil, tc.id, tc.how)
		if exit, ours := errors.AsType[*exitError](err); !ours || exit.code != tc.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An interrupt ends the watch, not the report. An array task may be named by its number.
func TestTrackJobInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	for id, name := range map[string]string{"48211": "Job 48211 llama-70b", "48380": "Job 48377_3 eval-mmlu"} {
		cfg := config.Default()
		cfg.Demo = "2x4"
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err := trackJob(ctx, &cfg, streams{err: &bytes.Buffer{}}, nil, id, jobReport{format: "text", output: path})
		cancel()
		text, _ := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), name+"\n  State            RUNNING") {
			t.Errorf("%v, wrote\n%s", err, text)
		}
	}
}

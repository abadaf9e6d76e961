package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"

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
		discovery(cluster.Discovery{Jobs: []cluster.Job{{ID: "7", Number: "7", Name: "train", Nodes: []string{"n1"},
			Minors: map[string][]int{"n1": {0}}}, {ID: "9_1", Number: "12"}}}),
		{Node: "n1", Try: &cluster.Try{Interval: time.Second}},
		{Node: "n1", Hello: &wire.Hello{GPUs: []wire.Card{{Minor: new(0), UUID: "a"}}}},
		{Node: "n1", Report: &wire.Report{GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Util: 42})}}}},
	}
}

// observe observes job id over a feed, which also emits later.
func observe(ctx context.Context, id string, events []cluster.Event, later func() []cluster.Event) (*report.Report,
	error) {
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
	failure := cluster.Event{Discovery: &cluster.Discovery{Command: "squeue --me", Asked: time.Now(),
		Failure: &reach.Failure{Class: reach.ClassSlurm, Short: "slurmctld not responding"}}}
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
	if err := (jobReport{format: "json", file: file}).print(streams{out: out}, r); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); !json.Valid(text) {
		t.Errorf("wrote %q", text)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	var errs bytes.Buffer
	if err := (jobReport{format: "text", file: full}).print(streams{out: out, err: &errs}, r); err == nil ||
		!strings.Contains(err.Error(), "write /dev/full: no space left") {
		t.Errorf("a full disk: %v", err)
	}
	if !strings.HasPrefix(errs.String(), "Job 7\n") {
		t.Errorf("standard error has %q", errs.String())
	}
	if err := (jobReport{format: "text"}).print(streams{out: out},
		&report.Report{Job: report.Job{ID: "7"}, Nodes: []report.Node{{}}}); err == nil ||
		!strings.Contains(err.Error(), `no node of job "7" has reported`) {
		t.Errorf("a job that was never seen: %v", err)
	}
}

// Wrong words are errors before anything is done.
func TestTrackJobUsage(t *testing.T) {
	t.Setenv("PATH", "/nowhere")
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"--job 7 --format csv":             {exitUsage, `--format must be text, json or markdown, not "csv"`},
		"--job=":                           {exitUsage, "--job is empty"},
		"--job 7 --output /nowhere/report": {exitUsage, "--output: open /nowhere/report: no such file or directory"},
		"--job 7 --output=":                {exitUsage, "--output is empty"},
		"--job 7 --ru bytes":               {exitUsage, "--ram-unit is for the report of a command"},
		"--job 7 -e ls":                    {exitUsage, "--execute is for the report of a command"},
		"--job 7 --st 0.1":                 {exitUsage, "--sleep-time of a job must be 0.25 to 600 seconds, not 0.1"},
		"--job 7":                          {exitNoJobs, notInstalled},
		"--job 7 -- nowhere":               {127, `command "nowhere" not found`},
	} {
		code, out, errs := program(t, append([]string{trackName}, strings.Fields(args)...)...)
		if code != want.code || out != "" || !strings.Contains(errs, want.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %d and %q", args, code, out, errs, want.code,
				want.says)
		}
	}
}

// An interrupt ends the watch, not the report. An array task may be named by its number.
func TestTrackJobInterrupted(t *testing.T) {
	fakeSqueue(t, "exit 1")
	path := filepath.Join(t.TempDir(), "report")
	for id, name := range map[string]string{"48211": "Job 48211 llama-70b", "48380": "Job 48377_3 eval-mmlu"} {
		cfg := config.Default()
		cfg.Demo, cfg.Job = "2x4", id
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		file, err := openReport(path)
		if err != nil {
			t.Fatal(err)
		}
		err = trackJob(ctx, &cfg, streams{err: &bytes.Buffer{}}, nil, jobReport{format: "text", file: file})
		cancel()
		text, _ := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), name+"\n  State            RUNNING") {
			t.Errorf("%v, wrote\n%s", err, text)
		}
	}
}

// A command in a job has the report of the job, and its own exit code.
func TestTrackInJob(t *testing.T) {
	for line, want := range map[string]int{"sleep 0.6": 0, "sleep 0.6; exit 4": 4} {
		cfg := config.Default()
		cfg.Demo, cfg.Job = "2x4", "48211"
		file, err := openReport(filepath.Join(t.TempDir(), "report"))
		if err != nil {
			t.Fatal(err)
		}
		err = trackInJob(t.Context(), &cfg, streams{err: &bytes.Buffer{}}, nil, []string{"sh", "-c", line},
			jobReport{format: "text", file: file})
		exit, ours := errors.AsType[*exitError](err)
		if (want == 0) != (err == nil) || want > 0 && (!ours || exit.code != want || exit.err != nil) {
			t.Errorf("%s: %v", line, err)
		}
		if text, _ := os.ReadFile(file.Name()); !strings.HasPrefix(string(text), "Job 48211 llama-70b\n") {
			t.Errorf("%s: wrote %q", line, text)
		}
	}
}

// Without an answer of SLURM a command runs all the same.
func TestTrackInNoJob(t *testing.T) {
	fakeSqueue(t, "sleep 5")
	for line, want := range map[string]int{"true": exitFailed, "exit 4": 4} {
		t.Setenv("SLURM_JOB_ID", "77")
		code, out, errs := program(t, trackName, "--job", "77", "--", "/bin/sh", "-c", "echo well; "+line)
		if code != want || out != "well\n" ||
			errs != "nvnodetop: there is no report of job \"77\": the command ended before SLURM answered\n" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", line, code, out, errs)
		}
	}
}

// Nobody measures the orphans of a command in a job, so nobody would wait for them either: they are not adopted.
func TestTrackInJobLeavesOrphans(t *testing.T) {
	fakeSqueue(t, "exit 1")
	const orphan = "sleep 0.2; exec sed -n 's/^PPid:.//p' /proc/self/status"
	cmd := exec.Command("/proc/self/exe", trackName, "--job", "77", "--", "/bin/sh", "-c", `(/bin/sh -c "`+orphan+
		`" &); sleep 0.5`)
	cmd.Env = append(os.Environ(), mainEnv+"=1")
	out, err := cmd.Output()
	parent, wrong := strconv.Atoi(strings.TrimSpace(string(out)))
	if wrong != nil || cmd.ProcessState.ExitCode() != exitFailed || parent == cmd.Process.Pid {
		t.Errorf("%v: the parent is %q, nvnodetop is %d", err, out, cmd.Process.Pid)
	}
}

// The job of a batch script is taken for srun, unless the report of a command is asked for.
func TestChooseJob(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "77")
	for args, want := range map[string]string{
		"srun a": "77", "/usr/bin/srun a": "77", "a": "", "--job 3 srun a": "3", "--ru bytes srun a": "", "-e srun": "",
		"--st 2 -o f -f json srun": "77",
	} {
		var run tracking
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		run.add(f)
		if err := f.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if run.choose(f, f.Args()); run.job != want {
			t.Errorf("%s: job %q, want %q", args, run.job, want)
		}
	}
}

// What a job's report is made of can be recorded besides, and gives the same report again.
func TestTrackAndRecord(t *testing.T) {
	fakeSqueue(t, "exit 1")
	cfg := config.Default()
	cfg.Demo, cfg.Job = "2x4", "48211"
	dir := t.TempDir()
	file, err := openReport(filepath.Join(dir, "report"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var errs bytes.Buffer
	how := jobReport{format: "json", file: file, record: filepath.Join(dir, "run.nvr")}
	if err := trackJob(ctx, &cfg, streams{err: &errs}, nil, how); err != nil ||
		!strings.HasPrefix(errs.String(), "nvnodetop: recorded ") {
		t.Fatalf("%v, %q", err, errs.String())
	}
	want, _ := os.ReadFile(file.Name())
	if code, out, errs := program(t, "replay", "--report", "json", "--job", "48211", how.record); code != exitOK ||
		out != string(want) || len(want) < 1000 {
		t.Errorf("exit code %d, stderr %q, the recording has\n%s\nwant\n%s", code, errs, out, want)
	}
	if err := trackJob(t.Context(), &cfg, streams{err: &errs}, nil, how); err == nil ||
		!strings.Contains(err.Error(), "exists: recordings are not overwritten") {
		t.Errorf("a recording that exists: %v", err)
	}
}

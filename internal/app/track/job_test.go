package track

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/report"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// A command in a job has the report of the job, and its own exit code.
func TestTrackInJob(t *testing.T) {
	for line, want := range map[string]int{"sleep 0.6": 0, "sleep 0.6; exit 4": 4} {
		o := ofDemo("48211")
		file, err := cli.OpenReport(filepath.Join(t.TempDir(), "report"))
		if err != nil {
			t.Fatal(err)
		}
		err = o.inJob(t.Context(), nil, []string{"sh", "-c", line}, file)
		exit, ours := errors.AsType[*cli.ExitError](err)
		if (want == 0) != (err == nil) || want > 0 && (!ours || exit.Code != want || exit.Err != nil) {
			t.Errorf("%s: %v", line, err)
		}
		if text, _ := os.ReadFile(file.Name()); !strings.HasPrefix(string(text), "Job 48211 llama-70b\n") {
			t.Errorf("%s: wrote %q", line, text)
		}
	}
}

// In a batch script srun gets its job, unless the report of a command is wanted.
func TestChooseJob(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "77")
	for args, want := range map[string]string{
		"srun a": "77", "/usr/bin/srun a": "77", "a": "", "--job 3 srun a": "3", "--ru bytes srun a": "", "-e srun": "",
		"--st 2 -o f -f json srun": "77",
	} {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		run := Options{Program: cli.New(cli.Streams{}, f), flags: f}
		run.addFlags(f)
		if err := f.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if run.chooseJob(f.Args()); run.job != want {
			t.Errorf("%s: job %q, want %q", args, run.job, want)
		}
	}
}

// ofDemo are Options for the text of a report of a job of the demo.
func ofDemo(job string) *Options {
	p := &cli.Program{Config: config.Default(), Streams: cli.Streams{Err: &bytes.Buffer{}}}
	p.Config.Demo, p.Config.Job = "2x4", job
	return &Options{Program: p, format: "text"}
}

// However a recording ends, its last state is the state before the sessions closed.
func TestItsRecordingEndsWithTheNodesAsTheyWere(t *testing.T) {
	o := ofDemo("7")
	seen := report.New("7", o.Config.Poll, health.Rules(o.Config.Thresholds))
	path := filepath.Join(t.TempDir(), "run.nvr")
	feedtest.EndsWell(t, path, func(ctx context.Context, from *feedtest.PolledJob) error {
		return record.Beside(o.Program, path, observeEvents(seen))(ctx, from)
	})
}

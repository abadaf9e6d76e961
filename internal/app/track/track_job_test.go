package track_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// Wrong words are errors before anything is done.
func TestTrackJobUsage(t *testing.T) {
	t.Setenv("PATH", "/nowhere")
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"--job 7 --format pdf": {cli.ExitUsage, `--format must be text, json, csv or markdown, not "pdf"`},
		"--job=":               {cli.ExitUsage, "--job is empty"},
		"--job 7 --output /nowhere/report": {cli.ExitUsage,
			"--output: open /nowhere/report: no such file or directory"},
		"--job 7 --output=":  {cli.ExitUsage, "--output is empty"},
		"--job 7 --ru bytes": {cli.ExitUsage, "--ram-unit is for the report of a command"},
		"--job 7 -e ls":      {cli.ExitUsage, "--execute is for the report of a command"},
		"--job 7 --st 0.1":   {cli.ExitUsage, "--interval must be from 0.25 to 600 seconds, such as 5 or 30s, not \"0.1\""},
		"--job 7":            {cli.ExitNoJobs, feed.NotInstalled},
		"--job 7 -- nowhere": {127, `command "nowhere" not found`},
	} {
		code, out, errs := apptest.Run(t, append([]string{"track"}, strings.Fields(args)...)...)
		if code != want.code || out != "" || !strings.Contains(errs, want.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %d and %q", args, code, out, errs, want.code,
				want.says)
		}
	}
}

// Without an answer of SLURM a command runs all the same.
func TestTrackInNoJob(t *testing.T) {
	feedtest.Squeue(t, "sleep 5")
	for line, want := range map[string]int{"true": cli.ExitFailed, "exit 4": 4} {
		t.Setenv("SLURM_JOB_ID", "77")
		code, out, errs := apptest.Run(t, "track", "--job", "77", "--", "/bin/sh", "-c", "echo well; "+line)
		if code != want || out != "well\n" ||
			errs != "nvnodetop: there is no report of job \"77\": the command ended before SLURM answered\n" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", line, code, out, errs)
		}
	}
}

// Nobody measures the orphans of a command in a job, so nobody would wait for them either: they are not adopted.
func TestTrackInJobLeavesOrphans(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	const orphan = "sleep 0.2; exec sed -n 's/^PPid:.//p' /proc/self/status"
	cmd := apptest.Command(nil, "track", "--job", "77", "--", "/bin/sh", "-c", `(/bin/sh -c "`+orphan+
		`" &); sleep 0.5`)
	out, err := cmd.Output()
	parent, wrong := strconv.Atoi(strings.TrimSpace(string(out)))
	if wrong != nil || cmd.ProcessState.ExitCode() != cli.ExitFailed || parent == cmd.Process.Pid {
		t.Errorf("%v: the parent is %q, nvnodetop is %d", err, out, cmd.Process.Pid)
	}
}

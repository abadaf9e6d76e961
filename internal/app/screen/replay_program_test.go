package screen_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/report"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// Ctrl-C during a replay does not wait until the recording has been read.
func TestReplayIsInterrupted(t *testing.T) {
	t.Parallel()
	path := feedtest.Recording(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, flag := range []string{"--once", "--json", "--report"} {
		code, out, errs := apptest.RunUntil(ctx, t, "replay", flag, path)
		if code != cli.ExitFailed || out != "" || errs != "nvnodetop: interrupted\n" {
			t.Errorf("%s: exit code %d, stdout %.100q, stderr %q", flag, code, out, errs)
		}
	}
}

// The report of a recording has the digits of the report that was made while it was recorded.
func TestReplayReport(t *testing.T) {
	t.Parallel()
	const poll = 3 * time.Second
	path := filepath.Join(t.TempDir(), "run.nvr")
	live := report.New("48211", poll, health.Rules(health.Defaults()))
	feedtest.Record(t, path, poll, demo.New(2, 4, 1, poll, 5*time.Minute), live.Apply)
	for format, print := range output.Formats {
		var want bytes.Buffer
		if err := print(&want, live.Report(), output.TextFormat{}); err != nil {
			t.Fatal(err)
		}
		if _, out, errs := apptest.Run(t, "replay", "--report="+format, "--job", "48211", path); out != want.String() ||
			errs != "" {
			t.Errorf("%s: %.500s\nwant %.500s\n%s", format, out, want.String(), errs)
		}
	}
	for args, want := range map[string]string{
		"--report":                     "the recording has several jobs: name one: 48211, ",
		"--report --job 7":             `no job "7" has run in the recording`,
		"--report=pdf":                 `--report must be text, json, csv or markdown, not "pdf"`,
		"--report --job 48211 --at 1m": "it cannot be combined with --at, --once or --json",
		"--job 48211 --once":           "--job is for --report",
	} {
		code, out, errs := apptest.Run(t, append(append([]string{"replay"}, strings.Fields(args)...), path)...)
		if code == cli.ExitOK || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") > 2 {
			t.Errorf("%s: exit code %d, %.100q, %q, want %q", args, code, out, errs, want)
		}
	}
}

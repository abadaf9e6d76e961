package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
)

// Ctrl-C during a replay does not wait until the recording has been read.
func TestReplayIsInterrupted(t *testing.T) {
	t.Parallel()
	path, _ := recordDemo(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, flag := range []string{"--once", "--json", "--report"} {
		cmd := newCommand(cli.Streams{Err: io.Discard})
		cmd.SetArgs([]string{"replay", flag, path})
		if err := cmd.ExecuteContext(ctx); !errors.Is(err, cli.ErrInterrupted) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

// A file of an earlier run ends a recording to several files before it begins, and not hours later.
func TestRecordFilesAreFree(t *testing.T) {
	t.Parallel()
	for _, left := range []string{"x.2", "x.24", "x.25"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, left), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		x := filepath.Join(dir, "x")
		code, _, errs := program(t, "record", "--demo", "1x1", "--max-time", "1s", "--files", "1", x)
		if _, err := os.Stat(x); code != cli.ExitUsage ||
			!strings.Contains(errs, left+`" exists: recordings are not overwritten`) || err == nil {
			t.Errorf("beside %s: exit code %d, %q, %v", left, code, errs, err)
		}
	}
}

// An output that cannot be written is a failure, even of the help and the version.
func TestFullOutput(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range []string{"--help", "help serve", "replay --help", "--version", "config", "--once --demo=1x1",
		"snapshot --demo=1x1 --format csv", "list --demo=1x1"} {
		var errs strings.Builder
		code := Main(strings.Fields(args), nil, full, &errs)
		if code != cli.ExitFailed || !strings.Contains(errs.String(), "no space left on device") ||
			strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", args, code, errs.String())
		}
	}
}

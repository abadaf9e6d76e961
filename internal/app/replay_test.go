package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/recording"
)

// Whoever interrupts a replay does not wait until the recording has been read.
func TestReplayIsInterrupted(t *testing.T) {
	path, _ := recordDemo(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, flag := range []string{"--once", "--json", "--report"} {
		cmd := newCommand(streams{nil, nil, io.Discard})
		cmd.SetArgs([]string{"replay", flag, path})
		if err := cmd.ExecuteContext(ctx); !errors.Is(err, errInterrupted) {
			t.Errorf("%s: %v", flag, err)
		}
	}
	file, r, err := openRecording(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cfg := config.Default()
	p := recording.NewPlayer(r, cluster.NewStore(cfg.Poll, health.Rules(cfg.Thresholds)))
	defer p.Close()
	if err := printMoment(ctx, &cfg, streams{nil, nil, io.Discard}, p, r.End); !errors.Is(err, errInterrupted) {
		t.Errorf("once it is open: %v", err)
	}
}

// A file of an earlier run ends a recording to several files before it begins, and not hours later.
func TestRecordFilesAreFree(t *testing.T) {
	for left, free := range map[string]bool{"x.2": false, "x.24": false, "x.25": false, "x.1": true, "x.02": true,
		"x.2.gz": true, "y.2": true, "x.old": true} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, left), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		x := filepath.Join(dir, "x")
		if free {
			if err := noneOf(x); err != nil {
				t.Errorf("beside %s: %v", left, err)
			}
			continue
		}
		code, _, errs := program(t, "record", "--demo", "1x1", "--max-time", "1s", "--files", "1", x)
		if _, err := os.Stat(x); code != exitUsage ||
			!strings.Contains(errs, left+`" exists: recordings are not overwritten`) || err == nil {
			t.Errorf("beside %s: exit code %d, %q, %v", left, code, errs, err)
		}
	}
}

// What cannot be printed is a failure, of the help and the version, too.
func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range []string{"--help", "help serve", "replay --help", "--version", "config", "--once --demo=1x1",
		"snapshot --demo=1x1 --format csv", "list --demo=1x1"} {
		var errs strings.Builder
		code := Main(strings.Fields(args), nil, full, &errs)
		if code != exitFailed || !strings.Contains(errs.String(), "no space left on device") ||
			strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", args, code, errs.String())
		}
	}
}

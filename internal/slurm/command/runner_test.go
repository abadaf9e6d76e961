package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestCommand(t *testing.T) {
	t.Setenv("SQUEUE_FORMAT", "%j")
	t.Setenv("SLURM_TIME_FORMAT", "relative")
	t.Setenv("TZ", "JST-9")
	out, words, err := Run(t.Context(), "sh", "-c",
		`echo "$SQUEUE_FORMAT,$SLURM_TIME_FORMAT,$TZ"; echo oops >&2; exit 3`)
	if string(out) != ",standard,UTC0\n" || string(words) != "oops\n" {
		t.Errorf("printed %q and %q", out, words)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 3 {
		t.Errorf("error %v, want exit status 3", err)
	}
}

func TestCommandNotFound(t *testing.T) {
	if _, _, err := Run(t.Context(), "no-such-command-of-ours"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error %v, want %v", err, exec.ErrNotFound)
	}
}

// A hung squeue must not outlive its deadline, nor anything that it started.
func TestCommandKillsTheGroup(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	late := errors.New("late")
	started := filepath.Join(t.TempDir(), "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, _, err := Run(ctx, "sh", "-c", "sleep 600 & echo $! >"+started+"; wait")
		ended <- err
	}()
	pid, err := os.ReadFile(started) // waits for the writer
	if err != nil {
		t.Fatal(err)
	}
	cancel(late)
	if err := <-ended; !errors.Is(err, late) {
		t.Errorf("error %v, want the context's cause", err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(pid)))
	if err != nil {
		t.Fatal(err)
	}
	// The orphan is init's to reap, so it may be a zombie for a moment, which is as dead.
	if err := syscall.Kill(child, 0); err == nil && !isZombie(child) {
		t.Errorf("process %d lives", child)
	}
}

func isZombie(pid int) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || strings.HasPrefix(string(state), "Z")
}

func TestCommandCapsItsOutput(t *testing.T) {
	out, words, err := Run(t.Context(), "sh", "-c", "yes >&2 & yes; kill $!")
	if !errors.Is(err, ErrTooMuch) {
		t.Errorf("error %v, want %v", err, ErrTooMuch)
	}
	if len(out) != maxStdout || len(words) != maxStderr {
		t.Errorf("kept %d and %d bytes, want %d and %d", len(out), len(words), maxStdout, maxStderr)
	}
}

func TestEnvironment(t *testing.T) {
	got := commandEnviron([]string{"PATH=/bin", "SQUEUE_STATES=all", "SQUEUE_SORT=i", "SCONTROL_ALL=0",
		"SCANCEL_INTERACTIVE=1", "SACCT_FORMAT=x", "SPRIO_FORMAT=x", "SBATCH_TIMELIMIT=1", "SLURM_CONF=/etc/s", "SLURM_TIME_FORMAT=x", "SLURM_TOPO_LEN=9",
		"TZ=JST-9"})
	want := []string{"PATH=/bin", "SLURM_CONF=/etc/s", "SLURM_TIME_FORMAT=standard", "TZ=UTC0", "SQUEUE_LOCAL=1",
		"SINFO_LOCAL=1", "SCONTROL_LOCAL=1", "SQUEUE_ALL=1", "SINFO_ALL=1", "SCONTROL_ALL=1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

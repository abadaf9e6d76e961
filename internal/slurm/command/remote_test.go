package command

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// here runs scripts on this host.
func here(ctx context.Context, script string, input []byte) (stdout, stderr []byte, status int, err error) {
	var out, words bytes.Buffer
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &words
	if err = cmd.Run(); cmd.ProcessState != nil {
		err = nil
	}
	return out.Bytes(), words.Bytes(), cmd.ProcessState.ExitCode(), err
}

func TestRemote(t *testing.T) {
	t.Setenv("SQUEUE_FORMAT", "%j")
	t.Setenv("SINFO_PARTITION", "x")
	t.Setenv("SCONTROL_ALL", "0")
	t.Setenv("SCANCEL_FULL", "1")
	t.Setenv("SACCT_FORMAT", "jobid")
	t.Setenv("SPRIO_FORMAT", "x")
	t.Setenv("SBATCH_TIMELIMIT", "1")
	t.Setenv("SLURM_TIME_FORMAT", "relative")
	t.Setenv("SLURM_CLUSTERS", "a,b")
	t.Setenv("SLURM_TOPO_LEN", "9")
	t.Setenv("TZ", "JST-9")
	run := Remote("login1", here)
	out, words, err := run(
		t.Context(),
		"sh",
		"-c",
		`echo "$SQUEUE_FORMAT,$SCONTROL_ALL$SINFO_ALL$SQUEUE_ALL,$SCANCEL_FULL$SACCT_FORMAT$SPRIO_FORMAT$SBATCH_TIMELIMIT$SINFO_PARTITION$SLURM_TOPO_LEN,$SLURM_TIME_FORMAT,$SLURM_CLUSTERS,$TZ"; echo "$1|$2"; echo oops >&2; exit 3`,
		"sh",
		`it's "odd" \ $(x) | <y>`,
		"  two  ",
	)
	if want := ",111,,standard,,UTC0\n" + `it's "odd" \ $(x) | <y>|  two  ` + "\n"; string(out) != want ||
		string(words) != droppedMark+"a,b\noops\n" {
		t.Errorf("printed %q and %q, want %q", out, words, want)
	}
	if err == nil || err.Error() != "exit status 3" {
		t.Errorf("error %v", err)
	}
	if _, _, err := run(t.Context(), "no-such-command-of-ours"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error %v, want %v", err, exec.ErrNotFound)
	}
}

// The script is handed to any login shell in single quotes.
func TestRemoteScriptSuitsAnyLoginShell(t *testing.T) {
	if i := strings.IndexAny(remoteScript, "'\\!\n"); i >= 0 {
		t.Errorf("%q stands in the script", remoteScript[i])
	}
}

// A connection that failed says why itself.
func TestRemoteConnectionFails(t *testing.T) {
	lost := &reach.Failure{Class: reach.ClassTimeout, Short: "login host login1: no response after 5s"}
	run := Remote("login1", func(context.Context, string, []byte) ([]byte, []byte, int, error) {
		return nil, nil, 0, lost
	})
	if _, stderr, err := run(t.Context(), "squeue"); !errors.Is(Failed("squeue", stderr, err), lost) {
		t.Errorf("error %v, want %v", err, lost)
	}
}

// TestAShellThatDoesNotBegin is not SLURM's fault. With the mark, SLURM is blamed as before.
func TestAShellThatDoesNotBegin(t *testing.T) {
	flood, lost := strings.Repeat("y\n", maxPrinted), &reach.Failure{Class: reach.ClassClosed, Short: "connection lost"}
	const floods = "the shell of login1 has not begun our command: "
	const hangs = "the shell of login1 has not begun our command within 10s: "
	for _, c := range []struct {
		out    string
		status int
		err    error
		class  reach.Class
		want   string
	}{
		{"", 0, ErrLate, reach.ClassLoginHangs, hangs + "its startup files hang or print"},
		{"module loaded\n", 0, ErrLate, reach.ClassLoginHangs, hangs + "its startup files hang or print"},
		{flood, 0, ErrLate, reach.ClassGarbage, floods + "its startup files print without end"},
		{flood, 0, lost, reach.ClassGarbage, floods + "its startup files print without end"},
		{"y\n", 0, lost, reach.ClassClosed, "connection lost"},
		{"sftp only\n", 1, nil, reach.ClassDenied, "the shell of login1 does not run our command: its startup files exit, " +
			"or the account may run only something else"},
		{"Welcome\n" + mark, 0, ErrLate, reach.ClassSlurmTimeout,
			"slurmctld not responding: squeue timed out after 10s"},
		{mark + "JOBID", 1, nil, reach.ClassSlurm, "squeue failed: exit status 1"},
	} {
		run := Remote("login1", func(context.Context, string, []byte) ([]byte, []byte, int, error) {
			return []byte(c.out), nil, c.status, c.err
		})
		_, stderr, err := run(t.Context(), "squeue")
		if f := Failed("squeue", stderr, err); f.Class != c.class || f.Summary() != c.want || len(f.Words) > maxWords {
			t.Errorf("%.20q: %s: %s, want %s", c.out, f.Class, f.Summary(), c.want)
		}
	}
	run := Remote("login1", func(context.Context, string, []byte) ([]byte, []byte, int, error) {
		return []byte("Welcome\n" + mark + "JOBID\n"), nil, 0, nil
	})
	if out, _, err := run(t.Context(), "squeue"); string(out) != "JOBID\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

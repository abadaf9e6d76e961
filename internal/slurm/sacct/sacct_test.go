package sacct

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// answer returns a Runner that prints an output with the mark of each call.
func answer(t *testing.T, out []byte, asked *[][]string) command.Runner {
	t.Helper()
	return func(_ context.Context, argv ...string) ([]byte, []byte, error) {
		*asked = append(*asked, argv)
		return []byte(strings.ReplaceAll(string(out), mark, markOf(argv))), nil, nil
	}
}

func markOf(argv []string) string {
	for _, word := range argv {
		if m, ok := strings.CutPrefix(word, "--delimiter="); ok {
			return m
		}
	}
	return ""
}

// count counts the jobs that Each hands over.
func count(t *testing.T, run command.Runner, q Query) (n int, err error) {
	t.Helper()
	err = Each(t.Context(), run, q, func(jobs []Job) { n += len(jobs) })
	return n, err
}

// The mark is new in each call, and jobs are named by ID, or by their user and time.
func TestAsk(t *testing.T) {
	var asked [][]string
	run := answer(t, recorded(t, "jobs.txt"), &asked)
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.FixedZone("east", 3600))
	if jobs, err := Ask(t.Context(), run, "7", "8_1"); err != nil || len(jobs) != 12 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	if n, err := count(t, run, Query{User: "alice", From: at, To: at.Add(time.Hour)}); err != nil || n != 12 {
		t.Fatalf("%d jobs, %v", n, err)
	}
	if !slices.Contains(asked[0], "--jobs=7,8_1") || !slices.Contains(asked[1], "--user=alice") ||
		!slices.Contains(asked[1], "--starttime=2026-11-20T11:00:00") ||
		!slices.Contains(asked[1], "--endtime=2026-11-20T12:00:00") {
		t.Errorf("asked %q", asked)
	}
	if a, b := markOf(asked[0]), markOf(asked[1]); a == b || len(a) < 10 {
		t.Errorf("marks %q and %q", a, b)
	}
}

// A time with too many jobs for one call is asked for in parts; a job of two parts is there once.
func TestTooManyJobs(t *testing.T) {
	var asked [][]string
	all := answer(t, recorded(t, "jobs.txt"), &asked)
	run := func(ctx context.Context, argv ...string) ([]byte, []byte, error) {
		if len(asked) == 0 {
			asked = append(asked, argv)
			return nil, []byte("sacct: error: write: Broken pipe\n"), command.ErrTooMuch
		}
		return all(ctx, argv...)
	}
	now := time.Now()
	n, err := count(t, run, Query{User: "alice", From: now.AddDate(0, 0, -7), To: now})
	if err != nil || n != 12 || len(asked) != 3 {
		t.Errorf("%d jobs, %d calls, %v", n, len(asked), err)
	}
}

// However sacct fails, the error names what is missing.
func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name, words string
		err         error
		says        string
		none        bool
	}{
		{"no sacct", "", exec.ErrNotFound, "SLURM keeps no accounts of jobs here: there is no sacct", true},
		{"no accounting", "Slurm accounting storage is disabled\n", errors.New("exit status 1"),
			"SLURM keeps no accounts of jobs here: its accounting storage is disabled", true},
		{"slurmdbd is away", string(recorded(t, "slurmdbd-away.txt")), errors.New("exit status 1"),
			"slurmdbd not responding", false},
		{"slow", "", command.ErrLate, "slurmdbd not responding: sacct timed out after 10s", false},
		{"not allowed", "sacct: error: You are not allowed\n", errors.New("exit status 1"), "sacct failed", false},
	} {
		_, err := Ask(t.Context(), func(context.Context, ...string) ([]byte, []byte, error) {
			return nil, []byte(tc.words), tc.err
		}, "7")
		if err == nil || !strings.HasPrefix(err.Error(), tc.says) || errors.Is(err, ErrNoAccounts) != tc.none ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.says)
		}
	}
}

func TestNames(t *testing.T) {
	for id, want := range map[string]bool{"48211": true, "48377_3": true, "3+1": true, "": false, "0": false,
		"7,8": false, "7.batch": false, "-7": false, "7 8": false, "run.json": false, "7_[1-3]": false} {
		if IsID(id) != want {
			t.Errorf("%q is an ID: %v", id, !want)
		}
	}
	for name, want := range map[string]bool{"alice": true, "a.b-c_d": true, "user@site": true, "": false, "a,b": false,
		"-a": false, "a b": false, "a\nb": false, strings.Repeat("a", 99): false} {
		if IsUser(name) != want {
			t.Errorf("%q is a user: %v", name, !want)
		}
	}
}

// 10,000 jobs with three lines each are read at once.
func TestManyJobs(t *testing.T) {
	one := strings.SplitAfter(string(recorded(t, "jobs.txt")), "|MARK|perl\n")[0]
	var all strings.Builder
	for i := range 10_000 {
		for line := range strings.Lines(one) {
			_, rest, _ := strings.Cut(line, "1")
			fmt.Fprintf(&all, "%d%s", 100+i, rest)
		}
	}
	began := time.Now()
	jobs, err := Parse([]byte(all.String()), mark)
	if took := time.Since(began); err != nil || len(jobs) != 10_000 || len(jobs[9999].Steps) != 3 ||
		took > 20*time.Second {
		t.Errorf("%d jobs, %v, %v", len(jobs), err, took)
	}
}

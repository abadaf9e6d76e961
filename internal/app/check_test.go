package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// If something is wrong, the exit code is 1, and the nodes to leave out are one line.
func TestCheck(t *testing.T) {
	t.Parallel()
	code, out, errs := apptest.Run(t, "check", "--demo=8x8")
	if code != 1 || errs != "" || !strings.Contains(out, "\n--exclude=gpu-n01,gpu-n02,") ||
		!strings.HasPrefix(out, "critical: ") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

func TestCheckUsage(t *testing.T) {
	t.Setenv(feed.BatchJob, "")
	for args, want := range map[string]string{
		"check node01":                 `unexpected argument "node01"`,
		"check --job=":                 "--job is empty: name a job, such as 48211",
		"check --job 7 --nodes a":      "--job and --nodes cannot be combined",
		"check --waiting=":             `--waiting takes the ID of a job, such as 48211, not ""`,
		"check --waiting 7;rm":         `--waiting takes the ID of a job, such as 48211, not "7;rm"`,
		"check --waiting 7 --job 8":    "--job cannot be combined with --waiting",
		"check --waiting 7 --nodes a":  "--nodes cannot be combined with --waiting",
		"check --timeout soon":         "--timeout must be a time with a unit",
		"check --nodes gpu[1-":         "--nodes: ",
		"check --jbo 7":                "unknown flag: --jbo",
		"check --transport pigeon":     "--transport must be auto, ssh",
		"check --demo=2x2 --job=7 now": `unexpected argument "now"`,
	} {
		if code, out, errs := apptest.Run(t, strings.Fields(args)...); code != cli.ExitUsage || out != "" ||
			!strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, want)
		}
	}
}

// Where nothing can be checked, it is not "nothing is wrong".
func TestCheckWithoutAnything(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	t.Setenv(feed.BatchJob, "")
	for args, want := range map[string]string{
		"check":                      "name a job with --job, or hosts with --nodes\n",
		"check --job 7 --timeout 2s": "squeue",
		"check --waiting 7":          "SLURM is not configured on this host",
	} {
		if code, out, errs := apptest.Run(t, strings.Fields(args)...); code != cli.ExitNoJobs || out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, want)
		}
	}
}

// SLURM's words are made safe to display.
func TestCheckWaiting(t *testing.T) {
	feedtest.Squeue(t, "echo 5\\|2\\|Resources")
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	for name, script := range map[string]string{
		"scontrol": `printf 'JobId=7 JobName=x\n   UserId=alice(1)\n   Priority=4 Nice=0\n   JobState=PENDING ` +
			`Reason=Prio\033rity Dependency=(null)\n   Partition=gpu A=1\n   NumNodes=2-2 NumTasks=2\n'`,
		"sbatch": "echo sbatch: Job 9 to start at 2000-01-01T00:00:00 using 1 processors on nodes n1 in partition gpu >&2",
		"sprio":  "exit 1",
	} {
		stubs.Write(t, dir, name, script)
	}
	want := "job 7 waits in partition gpu: SLURM's reason is Prio\nstart: SLURM has no estimate\n" +
		"ahead: 1 job for 2 nodes\nsubmitted again as it is (2 nodes): now, on n1\nsubmitted again with 1 node: now, on n1\n"
	code, out, errs := apptest.Run(t, "check", "--waiting", "7")
	if got := strings.ReplaceAll(out, "Priority\n", "Prio\n"); code != cli.ExitOK || errs != "" || got != want {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// A fault that a node had in an earlier job is said, unless nothing is to be kept of jobs.
func TestCheckKnowsEarlierJobs(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	path := filepath.Join(state, "nvnodetop", "runs.jsonl")
	if err := runs.Keep(path, time.Now(), runs.Run{Job: "48102", User: "alice", Seen: time.Now().Add(-time.Hour),
		Faults: []runs.Fault{{Node: "a.invalid", Kind: cluster.KindLost, Failure: true}}}); err != nil {
		t.Fatal(err)
	}
	const said = "warning: a.invalid: It had a lost GPU in your job 48102 ("
	check := []string{"check", "--nodes", "a.invalid", "--timeout", "1s"}
	if _, out, _ := apptest.Run(t, check...); !strings.Contains(out, said) {
		t.Errorf("no %q in %q", said, out)
	}
	t.Setenv("XDG_CONFIG_HOME", state)
	config := filepath.Join(state, "nvnodetop", "config.toml")
	if err := os.WriteFile(config, []byte("runs = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, errs := apptest.Run(t, check...); strings.Contains(out, said) {
		t.Errorf("with runs = false: %q, %q", out, errs)
	}
}

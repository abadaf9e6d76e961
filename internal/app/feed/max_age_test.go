package feed_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// With --max-age, programs that print once ask SLURM once, and say how old the answer is.
func TestMaxAge(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	feedtest.Squeue(t, "echo x >> "+asked+"\n"+apptest.OneJob)
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	for command, answer := range map[string]string{"scontrol": "JobId=7 JobName=train\n   StdOut=/nowhere/7.out",
		"sinfo": "gpu*|up|gpu:2|n1"} {
		stubs.Write(t, dir, command, "echo "+command+" >> "+asked+"\ncat <<'END'\n"+answer+"\nEND")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	questions := func() int {
		text, _ := os.ReadFile(asked)
		_ = os.Remove(asked)
		return strings.Count(string(text), "\n")
	}
	answered := map[string]bool{}
	for _, test := range []struct {
		args  string
		asks  bool
		about string
	}{
		{"logs 7 --max-age 30s", true, "another question"}, {"logs 7 --max-age 30s", false, "it is known, too"},
		{"--json --first-sample --max-age 30s", true, "the first"}, {"--json --first-sample --max-age 30s", false, "the next"},
		{"--once --first-sample --max-age 30s", false, "another output"},
		{"snapshot --format json --first-sample --max-age 30s", false, "another command"},
		{"list --job 7 --max-age 30s", false, "the job is there"}, {"list --job 8 --max-age 30s", true, "it is not"},
		{"stacks 7 --max-age 30s", false, "by its number"},
		{"--json --first-sample", true, "without the flag"}, {"--json --first-sample --max-age 1ns", true, "too old"},
		{"logs 7 --max-age 30s", false, "what another output has asked"}, {"logs 7", true, "without the flag"},
	} {
		_, out, errs := apptest.Run(t, append(strings.Fields(test.args), "--timeout", "1s")...)
		if n := questions(); (n > 0) != test.asks {
			t.Errorf("%s (%s): %d questions, stderr %q", test.args, test.about, n, errs)
		}
		var doc schema.Snapshot
		if json.Unmarshal([]byte(out), &doc) == nil && strings.HasSuffix(test.args, "30s") {
			answered[doc.Discovery.Answered.String()] = true
		}
	}
	if len(answered) != 1 {
		t.Errorf("the time of one answer is %v", answered)
	}
	for args, want := range map[string]string{
		"--max-age 30s":                      "--max-age is for what is printed once: add --once or --json",
		"list --interval --max-age 30s":      "--max-age is for what is printed once: it cannot be combined with --interval",
		"logs -f 7 --max-age 30s":            "--max-age is for what is printed once: it cannot be combined with --follow",
		"stacks 7 --every 30s --max-age 30s": "--max-age is for what is printed once: it cannot be combined with --every",
		"--json --max-age -1s":               "--max-age must be a time from 0s to 1h0m0s, not -1s",
		"--json --max-age 2h":                "--max-age must be a time from 0s to 1h0m0s, not 2h0m0s",
		"--json --max-age 30":                `--max-age must be a time with a unit, e.g. 15s or 2m, not "30"`,
	} {
		if code, _, errs := apptest.Run(t, strings.Fields(args)...); code != cli.ExitUsage || !strings.Contains(errs, want) ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stderr %q", args, code, errs)
		}
	}
}

// available --cluster asks several questions. Their answers are kept as one, with their time.
func TestMaxAgeOfTheCluster(t *testing.T) {
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	for command, answer := range map[string]string{"sinfo": "gpu*|up|gpu:2|n1", "squeue": "7|alice|gpu|N/A|N/A|N/A|n1",
		"scontrol": "NodeName=n1 Arch=x86_64\n   Gres=gpu:2\n   GresUsed=gpu:1(IDX:0)\n   State=MIXED\n"} {
		stubs.Write(t, dir, command, "echo x >> "+asked+"\ncat <<'END'\n"+answer+"\nEND")
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	code, first, errs := apptest.Run(t, "available", "--cluster", "--json", "--max-age", "30s")
	if code != cli.ExitOK || !strings.Contains(first, `"n1"`) {
		t.Fatalf("exit code %d, stderr %q, %s", code, errs, first)
	}
	if err := os.Remove(asked); err != nil {
		t.Fatal(err)
	}
	code, next, _ := apptest.Run(t, "available", "--cluster", "--json", "--max-age", "30s")
	if _, err := os.Stat(asked); code != cli.ExitOK || next != first || err == nil {
		t.Errorf("exit code %d, asked again %v,\n%s\nand then\n%s", code, err == nil, first, next)
	}
}

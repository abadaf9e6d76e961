package cluster

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadOnlyPastTheScreen: with --readonly, or the switch in the system's file, neither a signal nor scancel reaches
// a process or a job, even if the screen asked for it. Without it both do.
func TestReadOnlyPastTheScreen(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "past-the-screen")
	if out, err := exec.Command("go", "test", "-c", "-o", exe, "../../internal/app").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	past := do(t, "put", exe)
	const file = "/etc/nvnodetop/config.toml"
	ask := func(job, flags string) string {
		t.Helper()
		process := do(t, "on", "node02", "sh", "-c",
			`pid=$(pgrep -o -u alice -x gpuwork) && echo $pid $(cut -d " " -f 22 /proc/$pid/stat)`)
		r := runsProgram(t, []string{"env", "NVNODETOP_APP_TEST_PAST=node02 " + process + " " + job + " " + flags,
			past}, "-test.run=^TestPastTheScreen$", "-test.v")
		if r.code != 0 {
			t.Fatalf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
		}
		return r.stdout
	}
	works := func() string {
		return do(t, "on", "node02", "pgrep", "-c", "-u", "alice", "-x", "gpuwork")
	}
	id := job(t, 1, "guarded", "-w", "node02")
	running(t, "node02")
	for flags, why := range map[string]string{"--readonly": "--readonly forbids it", "": "readonly in " + file +
		":1 forbids it"} {
		if flags == "" {
			t.Cleanup(func() { do(t, "on", "login", "rm", "-f", file) })
			do(t, "on", "login", "sh", "-c", "mkdir -p /etc/nvnodetop && echo readonly = true >"+file)
		}
		out := ask(id, flags)
		if strings.Count(out, why) != 2 || works() != "4" {
			t.Errorf("%q: %s processes are left, and it says\n%s", flags, works(), out)
		}
		do(t, "on", "login", "rm", "-f", file)
	}
	out := ask(id, "")
	if !strings.Contains(out, "signal: <nil>") || !strings.Contains(out, "scancel: <nil>") {
		t.Errorf("nothing forbids it, and it says\n%s", out)
	}
	for range 100 {
		if state := do(t, "on", "login", "squeue", "-h", "-j", id, "-t", "R", "-o", "%t"); state == "" {
			return
		}
	}
	t.Error("the job was not canceled")
}

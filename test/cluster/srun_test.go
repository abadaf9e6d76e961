package cluster

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// steps returns the nodes of each step of nvnodetop, one step per line.
func steps(t *testing.T) string {
	t.Helper()
	var own []string
	for line := range strings.Lines(do(t, "on", "login", "squeue", "--steps", "--noheader", "--format=%j %N")) {
		if nodes, ok := strings.CutPrefix(strings.TrimSpace(line), "nvnodetop "); ok {
			own = append(own, nodes)
		}
	}
	slices.Sort(own)
	return strings.Join(own, "\n")
}

// stepsAre waits until the steps of nvnodetop are on these nodes.
func stepsAre(t *testing.T, want string) {
	t.Helper()
	got := ""
	for range 100 {
		if got = steps(t); got == want {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("steps on %q, want %q", got, want)
}

// If no node lets anybody log in, one step shows all nodes of the job. A probe that dies comes back in a step of its
// own, and nothing is left after a kill -9.
func TestSrunWithoutSSH(t *testing.T) {
	job(t, 3)
	for _, node := range []string{"node01", "node02", "node03"} {
		fault(t, "killsshd", node)
	}
	if r := runs(t, "--transport", "srun", "--json", "--timeout", "40s"); r.code != 0 { // copies the probe
		t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
	}
	w := watch(t, "--transport", "srun")
	w.sees("12 of 12 GPUs, 3 of 3 nodes reporting")
	stepsAre(t, "node[01-03]")
	w.sees("gpuwork") // lines with processes are longer than the pieces that srun passes on
	do(t, "fault", "killprobe", "node02")
	if _, err := w.WaitFor(slack, "the problem of node02",
		func(s string) bool { return strings.Contains(s, "2 of 3 nodes") }); err != nil {
		t.Error(err)
	}
	w.sees("12 of 12 GPUs, 3 of 3 nodes reporting")
	stepsAre(t, "node02\nnode[01-03]")
	do(t, "on", "login", "kill", "-9", pid(t))
	stepsAre(t, "")
	gone(t, 5*time.Second)
}

// SLURM refuses a step on one node of a job that has asked for a total of GPUs, unless the step says how many it wants.
func TestSrunWithATotalOfGPUs(t *testing.T) {
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-N2", "--gpus=3", "-o", "/dev/null", "--wrap",
		"sleep 600")
	t.Cleanup(func() { cancelJob(t, id) })
	runsNow(t, id)
	if r := runs(t, "--transport", "srun", "--json"); r.code != 0 ||
		!regexp.MustCompile(`"gpus_seen": ?3`).MatchString(r.stdout) {
		t.Errorf("exit code %d, stderr %q, %s", r.code, r.stderr, r.stdout)
	}
	w := watch(t, "--transport", "srun")
	w.sees("3 of 3 GPUs, 2 of 2 nodes reporting")
	do(t, "fault", "killprobe", "node01")
	stepsAre(t, "node01\nnode[01-02]") // with --gpus=2
	w.sees("3 of 3 GPUs, 2 of 2 nodes reporting")
	w.quits()
	stepsAre(t, "")
	gone(t, 5*time.Second)
}

// running waits until the job's own processes run on a node. If the node were cut off before, SLURM would end the job.
func running(t *testing.T, node string) {
	t.Helper()
	do(t, "on", node, "sh", "-c", "for n in $(seq 100); do pgrep -x gpuwork >/dev/null && exit; sleep 0.1; done; exit 1")
}

// A node that does not respond does not delay the others, and comes back when it responds.
func TestSrunWithADeadNode(t *testing.T) {
	job(t, 3)
	running(t, "node02")
	fault(t, "drop", "node02")
	w := watch(t, "--transport", "srun")
	w.sees("8 of 12 GPUs", "2 of 3 nodes reporting")
	w.sees("node02 unreachable")
	do(t, "heal", "node02")
	w.types("r")
	w.sees("12 of 12 GPUs, 3 of 3 nodes reporting")
	w.quits()
	stepsAre(t, "")
}

// A step that is canceled comes back by itself. So does a control connection, once its user has made a new one.
func TestEndOfASession(t *testing.T) {
	job(t, 2)
	w := watch(t, "--transport", "srun")
	w.sees(reporting(2, 2))
	step := do(t, "on", "login", "sh", "-c", "squeue --steps --noheader --format='%i %j' | sed -n 's/ nvnodetop$//p'")
	do(t, "on", "-u", "alice", "login", "scancel", step)
	for after := step; after == step || after == ""; time.Sleep(100 * time.Millisecond) {
		after = do(t, "on", "login", "sh", "-c",
			"squeue --steps --noheader --format='%i %j' | sed -n 's/ nvnodetop$//p'")
	}
	w.sees(reporting(2, 2))
	w.quits()

	masterOf(t, "node01")
	w = watch(t, "--transport", "control", "--nodes", "node01")
	w.sees("4 GPUs OK")
	do(t, "fault", "killsession", "node01", "alice")
	w.sees("no ControlMaster")
	masterOf(t, "node01")
	w.sees("4 of 4 GPUs")
	w.quits()
	leavesNothing(t, "node01")
	leavesNothing(t, "login")
}

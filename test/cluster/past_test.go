package cluster

import (
	"strings"
	"testing"
)

// explains waits until the page of the node says why it does not report. A node that has reported before shows its past
// there, and why it failed behind a key.
func (w *watcher) explains(words ...string) {
	w.t.Helper()
	_, err := w.WaitFor(slack, strings.Join(words, ", "),
		func(s string) bool { return all(s, words) || all(s, []string{"d why"}) })
	if err != nil {
		w.t.Fatal(err)
	}
	if !all(w.Screen(), words) {
		w.types("d")
		w.sees(words...)
	}
}

// A node that has lost its power keeps its last values, but no sum counts them.
func TestPastOfANode(t *testing.T) {
	const node = "node02"
	w := watch(t, "--nodes", node+",node01")
	w.sees("8 of 8 GPUs, 2 of 2 nodes reporting")
	fault(t, "poweroff", node)
	w.sees("1 of 2 nodes reporting", "[last seen ", "the values below are from then", "A100-SXM4-80GB", "d why")
	w.types("4")
	w.sees("[last seen ", "Links and errors", " until ")
	w.types("d")
	w.sees("Last seen ", "4 GPUs, utilization ", "host memory ")
	w.quits()
}

// Two equal programs of a job are apart, each on both nodes, and a rank of the second that is killed is gone there.
func TestTwoPrograms(t *testing.T) {
	script := `srun sh -c 'for p in 1 2; do (for i in 0 1; do RANK=$((SLURM_PROCID*2+i)) LOCAL_RANK=$i WORLD_SIZE=4 MASTER_ADDR=node01 MASTER_PORT=2950$p gpuwork 600 & done; wait) & sleep 3; done; wait'`
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-w", "node[01-02]", "-N", "2",
		"--ntasks-per-node=1", "--gres=gpu:4", "-o", "/dev/null", "--wrap", script)
	t.Cleanup(func() { cancelJob(t, id) })
	runsNow(t, id)
	running(t, "node02")
	w := watch(t)
	w.sees("8 of 8 GPUs, 2 of 2 nodes reporting")
	w.types("m")
	w.sees("2 programs", "8 of 8 ranks", "1 0 node01", "1 3 node02", "2 0 node01", "2 3 node02")
	do(t, "on", "node02", "sh", "-c", `for p in $(pgrep -x gpuwork); do tr '\0' '\n' </proc/$p/environ | grep -cE '^(RANK=2|MASTER_PORT=29502)$' | grep -q 2 && kill -9 $p; done; true`)
	w.sees("7 of 8 ranks", "1 gone", "2 2 node02 0 rank 2 of 4 is gone, last seen")
	w.quits()
}

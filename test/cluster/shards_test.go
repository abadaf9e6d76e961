package cluster

import (
	"regexp"
	"testing"
)

// TestShards: where GPUs can be shared, a whole GPU in use is one GPU in use. How SLURM lists the shares of such a GPU
// differs by version.
func TestShards(t *testing.T) {
	fault(t, "ctldshards")
	whole := shareOf(t, "gpu:2", "node03")
	runsNow(t, whole)
	check := func(node, free, used string) {
		t.Helper()
		r := runs(t, "available", "--cluster")
		row := regexp.MustCompile(`(?m)^` + node + ` .*\ba100 +` + free + ` +` + used + `\b`)
		if r.code != 0 || !row.MatchString(r.stdout) {
			t.Errorf("exit code %d; want %s free, %s used on %s:\n%s%s", r.code, free, used, node, r.stdout, r.stderr)
		}
	}
	check("node03", "2", "2")
	runsNow(t, shareOf(t, "shard:3", "node02")) // of one GPU
	check("node02", "3", "1")
	check("node01", "4", "0")
}

// shareOf starts a job of alice with a part of a node, and ends it with the test.
func shareOf(t *testing.T, gres, node string) string {
	t.Helper()
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "--gres="+gres, "-w", node, "-o", "/dev/null",
		"--wrap", "sleep 600")
	t.Cleanup(func() { cancelJob(t, id) })
	return id
}

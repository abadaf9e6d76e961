package cluster

import (
	"slices"
	"testing"
)

// SLURM's index of a GPU is its number, unless a GPU of the node has MIG on: then nothing tells the owners of the GPUs,
// and none is named.
func TestOwner(t *testing.T) {
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-w", "node01", "--gres=gpu:2", "-J", "half",
		"-o", "/dev/null", "--wrap", "gpuwork")
	t.Cleanup(func() { cancelJob(t, id) })
	runsNow(t, id)
	owned := func() (gpus int, unknown []string) {
		n := runs(t, "--json").json(t).Nodes[0]
		for _, g := range n.GPUs {
			if jobs, _ := g["jobs"].([]any); slices.Contains(jobs, any(id)) {
				gpus++
			}
		}
		return gpus, n.Unknown
	}
	if gpus, unknown := owned(); gpus != 2 || unknown != nil {
		t.Errorf("the job has %d GPUs, of %q it is not known; want 2 and none", gpus, unknown)
	}
	fault(t, "nvml", "node01", "gpu 3 mig")
	if gpus, unknown := owned(); gpus != 0 || !slices.Equal(unknown, []string{id}) {
		t.Errorf("with MIG: the job has %d GPUs, of %q it is not known; want none and the job", gpus, unknown)
	}
}

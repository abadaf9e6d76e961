package cluster

import (
	"strings"
	"testing"
)

// idle is a node on which nothing runs.
const idle = "util 0;memory_used 500;proc none"

// checked runs check in a batch script on three nodes, and returns what it printed and its exit code.
func checked(t *testing.T) string {
	t.Helper()
	dog.Watch(t)
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "--wait", "--nodes=3", "--gres=gpu:4",
		"--chdir=/home/alice", "--output=check.out", "--wrap", program+" check; echo rc=$?")
	t.Cleanup(func() { cancelJob(t, id) })
	return do(t, "on", "-u", "alice", "login", "cat", "/home/alice/check.out")
}

// TestCheck: healthy nodes, faults that show only beside the other nodes, a node without ssh, and one that is gone.
func TestCheck(t *testing.T) {
	for _, node := range []string{"node01", "node02", "node03"} {
		fault(t, "nvml", node, idle)
	}
	if said := checked(t); !strings.Contains(said, ": 3 nodes with 12 GPUs: nothing found (") ||
		!strings.HasSuffix(said, "rc=0") {
		t.Errorf("healthy nodes: %s", said)
	}
	fault(t, "nvml", "node02", idle+";gpu 1 ecc 3;gpu 2 power_limit 300;gpu 3 pcie_width 8")
	fault(t, "nvml", "node03", idle+";nvlink_down 0;driver 535.1.2")
	fault(t, "reject", "node02")
	said := checked(t)
	for _, want := range []string{"warning: node02 GPU1: 3 uncorrectable ECC errors",
		"node02 GPU2: The power limit is 300 W", "node02 GPU3: PCIe runs with 8 of 16 lanes.", "node03: This node runs driver 535.1.2",
		"node03 GPU0-3: 11 NVLinks are up", "\n--exclude=node02,node03\n", "\nrc=1"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

// TestWhyAJobWaits: a job that waits for the nodes of another one, and what would start at once.
func TestWhyAJobWaits(t *testing.T) {
	job(t, 2, "ahead", "-t", "60")
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "--gres=gpu:4", "-t", "30", "-w", "node01", "--wrap",
		"sleep 1")
	t.Cleanup(func() { cancelJob(t, id) })
	r := runs(t, "check", "--waiting", id)
	for _, want := range []string{"job " + id + " waits in partition gpu: SLURM's reason is ", "\nahead: ",
		"\nsubmitted again as it is (1 node, gpu:4 on each, 30m, with node01): ", "\nsubmitted again with gpu:2 on each: ",
		"\nsubmitted again with 15m: "} {
		if r.code != 0 || !strings.Contains(r.stdout, want) {
			t.Errorf("exit code %d, stderr %q, no %q in\n%s", r.code, r.stderr, want, r.stdout)
		}
	}
}

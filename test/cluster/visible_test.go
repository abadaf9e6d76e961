package cluster

import (
	"strings"
	"testing"
	"time"
)

// hide makes a partition of alice's jobs hidden or not.
func hide(t *testing.T, hidden string) {
	t.Helper()
	do(t, "on", "ctl", "scontrol", "update", "PartitionName=shy", "Hidden="+hidden)
}

// A job in a hidden partition is there for every command. One whose partition is hidden while it runs goes on.
func TestHiddenPartition(t *testing.T) {
	do(t, "on", "ctl", "scontrol", "create", "PartitionName=shy", "Nodes=node01,node02", "State=UP", "MaxTime=60")
	t.Cleanup(func() { do(t, "on", "ctl", "scontrol", "delete", "PartitionName=shy") })
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-p", "shy", "-N", "1", "-w", "node01",
		"--ntasks-per-node=4", "--gres=gpu:4", "-o", "/tmp/shy.out", "--wrap", "echo hidden; srun gpuwork")
	t.Cleanup(func() { cancelJob(t, id) })
	runsNow(t, id)

	w := watch(t)
	w.sees("Job "+id, "4 of 4 GPUs")
	hide(t, "YES")
	if out := do(t, "on", "-u", "alice", "login", "squeue", "--me", "--noheader"); out != "" {
		t.Fatalf("the partition is not hidden: squeue prints %q", out)
	}
	for range 3 { // questions to SLURM
		w.types("r")
		time.Sleep(3 * time.Second)
	}
	w.sees("Job "+id, "4 of 4 GPUs")
	w.types("1")
	w.sees("1 running", "R "+id)
	w.quits()

	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--once", 0, "Job " + id},
		{"stacks " + id, 0, "Job " + id},
		{"doctor --job " + id, 0, "1 running on 1 node"},
		{"available --job " + id, 1, "too few free GPUs"},
		{"available --cluster", 0, "shy"},
		{"logs " + id, 0, "hidden"},
	} {
		r := runs(t, strings.Fields(c.args)...)
		if r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.says) {
			t.Errorf("%s: exit code %d, stderr %q, printed\n%s", c.args, r.code, r.stderr, r.stdout)
		}
	}
	// until the end of the job, or an interrupt
	if r := runsProgram(t, []string{"timeout", "15", program}, "report", id); !strings.Contains(r.stdout, "partition shy") {
		t.Errorf("report: stderr %q, printed\n%s", r.stderr, r.stdout)
	}
	d := runs(t, "--json").json(t)
	if len(d.Jobs) != 1 || d.Jobs[0].ID != id {
		t.Errorf("--json has the jobs %+v", d.Jobs)
	}
}

// A job that is held after a special exit waits, for SLURM's reason, and has no time of a start. It has not ended.
func TestSpecialExit(t *testing.T) {
	id := job(t, 1)
	runsNow(t, id)
	w := watchProgram(t, 120, 40, "NVNODETOP_SLURM_INTERVAL=10s", program, "watch", id)
	time.Sleep(15 * time.Second) // it has seen the job run
	do(t, "on", "login", "scontrol", "requeuehold", "State=SpecialExit", id)
	t.Cleanup(func() { do(t, "on", "login", "scancel", id) })
	w.sees(id+" ", "It waits to run again")
	time.Sleep(25 * time.Second) // two more questions to SLURM
	if text := w.Screen(); strings.Contains(text, "ended") || strings.Contains(text, "did not complete") {
		t.Errorf("watch says that the job has ended:\n%s", text)
	}
	d := runs(t, "--json").json(t)
	if len(d.Pending) != 1 || d.Pending[0].ID != id || !d.Pending[0].Start.IsZero() ||
		d.Pending[0].Reason != "SPECIAL_EXIT: job requeued in held state" {
		t.Errorf("--json has the pending jobs %+v", d.Pending)
	}
	do(t, "on", "login", "scancel", id)
	w.sees(id + " gpuwork: canceled")
}

package cluster

import (
	"testing"
	"time"
)

// Of an array of four tasks two run and two wait, in one row. If one of them fails, the page of the jobs says so, with
// its exit code: from scontrol, since there is no accounting here.
func TestJobsPage(t *testing.T) {
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "--array=0-3%2", "-w", "node01", "-N", "1",
		"--gres=gpu:2", "-o", "/dev/null",
		"--wrap", "test $SLURM_ARRAY_TASK_ID != 1 && exec sleep 600; until test -e /tmp/jobs-fail; do sleep 0.1; "+
			"done; exit 3")
	t.Cleanup(func() {
		cancelJob(t, id)
		do(t, "on", "node01", "rm", "-f", "/tmp/jobs-fail")
	})
	runsNow(t, id+"_0")
	runsNow(t, id+"_1")
	w := watch(t)
	w.sees("Job "+id+"_", "GPU")
	w.types("1")
	w.sees("2 running, 2 pending", "R "+id+"_0 wrap 1 2", "R "+id+"_1 wrap 1 2",
		"PD "+id+"_[2-3%2] wrap 1 2 JobArrayTaskLimit")
	do(t, "on", "node01", "touch", "/tmp/jobs-fail")
	for range 15 {
		w.types("r")
		time.Sleep(time.Second)
		if all(w.Screen(), []string{"exit code 3"}) {
			break
		}
	}
	w.sees("2 running, 1 pending", "F "+id+"_1 wrap 1 2 failed, exit code 3", "R "+id+"_2 wrap 1 2")
	w.types("U")
	w.sees("Users", "on the GPUs of 1 node")
	w.types("\x1b")
	w.sees("LOWEST")
	w.types("\r")
	w.sees("Job "+id+"_0", "node01")
	w.quits()
}

package cluster

import (
	"strings"
	"testing"
	"time"
)

// If SLURM keeps accounts, sacct alone says how jobs have ended, all of them in one call: tasks of an array that have
// failed, were killed or canceled, or have completed.
func TestAccounts(t *testing.T) {
	fault(t, "ctldaccounts")
	const dir = "/tmp/nvnodetop-accounts"
	do(t, "on", "-u", "alice", "login", "sh", "-c", "rm -rf "+dir+"; mkdir "+dir)
	t.Cleanup(func() { do(t, "on", "login", "rm", "-rf", dir) })
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "--array=0-4", "-N", "1", "--gres=gpu:1", "-o",
		"/dev/null", "--wrap",
		"until test -e /home/alice/go-on; do sleep 0.1; done; case $SLURM_ARRAY_TASK_ID in 0) exec sleep 600;; 1) "+
			"exit 3;; 2) kill -9 $$;; 3) exec sleep 600;; esac")
	t.Cleanup(func() {
		cancelJob(t, id)
		do(t, "on", "login", "rm", "-f", "/home/alice/go-on")
	})
	for range 100 { // a job is in the accounts up to 5 s after its start
		if strings.Count(do(t, "on", "-u", "alice", "login", "sacct", "-n", "-X", "-j", id, "-o", "State"),
			"RUNNING") == 5 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	w := watch(t, "--log", dir+"/log")
	w.sees("Job " + id + "_")
	w.types("1")
	w.sees("5 running")
	do(t, "on", "login", "sh", "-c", "touch /home/alice/go-on; scancel "+id+"_3")
	wants := []string{"1 running", "F " + id + "_1 wrap 1 1 failed, exit code 3",
		"F " + id + "_2 wrap 1 1 failed, SIGKILL", "CA " + id + "_3 wrap 1 1 canceled",
		"CD " + id + "_4 wrap 1 1 completed"}
	for range 15 {
		w.types("r")
		time.Sleep(time.Second)
		if all(w.Screen(), wants) {
			break
		}
	}
	w.sees(wants...)
	w.quits()
	log := do(t, "on", "-u", "alice", "login", "cat", dir+"/log")
	if !strings.Contains(log, `command="sacct `) {
		t.Errorf("sacct was not asked; the log:\n%s", log)
	}
	// Where the logs of the two tasks are that have failed. A job of an earlier test may have failed too.
	asked := strings.Count(log, `command="scontrol show job `+id+"_")
	if once := strings.Count(log, `command="scontrol show job `+id+`_1"`); asked > 2 || once > 1 {
		t.Errorf("slurmctld was asked %d times about tasks that have ended; the log:\n%s", asked, log)
	}
}

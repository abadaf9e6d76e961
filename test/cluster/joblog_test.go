package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// crashing is a job on all its nodes of which rank 1 ends with a traceback after so many seconds.
const crashing = `srun --kill-on-bad-exit=0 bash -c '` +
	`for i in $(seq 1 600); do echo "rank $SLURM_PROCID step $i"; sleep 1; ` +
	`if [ $SLURM_PROCID = 1 ] && [ $i = %d ]; then printf "Traceback (most recent call last):\n` +
	`  File \"train.py\"\ntorch.OutOfMemoryError: CUDA out of memory.\n" >&2; exit 1; fi; done'`

// submits starts a batch job that runs a command, ends it with the test, and returns its ID.
func submits(t *testing.T, user, command string, args ...string) string {
	t.Helper()
	words := []string{"on", "-u", user, "login", "sbatch", "--parsable", "--chdir=/home/" + user, "--gres=gpu:a100:1"}
	id := do(t, append(append(words, args...), "--wrap", command)...)
	t.Cleanup(func() { cancelJob(t, id) })
	return id
}

// prints waits until the last lines of a log have some text.
func prints(t *testing.T, id, text string) {
	t.Helper()
	var r result
	for end := time.Now().Add(slack); time.Now().Before(end); time.Sleep(time.Second) {
		if r = runs(t, "logs", "-n", "200", id); strings.Contains(r.stdout, text) {
			return
		}
	}
	t.Errorf("logs %s: exit code %d, stderr %q, printed\n%s\nwithout %q", id, r.code, r.stderr, r.stdout, text)
}

// The log of a job on all nodes is followed on the screen and by the command, and a rank that crashes is marked.
func TestTheLogOfAJob(t *testing.T) {
	id := submits(t, "alice", fmt.Sprintf(crashing, 25), "-N", fmt.Sprint(nodes))
	runsNow(t, id)
	w := watch(t)
	w.sees("Job " + id)
	w.types("l")
	w.sees("Log of job "+id, "/home/alice/slurm-"+id+".out", "following", "rank 1 step")
	w.sees("! Traceback (most recent call last):", "! torch.OutOfMemoryError: CUDA out of memory.",
		"! srun: error: node02: task 1: Exited with exit code 1")
	w.types("k")
	w.sees("% of ")
	w.types("G")
	w.sees("following")
	w.quits()
	prints(t, id, "torch.OutOfMemoryError: CUDA out of memory.")
	r := runsProgram(t, []string{"timeout", "--preserve-status", "-s", "INT", "8", program}, "logs", "-f", "-n", "1", id)
	if n := strings.Count(r.stdout, "\n"); r.code != 0 || r.stderr != "" || n < 4 {
		t.Errorf("logs -f: exit code %d, stderr %q, %d lines", r.code, r.stderr, n)
	}
}

// A log that only its node has is read there, also with --login. When it was emptied, or deleted, that is said.
func TestALogOnItsNode(t *testing.T) {
	id := submits(t, "alice", "echo on the node; sleep 600", "-N", "1", "-o", "/tmp/log-%j.out")
	runsNow(t, id)
	prints(t, id, "on the node\n")
	path := "/tmp/log-" + id + ".out"
	if r := runs(t, "logs", "--login", "alice@node01", id); r.stdout != "on the node\n" {
		t.Errorf("with --login: exit code %d, stderr %q, printed %q", r.code, r.stderr, r.stdout)
	}
	w := watch(t)
	w.sees("Job " + id)
	w.types("l")
	w.sees(path+" on node01", "on the node")
	do(t, "on", "node01", "truncate", "-s", "0", path)
	w.sees("the log was emptied or replaced")
	do(t, "on", "node01", "rm", path)
	w.sees("There is no file \"" + path)
	if r := runs(t, "logs", id); r.code != 1 || !strings.Contains(r.stderr, "there is no file") {
		t.Errorf("deleted: exit code %d, stderr %q", r.code, r.stderr)
	}
	// what others put in its place is not read
	do(t, "on", "-u", "bob", "node01", "ln", "-s", "/home/alice/.ssh/id_ed25519", path)
	if r := runs(t, "logs", id); r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "link of another user") &&
		!strings.Contains(r.stderr, "denied") {
		t.Errorf("a link of bob's: exit code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
	do(t, "on", "node01", "rm", path)
	do(t, "on", "-u", "alice", "node01", "mkfifo", path)
	if r := runs(t, "logs", id); r.code != 1 || !strings.Contains(r.stderr, "is a FIFO") {
		t.Errorf("a FIFO: exit code %d, stderr %q", r.code, r.stderr)
	}
}

// The log of a job that ends stays on the screen, is there from the list of jobs, and is printed, also with --login: it
// may be on the network, or local to the node. A job that waits says why it has no log.
func TestTheLogOfAJobThatDoesNotRun(t *testing.T) {
	local := submits(t, "alice", "echo local end", "-N", "1", "-o", "/tmp/end-%j.out")
	id := submits(t, "alice", "sleep 25; echo shared end; exit 3", "-N", "1")
	waits := submits(t, "alice", "echo never", "-N", "1", "--begin=now+1hour")
	runsNow(t, id)
	w := watch(t)
	w.sees("Job " + id)
	w.types("l")
	w.sees("Log of job "+id+" ", "shared end", "at its end")
	w.quits()
	for job, want := range map[string]string{id: "shared end\n", local: "local end\n"} {
		for _, way := range [][]string{{"logs", job}, {"logs", "--login", "alice@node01", job}} {
			if r := runs(t, way...); r.stdout != want {
				t.Errorf("%v: exit code %d, stderr %q, printed %q", way, r.code, r.stderr, r.stdout)
			}
		}
	}
	if r := runs(t, "logs", waits); r.code != 1 || !strings.Contains(r.stderr, "has not begun: SLURM's reason is BeginTime") {
		t.Errorf("a waiting job: exit code %d, stderr %q", r.code, r.stderr)
	}
}

// A comment may have anything, also lines like those of scontrol. An array says which task it lacks, and SLURM which
// SLUID it does not know.
func TestTheLogOfAJobWithAComment(t *testing.T) {
	const comment = "rerun, see StdOut=/old/x.log Reason=OOM\n   StdOut=/x\n   BatchHost=evil\nJobId=7 JobName=x\n\n" +
		"JobId=$SLURM_JOB_ID"
	id := submits(t, "alice", "echo with a comment; sleep 600", "-N", "1", "--comment", comment, "-J", "x StdOut=/y")
	array := submits(t, "alice", "echo a task; sleep 600", "-N", "1", "-a", "1-2")
	runsNow(t, id)
	prints(t, id, "with a comment\n")
	prints(t, array+"_2", "a task\n")
	for job, want := range map[string]string{array + "_9": "no log: job " + array + " has no task 9\n",
		"s4Y5M8CR7ZYE00": `SLURM does not know the SLUID "s4Y5M8CR7ZYE00"`} {
		if r := runs(t, "logs", job); r.code != 3 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit code %d, stderr %q, want %q", job, r.code, r.stderr, want)
		}
	}
}

// Only one's own jobs have a log, and where the admins forbid it none has.
func TestLogsThatAreNotRead(t *testing.T) {
	id := submits(t, "bob", "echo secret; sleep 600", "-N", "1")
	runsNow(t, id)
	if r := runs(t, "logs", id); r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, `belongs to "bob"`) {
		t.Errorf("bob's: exit code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
	if r := runsProgram(t, []string{"env", "NVNODETOP_LOGS=false", program}, "logs", id); r.code != 2 ||
		!strings.Contains(r.stderr, "logs are switched off") {
		t.Errorf("switched off: exit code %d, stderr %q", r.code, r.stderr)
	}
	if r := runs(t, "logs", "99999"); r.code != 3 || !strings.Contains(r.stderr, "no log of job 99999") {
		t.Errorf("unknown: exit code %d, stderr %q", r.code, r.stderr)
	}
}

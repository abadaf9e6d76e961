package cluster

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gone waits until no process of nvnodetop is left on any node.
func gone(t *testing.T, within time.Duration) {
	t.Helper()
	left(t, 0, within)
}

// left waits until there are n probes on the nodes.
func left(t *testing.T, n int, within time.Duration) {
	t.Helper()
	began := time.Now()
	for found := probes(t); found != n; found = probes(t) {
		if time.Since(began) > within {
			t.Fatalf("%d probes live on the nodes after %v, want %d", found, time.Since(began).Round(time.Millisecond),
				n)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("%d probes are left after %.1f s", n, time.Since(began).Seconds())
}

// pid returns the PID of nvnodetop on the login host.
func pid(t *testing.T) string {
	t.Helper()
	return strings.Fields(do(t, "on", "login", "pgrep", "-o", "-f", "^"+program))[0]
}

func TestQuitLeavesNothing(t *testing.T) {
	job(t, 3)
	w := watch(t)
	w.sees(reporting(3, 3))
	if n := probes(t); n != 3 {
		t.Errorf("%d probes on 3 nodes", n)
	}
	began := time.Now()
	w.quits()
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("quitting took %v", took)
	}
	gone(t, 3*time.Second)
}

// A frozen connection must not delay anything else.
func TestQuitWithAFrozenNode(t *testing.T) {
	job(t, 2)
	w := watch(t)
	w.sees(reporting(2, 2))
	fault(t, "stopsshd", "node01")
	w.sees("[stale")
	w.quits()
}

func TestKillLeavesNothing(t *testing.T) {
	job(t, 3)
	for _, transport := range []string{"ssh", "openssh"} {
		t.Run(transport, func(t *testing.T) {
			w := watch(t, "--transport", transport)
			w.sees(reporting(3, 3))
			do(t, "on", "login", "kill", "-9", pid(t))
			gone(t, 5*time.Second)
			leavesNothing(t, "login")
		})
	}
}

func TestSignalsGiveTheTerminalBack(t *testing.T) {
	job(t, 1)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			w := watch(t)
			w.sees(reporting(1, 1))
			do(t, "on", "login", "kill", "-"+strconv.Itoa(int(sig)), pid(t))
			if _, err := w.Wait(5 * time.Second); err != nil {
				t.Fatal(err)
			}
			w.restored()
			gone(t, 5*time.Second)
		})
	}
}

func TestJobIsCancelledWhileWatched(t *testing.T) {
	for _, transport := range []string{"ssh", "openssh", "srun"} {
		t.Run(transport, func(t *testing.T) { jobIsCancelled(t, transport) })
	}
}

func jobIsCancelled(t *testing.T, transport string) {
	keep := job(t, 1, "keep")
	id := job(t, 2, "go")
	w := watch(t, "--transport", transport)
	w.sees("job [1/2]", reporting(1, 1))
	w.types("]")
	w.sees("Job "+id, "job [2/2]", reporting(2, 2))
	seen := func() {
		if transport != "ssh" { // over ssh only squeue tells, up to 30 s later; once is enough
			w.types("r")
		}
	}
	cancelJob(t, id)
	seen()
	w.sees("Job "+keep, "job [1/1]", reporting(1, 1))
	left(t, 1, 5*time.Second) // the sessions of the ended job are closed
	cancelJob(t, keep)
	seen()
	w.sees("No running SLURM jobs found", "squeue")
	gone(t, 5*time.Second)
	again := job(t, 2, "again")
	w.types("r")
	w.sees("Job "+again, reporting(2, 2))
	w.quits()
	leavesNothing(t, "node01")
	leavesNothing(t, "login")
}

// If the controller is away, the jobs stay on the screen, with its error message.
func TestControllerIsAway(t *testing.T) {
	id := job(t, 2)
	for _, f := range []struct{ away, back, words string }{
		{"ctldstop", "ctldcont", "slurmctld not responding: squeue timed out after 10s"},
		{"ctldkill", "ctldstart", "slurmctld not responding"},
	} {
		t.Run(f.away, func(t *testing.T) {
			w := watch(t)
			w.sees(reporting(2, 2))
			fault(t, f.away)
			w.types("r")
			w.sees("Job "+id, f.words)
			do(t, "fault", f.back)
			w.types("r")
			w.sees(reporting(2, 2))
			w.quits()
		})
	}
}

// A suspended job keeps its nodes and GPUs, and its processes their memory: it stays on the screen, with its nodes.
func TestSuspendedJob(t *testing.T) {
	id := job(t, 2)
	w := watch(t)
	w.sees("Job "+id, reporting(2, 2))
	do(t, "on", "login", "scontrol", "suspend", id)
	t.Cleanup(func() { _, _ = script("on", "login", "scontrol", "resume", id) }) // it may be resumed already
	w.types("r")
	w.sees("Job "+id, "suspended", reporting(2, 2))
	r := runs(t, "--json")
	d := r.json(t)
	if r.code != 0 || len(d.Jobs) != 1 || !d.Jobs[0].Suspended || d.Jobs[0].GPUs != 8 || len(d.Nodes) != 2 {
		t.Fatalf("exit code %d, stderr %q, printed\n%s", r.code, r.stderr, r.stdout)
	}
	validate(t, r.stdout)
	for _, n := range d.Nodes {
		if n.State != "reporting" {
			t.Errorf("%s is %s", n.Name, n.State)
		}
	}
	do(t, "on", "login", "scontrol", "resume", id)
	w.types("r")
	if _, err := w.WaitFor(slack, "no suspended", func(s string) bool {
		return strings.Contains(s, "Job "+id) &&
			!strings.Contains(s, "suspended")
	}); err != nil {
		t.Error(err)
	}
	w.quits()
}

// A controller that does not answer within --timeout is not the same as no jobs.
func TestControllerHangsLongerThanTheTimeout(t *testing.T) {
	job(t, 1)
	fault(t, "ctldstop")
	for _, flag := range []string{"--json", "--once"} {
		r := runs(t, flag, "--timeout", "3s")
		if r.code != 3 || !strings.Contains(r.stderr, "no answer from squeue after 3s") ||
			!strings.Contains(r.stdout, "no answer from squeue after 3s") {
			t.Errorf("%s: exit code %d, stderr %q, printed %s", flag, r.code, r.stderr, r.stdout)
		}
		if r.took > 3*time.Second+slack {
			t.Errorf("%s took %v", flag, r.took)
		}
	}
}

// With commands that take 2 s each, as on a busy controller, the jobs are shown after the first one, and their GPUs
// later.
func TestSlowController(t *testing.T) {
	var ids []string
	for i := range 4 {
		ids = append(ids, do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-w", "node01", "--gres=gpu:1",
			"-J", fmt.Sprintf("slow%d", i),
			"-o", "/dev/null", "--wrap", "gpuwork"))
		t.Cleanup(func() { cancelJob(t, ids[i]) })
	}
	const dir = "/tmp/slow-slurm"
	const wrapper = "mkdir -p " + dir + " && for c in squeue scontrol; do printf '#!/bin/sh\nsleep 2\nexec " +
		"/usr/bin/%s \"$@\"\n' $c > " + dir + "/$c; done && chmod +x " + dir + "/*"
	do(t, "on", "-u", "alice", "login", "sh", "-c", wrapper)
	t.Cleanup(func() { do(t, "on", "login", "rm", "-r", dir) })
	slow := func(timeout string) decoded {
		out := do(t, "on", "-u", "alice", "login", "sh", "-c", "PATH="+dir+":$PATH "+program+" --json --timeout "+
			timeout+" || true")
		return result{stdout: out}.json(t)
	}
	if d := slow("3s"); len(d.Jobs) != 4 || len(d.Nodes) != 1 {
		t.Errorf("after squeue's answer: %d jobs on %d nodes", len(d.Jobs), len(d.Nodes))
	}
	d := slow("60s") // squeue, and then one question per job, with pauses
	for _, j := range d.Jobs {
		if j.GPUs != 1 {
			t.Errorf("job %s has %d GPUs, want 1", j.ID, j.GPUs)
		}
	}
}

func TestSharedNodeHasOneSession(t *testing.T) {
	for i := range 2 {
		id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-w", "node01", "--gres=gpu:2", "-J",
			fmt.Sprintf("half%d", i),
			"-o", "/dev/null", "--wrap", "gpuwork")
		t.Cleanup(func() { cancelJob(t, id) })
	}
	w := watch(t)
	w.sees("job [1/2]", "2 GPUs OK")
	w.types("]")
	w.sees("job [2/2]", "2 GPUs OK")
	if n := probes(t); n != 1 {
		t.Errorf("%d probes on a node that two jobs share", n)
	}
	w.quits()
}

func TestOddJobNames(t *testing.T) {
	names := []string{"my job with  spaces", "a|b|c", "тест-日本語-ü", "tab\there", "esc\x1b[31mred", "", "new\nline"}
	for _, name := range names {
		id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "--gres=gpu:1", "-J", name, "-o", "/dev/null",
			"--wrap", "gpuwork")
		t.Cleanup(func() { cancelJob(t, id) })
	}
	var d decoded
	for range 20 {
		if d = runs(t, "--json").json(t); len(d.Jobs) == len(names) {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	var got []string
	for _, j := range d.Jobs {
		got = append(got, j.Name)
	}
	for _, want := range []string{"my job with  spaces", "a|b|c", "тест-日本語-ü", "tab here", "escred", ""} {
		if !contains(got, want) {
			t.Errorf("no job is called %q in %q", want, got)
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func TestArraysAndHetJobs(t *testing.T) {
	array := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "--array=1-2", "--gres=gpu:1", "-o",
		"/dev/null", "--wrap", "gpuwork")
	t.Cleanup(func() { cancelJob(t, array) })
	het := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "--gres=gpu:2", "-N1", ":", "--gres=gpu:1",
		"-N1", "--output=/dev/null", "--wrap", "gpuwork")
	t.Cleanup(func() { cancelJob(t, het) })
	want := []string{array + "_1", array + "_2", het + "+0", het + "+1"}
	var got []string
	for range 20 {
		got = nil
		for _, j := range runs(t, "--json").json(t).Jobs {
			got = append(got, fmt.Sprint(j.ID))
		}
		if len(got) == len(want) {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	for _, id := range want {
		if !contains(got, id) {
			t.Errorf("%s is missing in %q", id, got)
		}
	}
}

// Reports that arrived while the program was stopped are read before a node counts as silent: the same probes keep
// reporting.
func TestStoppedForAWhile(t *testing.T) {
	job(t, 2)
	w := watch(t)
	w.sees(reporting(2, 2))
	before := do(t, "on", "node01", "pgrep", "-f", "nvnodetop-probe")
	// Only the program is stopped: nsenter then stops itself. Stopped as well, it might do so after both were continued.
	do(t, "on", "login", "kill", "-STOP", pid(t))
	time.Sleep(35 * time.Second)
	if err := w.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Second)
	w.sees(reporting(2, 2))
	if after := do(t, "on", "node01", "pgrep", "-f", "nvnodetop-probe"); after != before {
		t.Errorf("the probe was %q before, and is %q", before, after)
	}
	w.quits()
}

package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

const (
	sluid = "sEKNKTV3WPV500"
	scope = "system.slice/slurmstepd.scope/" + sluid
)

// node is a node whose cgroups are named by SLUIDs.
type node struct {
	t             *testing.T
	proc, cgroups string
}

func newNode(t *testing.T) *node {
	n := &node{t, t.TempDir(), t.TempDir()}
	n.file(n.proc, "self/mountinfo", "30 24 0:27 / /run rw - tmpfs tmpfs rw\n35 24 0:30 / "+n.cgroups+
		" rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n")
	return n
}

func (n *node) file(dir, name, text string) {
	n.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		n.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

// process adds a process to a cgroup below that of the job.
func (n *node) process(pid, parent, uid int, group, command, environ string) {
	n.t.Helper()
	dir := fmt.Sprint(pid)
	n.file(n.proc, dir+"/stat", fmt.Sprintf("%d (x) S %d 1 1 0 -1 4194304 10 0 0 0 100 50 0 0 20 0 4 0 9 1000 256 "+
		"184 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n", pid, parent))
	n.file(n.proc, dir+"/status", "Name:\tx\nUid:\t"+strings.Repeat(fmt.Sprint(uid)+"\t", 3)+fmt.Sprint(uid)+
		"\nGid:\t0\t0\t0\t0\n")
	n.file(n.proc, dir+"/cmdline", command)
	n.file(n.proc, dir+"/environ", environ)
	procs := filepath.Join(n.cgroups, scope, group, "cgroup.procs")
	old, _ := os.ReadFile(procs) // perhaps the first process
	n.file(n.cgroups, filepath.Join(scope, group, "cgroup.procs"), string(old)+dir+"\n")
}

// hide hides a process from /proc.
func (n *node) hide(pid int) {
	if err := os.RemoveAll(filepath.Join(n.proc, fmt.Sprint(pid))); err != nil {
		n.t.Fatal(err)
	}
}

// of is the number of the job of the node's cgroup.
func (n *node) of(j *LaunchJobs) string {
	return j.In([]string{"/" + scope + "/step_extern/user/task_special"}).Job
}

// The job of a SLUID comes from a daemon of its steps, or else from the environment of a process that a daemon has
// started for this user.
func TestJobOfSLUID(t *testing.T) {
	me := os.Getuid()
	const theirs = 4711
	vars := func(text string) string { return environ(text) }
	for name, tc := range map[string]struct {
		have func(n *node)
		want string
	}{
		"the daemon says so": {func(n *node) {
			n.process(10, 1, 0, "step_extern/slurm", "slurmstepd: [48211.extern]\x00", "")
		}, "48211"},
		"a job without a step that says so": {func(n *node) {
			n.process(10, 1, 0, "step_0/slurm", "slurmstepd: [48211]", "")
		}, "48211"},
		"nothing runs": {func(*node) {}, ""},
		"a daemon that has not begun": {func(n *node) {
			n.process(10, 1, 0, "step_0/slurm", "/usr/sbin/slurmstepd\x00", "")
		}, ""},
		"a program that calls itself so": {func(n *node) {
			n.process(10, 1, 0, "step_0/slurm", "/usr/sbin/slurmstepd\x00", "")
			n.process(20, 10, theirs, "step_0/user/task_0", "slurmstepd: [666.0]",
				vars(strings.Replace(task, "16", "666", 1)))
		}, ""},
		"/proc hides the daemon": {func(n *node) {
			n.process(10, 1, 0, "step_0/slurm", "slurmstepd: [16.0]", "")
			n.hide(10)
			n.process(20, 10, me, "step_0/user/task_0", "python", vars(task))
		}, "16"},
		"and a shell in the job has another one": {func(n *node) {
			n.process(10, 1, 0, "step_batch/slurm", "slurmstepd: [16.batch]", "")
			n.hide(10)
			// of salloc
			n.process(21, 20, me, "step_batch/user/task_0", "bash", vars(strings.Replace(task, "16", "17", 1)))
			n.process(20, 10, me, "step_batch/user/task_0", "slurm_script", vars(script))
		}, "16"},
		"and nothing that it has started is left": {func(n *node) {
			n.process(10, 1, 0, "step_batch/slurm", "slurmstepd: [16.batch]", "")
			n.hide(10)
			n.process(21, 20, me, "step_batch/user/task_0", "bash", vars(task))
		}, ""},
		"and the job is another user's": {func(n *node) {
			n.process(10, 1, 0, "step_0/slurm", "slurmstepd: [16.0]", "")
			n.hide(10)
			n.process(20, 10, theirs, "step_0/user/task_0", "python", vars(task))
		}, ""},
		"and the job is heterogeneous": {func(n *node) {
			n.process(10, 1, 0, "step_0/slurm", "slurmstepd: [16.0]", "")
			n.hide(10)
			n.process(20, 10, me, "step_0/user/task_0", "python", vars(task+" SLURM_HET_SIZE=2"))
		}, ""},
		"the cgroups are not mounted": {func(n *node) {
			n.process(10, 1, 0, "step_0/slurm", "slurmstepd: [16.0]", "")
			n.file(n.proc, "self/mountinfo", "30 24 0:27 / /run rw - tmpfs tmpfs rw\n")
		}, ""},
		"processes of another PID namespace": {func(n *node) {
			n.file(n.cgroups, scope+"/step_0/slurm/cgroup.procs", "0\n0\n")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the search is in time on a busy machine too
				n := newNode(t)
				tc.have(n)
				j := NewLaunchJobs(n.proc)
				if got := n.of(j); got != tc.want {
					t.Errorf("job %q, want %q", got, tc.want)
				}
				if is := j.Is(sluid, "16"); is != (tc.want == "16") {
					t.Errorf("the directory is that of job 16: %v", is)
				}
			})
		})
	}
}

// A job is looked for once. A missing job is looked for again after a minute, not at each report.
func TestJobsAreRemembered(t *testing.T) {
	n := newNode(t)
	j := NewLaunchJobs(n.proc)
	now := time.Now()
	j.now = func() time.Time { return now }
	if got := n.of(j); got != "" {
		t.Fatalf("job %q of nothing", got)
	}
	n.process(10, 1, 0, "step_0/slurm", "slurmstepd: [16.0]", "")
	if got := n.of(j); got != "" {
		t.Errorf("looked again at once: %q", got)
	}
	now = now.Add(askAgain)
	if got := n.of(j); got != "16" {
		t.Errorf("job %q after a minute", got)
	}
	n.hide(10)
	now = now.Add(time.Hour)
	if got := n.of(j); got != "16" {
		t.Errorf("job %q was forgotten", got)
	}
}

// A process that hangs keeps nobody waiting for long, and only once.
func TestJobOfAHangingProcess(t *testing.T) {
	n := newNode(t)
	n.process(10, 1, 0, "step_0/slurm", "", "")
	name := filepath.Join(n.proc, "10/cmdline")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	j := NewLaunchJobs(n.proc)
	began := time.Now()
	for range 50 {
		if got := n.of(j); got != "" {
			t.Fatalf("job %q", got)
		}
	}
	if took := time.Since(began); took > 20*launchPatience {
		t.Errorf("50 questions took %v", took)
	}
	if err := os.WriteFile(name, []byte("slurmstepd: [16.0]"), 0o600); err != nil { // it goes on
		t.Fatal(err)
	}
	for range 100 {
		if n.of(j) == "16" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the late answer was lost")
}

// The probe's own job.
func TestOwnJob(t *testing.T) {
	n := newNode(t)
	n.file(n.proc, "self/cgroup", "0::/"+scope+"/step_extern/user/task_special\n")
	if got := NewLaunchJobs(n.proc).Own(); got != (JobMember{SLUID: sluid, Step: "extern"}) {
		t.Errorf("%+v", got)
	}
	n.process(10, 1, 0, "step_extern/slurm", "slurmstepd: [16.extern]", "")
	if got := NewLaunchJobs(n.proc).Own(); got != (JobMember{Job: "16", Step: "extern"}) {
		t.Errorf("%+v", got)
	}
}

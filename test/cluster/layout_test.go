package cluster

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// layout is a way in which SLURM names the cgroups of jobs.
type layout struct {
	called string
	sluids bool
}

var (
	byNumber = layout{called: "by number"}
	bySLUID  = layout{called: "by SLUID", sluids: true}
)

// dir is the directory of a job in the path of a cgroup.
func (l layout) dir(t *testing.T, job string) string {
	t.Helper()
	if l.sluids {
		return "/" + sluidOf(t, job) + "/"
	}
	return "/job_" + job + "/"
}

// sluidOf is the SLUID of a job. SLURM 26.05 says it; for an older one, scripts/testcluster makes it of the number.
func sluidOf(t *testing.T, job string) string {
	t.Helper()
	_, told, found := strings.Cut(do(t, "on", "login", "scontrol", "-d", "show", "job", job), "SLUID=")
	if found {
		return strings.Fields(told)[0]
	}
	number, err := strconv.Atoi(job)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("s%013X", number)
}

// inEachLayout runs a test with each way of naming the cgroups of jobs on these nodes.
func inEachLayout(t *testing.T, nodes []string, test func(*testing.T, layout)) {
	t.Helper()
	for _, l := range []layout{byNumber, bySLUID} {
		t.Run(l.called, func(t *testing.T) {
			for _, node := range nodes {
				if l.sluids {
					fault(t, "sluid", node)
				}
			}
			test(t, l)
		})
	}
}

// Version 2 of cgroups with the numbers of jobs, as SLURM 26.05 has it with CgroupJobIdPaths=yes.
func TestNumbersInVersion2(t *testing.T) {
	fault(t, "sluid", "node02", "numbers")
	fault(t, "adopt", "node02")
	id := job(t, 1, "cells", "-w", "node02")
	groups := do(t, "on", "-u", "alice", "login", "ssh", "node02", "cat", "/proc/self/cgroup")
	if !strings.Contains(groups, "_slurmstepd.scope/job_"+id+"/step_extern/user/") {
		t.Fatalf("the session is not in job %s:\n%s", id, groups)
	}
	d := runs(t, "--transport", "ssh", "--json").json(t)
	if n := d.Nodes[0]; n.State != "reporting" || len(n.GPUs) != 4 || len(d.Jobs[0].Findings) > 0 {
		t.Errorf("%s is %s with %d GPUs: %+v", n.Name, n.State, len(n.GPUs), d.Jobs[0].Findings)
	}
	for _, p := range d.Nodes[0].Processes {
		if p["job_number"] != id || p["step"] != "0" {
			t.Errorf("process %v", p)
		}
	}
}

// If /proc hides the processes of others, no daemon tells the job of a SLUID. The user's own tasks tell it. In a job
// without tasks the session is in an unknown job: no GPU of the other job is called missing, or hidden by a job, and a
// step of it shows them.
func TestUnknownJob(t *testing.T) {
	fault(t, "sluid", "node02")
	fault(t, "adopt", "node02")
	t.Cleanup(func() { do(t, "on", "node02", "mount", "-o", "remount,hidepid=0", "/proc") })
	large := job(t, 1, "large", "-w", "node02", "--gres=gpu:3", "--ntasks-per-node=3")
	runsNow(t, large)
	small := do(t, "on", "-u", "alice", "login", "sh", "-c",
		"salloc --no-shell -w node02 --gres=gpu:1 -J small 2>&1 | sed -n 's/.*Granted job allocation //p'")
	t.Cleanup(func() { cancelJob(t, small) })
	in := "job " + sluidOf(t, small)
	do(t, "fault", "nvml", "node02", "job "+sluidOf(t, large)+" gpu 3 absent;"+in+" gpu 0 absent;"+in+
		" gpu 1 absent;"+in+" gpu 2 absent")
	do(t, "on", "node02", "mount", "-o", "remount,hidepid=2", "/proc")
	groups := do(t, "on", "-u", "alice", "login", "ssh", "node02", "cat", "/proc/self/cgroup")
	if dir := bySLUID.dir(t, small); !strings.Contains(groups, dir) {
		t.Fatalf("the session is not in %s:\n%s", dir, groups)
	}
	d := runs(t, "--transport", "ssh", "--json").json(t)
	if n := d.Nodes[0]; n.State != "reporting" || len(n.GPUs) != 1 {
		t.Errorf("%s is %s with %d GPUs: %+v", n.Name, n.State, len(n.GPUs), n.Failure)
	}
	for _, j := range d.Jobs {
		for _, f := range j.Findings {
			t.Errorf("job %s: %+v", j.ID, f)
		}
	}
	w := watch(t, "--transport", "ssh")
	w.sees("0 of 3 GPUs")
	w.types("!")
	w.never(30*time.Second, "missing", "GPUs hidden", "move the job")
	dog.Watch(t)
	w.never(20*time.Second, "missing", "GPUs hidden", "move the job")
	w.sees("Not all GPUs of this job are listed") // after a minute
	w.quits()
	d = runs(t, "--json").json(t)
	if n := d.Nodes[0]; n.State != "reporting" || n.Transport != "srun" || len(n.GPUs) != 3 {
		t.Errorf("%s is %s with %d GPUs through %q: %+v", n.Name, n.State, len(n.GPUs), n.Transport, n.Failure)
	}
	cancelJob(t, small)
	d = runs(t, "--transport", "ssh", "--json").json(t)
	if len(d.Jobs) != 1 || d.Jobs[0].Seen != 3 || len(d.Jobs[0].Findings) > 0 {
		t.Errorf("in the job with tasks: %+v", d.Jobs)
	}
}

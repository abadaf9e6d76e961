package cluster

import (
	"fmt"
	"strings"
	"testing"
)

// masterOf starts a ControlMaster of alice's to a node.
func masterOf(t *testing.T, node string) {
	t.Helper()
	t.Cleanup(func() {
		// it may have ended
		_, _ = script("on", "-u", "alice", "login", "sh", "-c", "ssh -O exit "+node+"; rm ~/.ssh/config")
	})
	do(t, "on", "-u", "alice", "login", "sh", "-c",
		"printf 'Host node*\n ControlPath /tmp/cm-%%h\n' >~/.ssh/config; ssh -o ControlMaster=yes -fN "+node+
			" </dev/null >/dev/null 2>&1")
}

// TestSSHDisabled: if sshd does not run, each transport over ssh says so, and SLURM is used unasked.
func TestSSHDisabled(t *testing.T) {
	job(t, 1, "cells", "-w", "node02")
	fault(t, "killsshd", "node02")
	for transport, says := range map[string]string{"ssh": "connection refused", "openssh": "connection refused",
		"control": "no ControlPath"} {
		t.Run(transport, func(t *testing.T) {
			n := runs(t, "--transport", transport, "--json").json(t).Nodes[0]
			if n.State == "reporting" || !strings.Contains(n.Failure.Summary, says) {
				t.Errorf("%s is %s through %q: %+v, want %q", n.Name, n.State, n.Transport, n.Failure, says)
			}
		})
	}
	t.Run("srun", func(t *testing.T) {
		if n := runs(t, "--json").json(t).Nodes[0]; n.State != "reporting" || n.Transport != "srun" ||
			len(n.GPUs) != 4 {
			t.Errorf("%s is %s through %q: %+v", n.Name, n.State, n.Transport, n.Failure)
		}
	})
}

// TestAdopted: pam_slurm_adopt puts each session into the job. It ends with the job, which refuses the next one, and is
// let in by a new job.
func TestAdopted(t *testing.T) { inEachLayout(t, []string{"node02"}, adopted) }

func adopted(t *testing.T, l layout) {
	fault(t, "adopt", "node02")
	id := job(t, 1, "cells", "-w", "node02")
	masterOf(t, "node02")
	for _, transport := range []string{"ssh", "openssh", "control", "srun"} {
		t.Run(transport, func(t *testing.T) {
			w := watch(t, "--transport", transport)
			w.sees("4 of 4 GPUs")
			groups := do(t, "on", "node02", "sh", "-c", "cat /proc/$(pgrep -n nvnodetop)/cgroup")
			if !strings.Contains(groups, l.dir(t, id)) {
				t.Errorf("the probe is not in the cgroup of job %s:\n%s", id, groups)
			}
			w.quits()
		})
	}
	t.Run("end of the job", func(t *testing.T) {
		w := watch(t, "--nodes", "node02", "--transport", "ssh")
		w.sees("4 GPUs OK")
		cancelJob(t, id)
		w.sees("no active jobs on this node")
		job(t, 1, "again", "-w", "node02")
		w.types("r")
		w.sees("4 of 4 GPUs")
		w.quits()
	})
	leavesNothing(t, "node02")
}

// TestAdoptedIntoAnotherJob: a session is put into one of two jobs of a node, where the GPUs of the other job are
// hidden. A step of the other job sees them. A user who wants a transport over ssh gets it, with a message.
func TestAdoptedIntoAnotherJob(t *testing.T) {
	inEachLayout(t, []string{"node02"}, adoptedIntoAnotherJob)
}

func adoptedIntoAnotherJob(t *testing.T, l layout) {
	fault(t, "adopt", "node02")
	of := func(gpus string) string {
		id := job(t, 1, "gpus"+gpus, "-w", "node02", "--gres=gpu:"+gpus, "--ntasks-per-node="+gpus)
		runsNow(t, id)
		return id
	}
	small, large := of("1"), of("3")
	session := func() string {
		return do(t, "on", "-u", "alice", "login", "ssh", "node02", "cat", "/proc/self/cgroup")
	}
	if !strings.Contains(session(), l.dir(t, small)) { // this pam_slurm_adopt takes the newest job
		cancelJob(t, small)
		small = of("1")
	}
	if groups := session(); !strings.Contains(groups, l.dir(t, small)) {
		t.Fatalf("the session is not in the smaller job:\n%s", groups)
	}
	var hidden []string
	for id, gpus := range map[string][]int{large: {0}, small: {1, 2, 3}} {
		for _, gpu := range gpus {
			hidden = append(hidden, fmt.Sprintf("job %s gpu %d absent", strings.Trim(l.dir(t, id), "/"), gpu))
		}
	}
	do(t, "fault", "nvml", "node02", strings.Join(hidden, ";"))
	masterOf(t, "node02")
	for _, transport := range []string{"ssh", "openssh", "control"} {
		t.Run(transport, func(t *testing.T) {
			d := runs(t, "--transport", transport, "--json").json(t)
			if n := d.Nodes[0]; n.State != "reporting" || n.Transport != transport || len(n.GPUs) != 1 {
				t.Errorf("%s is %s with %d GPUs: %+v", n.Name, n.State, len(n.GPUs), n.Failure)
			}
			for _, j := range d.Jobs {
				told := false
				for _, f := range j.Findings {
					told = told || f.Kind == "gpu_hidden"
				}
				if told != (j.ID == large) {
					t.Errorf("job %s: gpu_hidden %v in %+v", j.ID, told, j.Findings)
				}
			}
		})
	}
	t.Run("srun", func(t *testing.T) {
		d := runs(t, "--json").json(t)
		if n := d.Nodes[0]; n.State != "reporting" || n.Transport != "srun" || len(n.GPUs) != 3 {
			t.Errorf("%s is %s with %d GPUs through %q: %+v", n.Name, n.State, len(n.GPUs), n.Transport, n.Failure)
		}
	})
	leavesNothing(t, "node02")
}

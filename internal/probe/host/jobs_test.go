package host

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// daemon is the key of the command line of process 43.
const daemon = "daemon"

// tree writes a /proc of process 42 and of ourselves in cgroup, and files of cgroups below the mount point, which
// mounts names %s.
func tree(t *testing.T, cgroup, mounts string, files map[string]string) (proc, mount string) {
	mount = write(t, files)
	return write(t, map[string]string{
		"42/cgroup": cgroup, "self/cgroup": cgroup, "43/cmdline": files[daemon],
		"self/mountinfo": fmt.Sprintf(mounts, mount),
	}), mount
}

const (
	mountV2 = "35 24 0:30 / %s rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	mountV1 = "34 25 0:28 / /nowhere rw - cgroup cgroup rw,cpu\n35 24 0:30 / %s rw,nosuid shared:9 - cgroup cgroup " +
		"rw,memory\n"
	jobV2   = "system.slice/slurmstepd.scope/job_7"
	stepV2  = jobV2 + "/step_0/user/task_0"
	jobV1   = "slurm/uid_1000/job_7"
	sluidV2 = "system.slice/slurmstepd.scope/sEKNKTV3WPV500"
)

func TestJobs(t *testing.T) {
	v2 := map[string]string{
		jobV2 + "/memory.current": "1000\n", jobV2 + "/memory.stat": "anon 5\ninactive_file 300\n",
		jobV2 + "/memory.max":  "9000\n",
		stepV2 + "/memory.max": "max\n",
	}
	v1 := map[string]string{
		jobV1 + "/memory.usage_in_bytes": "1000\n",
		jobV1 + "/memory.stat":           "inactive_file 1\ntotal_inactive_file 300\n",
		jobV1 + "/memory.limit_in_bytes": "9223372036854771712\n",
	}
	with := func(files map[string]string, name, content string) map[string]string {
		more := map[string]string{name: content}
		for k, v := range files {
			if _, has := more[k]; !has {
				more[k] = v
			}
		}
		return more
	}
	one := func(used, limit uint64) []wire.JobMemory {
		return []wire.JobMemory{{Job: "7", Used: used, Limit: limit}}
	}
	sluidOf := func(title string) map[string]string {
		return map[string]string{
			sluidV2 + "/memory.current": "1000\n", sluidV2 + "/memory.stat": "inactive_file 300\n",
			sluidV2 + "/memory.max":                "9000\n",
			sluidV2 + "/step_0/slurm/cgroup.procs": "43\n", daemon: title,
		}
	}
	for name, tc := range map[string]struct {
		cgroup, mounts string
		files          map[string]string
		want           []wire.JobMemory
	}{
		"v2": {"0::/" + stepV2 + "\n", mountV2, v2, one(700, 9000)},
		"v2, with CPU time": {"0::/" + stepV2 + "\n", mountV2,
			with(v2, jobV2+"/cpu.stat", "usage_usec 123456\nuser_usec 1\n"),
			[]wire.JobMemory{{Job: "7", Used: 700, Limit: 9000, CPU: 123456}}},
		"v2, waiting for CPUs": {"0::/" + stepV2 + "\n", mountV2, with(v2, jobV2+"/cpu.pressure",
			"some avg10=61.17 avg60=35.39 avg300=14.01 total=55577094\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"),
			[]wire.JobMemory{{Job: "7", Used: 700, Limit: 9000, Waited: 55577094}}},
		"v2, with odd CPU time": {"0::/" + stepV2 + "\n", mountV2, with(v2, jobV2+"/cpu.stat", "usage_usec -1\n"),
			one(700, 9000)},
		"v2, by SLUID": {"0::/" + sluidV2 + "/step_0/user/task_0\n", mountV2, sluidOf("slurmstepd: [7.0]"),
			one(700, 9000)},
		"v2, an unknown job": {"0::/" + sluidV2 + "/step_0/user/task_0\n", mountV2, sluidOf("slurmstepd"), nil},
		"v2, a SLUID of another": {"0::/" + sluidV2 + "/step_0/user/task_0\n", mountV2, sluidOf("slurmstepd: [77.0]"),
			nil},
		"v2, a step with less": {"0::/" + stepV2 + "\n", mountV2, with(v2, jobV2+"/step_0/memory.max", "5000\n"),
			one(700, 5000)},
		"v2, no limit": {"0::/" + stepV2 + "\n", mountV2, with(v2, jobV2+"/memory.max", "max\n"),
			one(700, 0)},
		"v2, not mounted": {"0::/" + stepV2 + "\n", mountV1, v2, nil},
		"v2, no controller": {"0::/" + stepV2 + "\n", mountV2, map[string]string{jobV2 + "/cgroup.procs": ""},
			nil},
		"v2, mounted below": {"0::/docker/1/" + jobV2 + "\n", "35 24 0:30 /docker/1 %s rw - cgroup2 cgroup2 rw\n",
			v2, one(700, 9000)},
		"v2, of another root": {"0::/../../" + jobV2 + "\n", mountV2, v2, nil},
		"v2, of another job":  {"0::/system.slice/slurmstepd.scope/job_77\n", mountV2, v2, nil},
		"v1":                  {"12:cpu:/\n9:memory:/" + jobV1 + "/step_0/task_0\n0::/\n", mountV1, v1, one(700, 0)},
		"v1, with a limit": {"9:memory:/" + jobV1 + "\n", mountV1,
			with(v1, jobV1+"/memory.limit_in_bytes", "4096"), one(700, 4096)},
		"v1, of another system": {"9:memory:/" + jobV1 + "\n", mountV2, v1, nil},
		"all of it can be freed": {"0::/" + jobV2 + "\n", mountV2,
			with(v2, jobV2+"/memory.stat", "inactive_file 5000\n"), one(0, 9000)},
		"no number":  {"0::/" + jobV2 + "\n", mountV2, with(v2, jobV2+"/memory.current", "many\n"), nil},
		"no process": {"", mountV2, v2, nil},
	} {
		root, _ := tree(t, tc.cgroup, tc.mounts, tc.files)
		for _, process := range []string{"42", "self"} {
			of := proc.NewLaunchJobs(root)
			_ = of.Own()
			j := NewJobs(root, of)
			j.Follow(map[string]string{"7": process})
			if got, err := j.Read(start); err != nil || !cmp.Equal(tc.want, got) {
				t.Errorf("%s, %s: %+v, %v, want %+v", name, process, got, err, tc.want)
			}
		}
	}
}

// A job is read every 10 s for as long as it is followed and has a cgroup, also after its process has ended.
func TestJobsAreFollowed(t *testing.T) {
	root, mount := tree(t, "0::/"+stepV2+"\n", mountV2, map[string]string{jobV2 + "/memory.current": "1000",
		jobV2 + "/memory.stat": ""})
	j := NewJobs(root, proc.NewLaunchJobs(root))
	used := func(after time.Duration) (used uint64) {
		t.Helper()
		list, err := j.Read(start + after)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			used += m.Used
		}
		return used
	}
	if got := used(0); got != 0 {
		t.Errorf("%d, of no job", got)
	}
	j.Follow(map[string]string{"7": "42"})
	if got := used(time.Second); got != 1000 {
		t.Errorf("%d at once, want 1000", got)
	}
	if err := os.RemoveAll(filepath.Join(root, "42")); err != nil {
		t.Fatal(err)
	}
	overwrite(t, filepath.Join(mount, jobV2, "memory.current"), "2000")
	j.Follow(map[string]string{"7": "42"})
	for after, want := range []uint64{2: 1000, 10: 1000, 11: 2000} {
		if want != 0 {
			if got := used(time.Duration(after) * time.Second); got != want {
				t.Errorf("%d after %d s, want %d", got, after, want)
			}
		}
	}
	if err := os.RemoveAll(filepath.Join(mount, jobV2)); err != nil {
		t.Fatal(err)
	}
	if got := used(21 * time.Second); got != 0 {
		t.Errorf("%d after the job has ended", got)
	}
}

// The memory of a job is read if a process of the user belongs to it, and of the probe's own job.
func TestJobsOf(t *testing.T) {
	process := func(pid int, job string, uid *int) wire.Process {
		return wire.Process{PID: pid, Identity: wire.Identity{Job: job, UID: uid}}
	}
	me, other := os.Getuid(), os.Getuid()+1
	list := []wire.Process{process(1, "7", &me), process(2, "8", &other), process(3, "9", nil), process(4, "", &me),
		process(5, "5", &me)}
	if diff := cmp.Diff(map[string]string{"7": "1", "5": "self"}, jobsOf(list, "5")); diff != "" {
		t.Error(diff)
	}
}

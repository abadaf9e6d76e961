package launch

import (
	"strings"
	"testing"
)

func TestSlurmJob(t *testing.T) {
	for _, tc := range []struct{ name, cgroup, want string }{
		{"v2", "0::/system.slice/slurmstepd.scope/job_48211/step_0/user/task_0\n", "48211"},
		{"v2, several slurmd", "0::/system.slice/gpu-n04_slurmstepd.scope/job_9/step_batch/user/task_special\n", "9"},
		{"v2, job alone", "0::/system.slice/slurmstepd.scope/job_5", "5"},
		{"v1", "12:cpuset:/slurm/uid_20001/job_48211/step_0\n11:memory:/slurm/uid_20001/job_48211/step_0/task_0\n1:name=systemd:/system.slice/slurmd.service\n", "48211"},
		{"v1, one controller of many", "4:pids:/user.slice\n3:freezer:/slurm_node01/uid_20001/job_16/step_extern\n0::/\n", "16"},
		{"namespaced", "0::/job_7/step_0\n", "7"},
		{"namespaced, from outside", "0::/../../job_7/step_0\n", "7"},
		{"no job", "0::/user.slice/user-1000.slice/session-3.scope\n", ""},
		{"slurmd itself", "0::/system.slice/slurmd.service\n", ""},
		{"another batch system", "0::/pbs/job_12/x\n", ""},
		{"no number", "0::/slurm/job_/job_1x/job_abc\n", ""},
		{"a name with colons", "0::/slurm/a:b/job_3\n", "3"},
		{"garbage", "job_1\n:\n\n::\n", ""},
		{"empty", "", ""},
	} {
		if got := jobInText(tc.cgroup); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func FuzzSlurmJob(f *testing.F) {
	f.Add("0::/system.slice/slurmstepd.scope/job_48211/step_0/user/task_0\n")
	f.Add("3:freezer:/slurm_node01/uid_20001/job_16/step_extern\n0::/\n")
	f.Add("::job_0/step_0")
	f.Fuzz(func(t *testing.T, cgroup string) {
		id := jobInText(cgroup)
		if id == "" {
			return
		}
		if !isNumber(id) || !strings.Contains(cgroup, "job_"+id) {
			t.Errorf("%q gives %q, which is no job in it", cgroup, id)
		}
	})
}

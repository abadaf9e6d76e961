package proc

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

func TestPlaces(t *testing.T) {
	for _, tc := range []struct{ name, cgroup, want string }{
		{"v2", "0::/system.slice/slurmstepd.scope/job_48211/step_0/user/task_0\n", "48211 0"},
		{"v2, several slurmd", "0::/system.slice/gpu-n04_slurmstepd.scope/job_9/step_batch/user/task_special\n",
			"9 batch"},
		{"v2, job alone", "0::/system.slice/slurmstepd.scope/job_5", "5"},
		{"v2, by SLUID", "0::/system.slice/slurmstepd.scope/sEKNKTV3WPV500/step_extern/user/task_special\n",
			"sEKNKTV3WPV500 extern"},
		{"by SLUID, several slurmd",
			"0::/system.slice/gpu-n04_slurmstepd.scope/s5K1KKYAYG5D00/step_interactive/user/task_0\n",
			"s5K1KKYAYG5D00 interactive"},
		{"by SLUID, job alone", "0::/system.slice/slurmstepd.scope/s5K1KKYAYG5D00", "s5K1KKYAYG5D00"},
		{"by SLUID, namespaced", "0::/s5K1KKYAYG5D00/step_3\n", "s5K1KKYAYG5D00 3"},
		{"by SLUID, beside version 1", "9:name=systemd:/\n6:freezer:/\n0::/x/slurmstepd.scope/s5K1KKYAYG5D00/step_0\n",
			"s5K1KKYAYG5D00 0"},
		{"a component of a heterogeneous step", "0::/system.slice/slurmstepd.scope/job_5/step_0+1/user/task_0", "5 0"},
		{"a step that waits for its number", "0::/system.slice/slurmstepd.scope/job_5/step_TBD/slurm", "5"},
		{"v1", "12:cpuset:/slurm/uid_20001/job_48211/step_0\n11:memory:/slurm/uid_20001/job_48211/step_0/task_0\n1:name=systemd:/system.slice/slurmd.service\n", "48211 0"},
		{"v1, a step in one hierarchy",
			"12:cpuset:/slurm/uid_20001/job_7\n11:memory:/slurm/uid_20001/job_7/step_2/task_0\n", "7 2"},
		{"v1, one controller of many", "4:pids:/user.slice\n3:freezer:/slurm_node01/uid_20001/job_16/step_extern\n0::/\n",
			"16 extern"},
		{"namespaced", "0::/job_7/step_0\n", "7 0"},
		{"namespaced, from outside", "0::/../../job_7/step_0\n", "7 0"},
		{"no job", "0::/user.slice/user-1000.slice/session-3.scope\n", ""},
		{"slurmd itself", "0::/system.slice/slurmd.service\n", ""},
		{"where new steps wait", "0::/system.slice/slurmstepd.scope/system\n", ""},
		{"no SLUID: too short", "0::/system.slice/slurmstepd.scope/s5K1KKYAYG5D0/step_0\n", ""},
		{"no SLUID: I, L, O and U are no digits", "0::/system.slice/slurmstepd.scope/s5K1KKYAYG5DUI/step_0\n", ""},
		{"a SLUID of nobody", "0::/user.slice/s5K1KKYAYG5D00/shell\n", ""},
		{"another batch system", "0::/pbs/job_12/x\n", ""},
		{"no number", "0::/slurm/job_/job_1x/job_abc\n", ""},
		{"a name with colons", "0::/slurm/a:b/job_3\n", "3"},
		{"garbage", "job_1\n:\n\n::\n", ""},
		{"empty", "", ""},
	} {
		mount := fakeproc.Write(t, map[string]string{"1/cgroup": tc.cgroup})
		m := NewLaunchJobs(mount).In(Of(mount, 1).Cgroups())
		if got := strings.TrimSpace(m.Job + m.SLUID + " " + m.Step); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func FuzzPlaces(f *testing.F) {
	f.Add("/system.slice/slurmstepd.scope/job_48211/step_0/user/task_0")
	f.Add("/system.slice/slurmstepd.scope/s5K1KKYAYG5D00/step_0/user/task_0")
	f.Add("/slurm_node01/uid_20001/job_16/step_extern")
	f.Add("job_0/step_0")
	f.Fuzz(func(t *testing.T, group string) {
		p := membershipOf(group)
		if p.dir == "" && p == (cgroupMembership{}) {
			return
		}
		if (p.job == "") == (p.sluid == "") || p.job != "" && !isNumber(p.job) || !strings.HasPrefix(group, p.dir) ||
			!strings.HasSuffix(p.dir, p.job+p.sluid) {
			t.Errorf("%q gives %+v", group, p)
		}
	})
}

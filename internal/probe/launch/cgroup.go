package launch

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/procfs"
)

// OwnJob is the SLURM job id of this process's cgroup; empty if it is in none.
func OwnJob(proc string) string {
	cgroup, err := os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	if err != nil {
		return ""
	}
	return jobInText(string(cgroup))
}

// InGroups finds the SLURM job and the step in the cgroups of a process. With version 1 it may have a step in one hierarchy only.
func InGroups(groups []procfs.Cgroup) (job, step string) {
	for _, g := range groups {
		if job == "" {
			job = jobInPath(g.Path)
		}
		if step = stepInPath(g.Path, job); job != "" && step != "" {
			return job, step
		}
	}
	return job, ""
}

// jobInText finds the SLURM job id in the text of /proc/PID/cgroup; empty when the process is in no job's cgroup. SLURM names them
//
//	/slurm/uid_20001/job_48211/step_0/task_0                                cgroup v1; "slurm_NODE" with several slurmd on a host
//	/system.slice/slurmstepd.scope/job_48211/step_extern/user/task_special  cgroup v2; "NODE_slurmstepd.scope" likewise
//	/job_48211/step_0                                                       either, seen from a cgroup namespace
//
// so a job's component counts when one before it names slurm, or the next one is a step: other batch systems say job_N too.
func jobInText(cgroup string) string {
	for line := range strings.Lines(cgroup) {
		// hierarchy:controllers:path
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		if id := jobInPath(fields[2]); id != "" {
			return id
		}
	}
	return ""
}

func jobInPath(path string) string {
	slurm := false
	parts := strings.Split(path, "/")
	for i, part := range parts {
		id, isJob := strings.CutPrefix(part, "job_")
		isStep := i+1 < len(parts) && strings.HasPrefix(parts[i+1], "step_")
		if isJob && isNumber(id) && (slurm || isStep) {
			return id
		}
		slurm = slurm || strings.Contains(part, "slurm")
	}
	return ""
}

// stepInPath finds the step of the job in a path of a cgroup: "0", "batch", "extern", "interactive"; empty if there is none.
func stepInPath(path, job string) string {
	_, rest, found := strings.Cut(path, "job_"+job+"/step_")
	step, _, _ := strings.Cut(rest, "/")
	if !found || !isNumber(step) && step != "batch" && step != "extern" && step != "interactive" {
		return ""
	}
	return step
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

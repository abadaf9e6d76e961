package proc

import (
	"path"
	"strings"
)

// cgroupMembership says which job a cgroup belongs to, according to its path. SLURM names the cgroups of jobs
//
//	/slurm/uid_20001/job_48211/step_0/task_0                                version 1
//	/system.slice/slurmstepd.scope/job_48211/step_extern/user/task_special  version 2
//	/system.slice/slurmstepd.scope/sEKNKTV3WPV500/step_0/user/task_0        version 2 with SLUIDs, from SLURM 26.05 on
//	/job_48211/step_0                                                       any of them, in a cgroup namespace
//
// With several slurmd on a host the names are "slurm_NODE" and "NODE_slurmstepd.scope". CgroupJobIdPaths=yes turns
// SLUIDs off. The job's component counts only if an earlier one names slurm, or the next one is a step: other batch
// systems use job_N too.
type cgroupMembership struct {
	dir   string // the cgroup of the job; empty: not in a job
	job   string // number of the job; empty if the path does not have it
	sluid string // its SLUID; likewise
	step  string // "0", "batch", "extern", "interactive"; empty if there is none
}

// membershipOf finds the job and the step in the path of a cgroup.
func membershipOf(group string) cgroupMembership {
	slurm := false
	parts := strings.Split(group, "/")
	for i, part := range parts {
		step, isStep := "", false
		if i+1 < len(parts) {
			step, isStep = strings.CutPrefix(parts[i+1], "step_")
		}
		if job, sluid := jobNamed(part); job+sluid != "" && (slurm || isStep) {
			return cgroupMembership{dir: strings.Join(parts[:i+1], "/"), job: job, sluid: sluid, step: stepNamed(step)}
		}
		slurm = slurm || strings.Contains(part, "slurm")
	}
	return cgroupMembership{}
}

// jobNamed returns the number or the SLUID of the job that a directory is named after.
func jobNamed(dir string) (job, sluid string) {
	if id, numbered := strings.CutPrefix(dir, "job_"); numbered && isNumber(id) {
		return id, ""
	}
	if isSLUID(dir) {
		return "", dir
	}
	return "", ""
}

// isSLUID reports whether a name is a SLUID: "s" and 13 characters of Crockford's base 32.
func isSLUID(name string) bool {
	digits, ok := strings.CutPrefix(name, "s")
	return ok && len(digits) == 13 && strings.Trim(digits, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == ""
}

// stepNamed returns the step that a directory is named after. For a component of a heterogeneous step, the name ends
// with "+" and a number.
func stepNamed(step string) string {
	step, _, _ = strings.Cut(step, "+")
	if !isNumber(step) && step != "batch" && step != "extern" && step != "interactive" {
		return ""
	}
	return step
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// dirOfCgroup returns the directory of a cgroup in a file system that shows the cgroups below root at mount. ok is
// false if it does not show this cgroup.
func dirOfCgroup(mount, root, group string) (dir string, ok bool) {
	inside, ok := strings.CutPrefix(group, strings.TrimSuffix(root, "/"))
	if !ok || !strings.HasPrefix(inside, "/") || path.Clean(inside) != inside {
		return "", false
	}
	return mount + inside, true
}

package health

// elsewhereAdopted holds if the probe is in the cgroup of another job, which hides some GPUs. If that cgroup hides all
// GPUs of this job, another rule applies.
func elsewhereAdopted(s ruleSubject) bool { return s.Job.OtherCgroup(s.Node) }

// areGPUsUnowned holds if the job's GPUs on the node are unknown, unless the cgroup of another job is the reason. It
// also holds if an unknown job's cgroup may hide some of them.
func areGPUsUnowned(s ruleSubject) bool {
	return len(s.Node.GPUs) > 0 && !s.Job.Share(s.Node).Known && !s.Job.OtherCgroup(s.Node) || s.Job.MayBeHidden(s.Node)
}

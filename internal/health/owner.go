package health

// elsewhereAdopted holds if the probe is in the cgroup of another job, which hides GPUs. That it hides all of this
// job's is another rule.
func elsewhereAdopted(s subject) bool { return s.Job.OtherCgroup(s.Node) }

// unowned holds if it is not known which GPUs of the node are the job's, unless the cgroup of another job is the
// reason, or if an unknown job's may hide some.
func unowned(s subject) bool {
	return len(s.Node.GPUs) > 0 && !s.Job.Share(s.Node).Known && !s.Job.OtherCgroup(s.Node) || s.Job.MayBeHidden(s.Node)
}

package health

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// elsewhereAdopted holds if the probe is in the cgroup of another job, which hides GPUs. That it hides all of this
// job's is another rule.
func elsewhereAdopted(s subject) bool { return s.Job.OtherCgroup(s.Node) }

// unowned holds if it is not known which GPUs of the node are the job's, unless the cgroup of another job is the
// reason, or if an unknown job's may hide some.
func unowned(s subject) bool {
	return len(s.Node.GPUs) > 0 && !s.Job.Share(s.Node).Known && !s.Job.OtherCgroup(s.Node) || s.Job.MayBeHidden(s.Node)
}

// otherCgroup says in which cgroup the probe is.
func otherCgroup(w *Words, e evidence) {
	w.Long, w.Short = "in the cgroup of another job", "other cgroup"
	w.Sentence = "The ssh session is in the cgroup of another job, which hides GPUs of the node."
	w.Hint = "pam_slurm_adopt picks the newest job"
	if id := e.hello.Job; id != "" && id != e.job.Number {
		w.Long = "in the cgroup of job " + id
		w.Sentence = fmt.Sprintf("The ssh session is in the cgroup of job %s, which hides GPUs of the node.", id)
		w.Hint = fmt.Sprintf("pam_slurm_adopt picked the other job; from this one: srun --jobid=%s --overlap -w %s "+
			"nvidia-smi", e.job.Number, e.node.Name)
	}
}

// ownerUnknown says why it is not known which GPUs are the job's.
func ownerUnknown(w *Words, e evidence) {
	w.Long, w.Short = "which GPUs are this job's is not known", "owner not known"
	if e.job.MayBeHidden(e.node) {
		w.Sentence = "Not all GPUs of this job are listed. The ssh session is in a job whose number is unknown (SLUID " + e.hello.SLUID +
			"), which may hide them."
		w.Hint = fmt.Sprintf("to see this job's GPUs: srun --jobid=%s --overlap -w %s nvidia-smi -L", e.job.Number,
			e.node.Name)
		return
	}
	w.Sentence = "It is not known which GPUs of the node are this job's: "
	count, counted := e.job.GPUsOn(e.node.Name)
	_, named := e.job.Minors[e.node.Name]
	switch {
	case hasMIG(e.node):
		w.Sentence += "MIG is on, and SLURM does not say which instances the job has."
	case named:
		w.Sentence += "SLURM numbers the GPUs differently from the driver."
	case counted:
		w.Sentence += fmt.Sprintf("SLURM allocated %d, and nothing proves which.", count)
	default:
		w.Sentence += "SLURM does not say which."
	}
}

func hasMIG(n *cluster.Node) bool {
	for i := range n.GPUs {
		if partitioned(&n.GPUs[i]) {
			return true
		}
	}
	return false
}

// partitioned reports whether a GPU is in MIG mode, as far as the driver can tell, or an instance of one that is.
func partitioned(g *cluster.GPU) bool {
	return g.Card.MIG || g.Card.MIGUnknown || g.Card.Instance != nil
}

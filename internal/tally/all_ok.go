package tally

import "github.com/nvnodetop/nvnodetop/internal/cluster"

// Proof is the evidence that the GPUs of a job are OK. No known problem is not enough: every GPU must have reported.
type Proof struct {
	Without bool // SLURM allocated no GPU to the job on any node
	Named   bool // it is known of each node which GPUs are the job's
	Mute    int  // GPUs of the job that gave not one number in the last report
}

// Prove looks at the GPUs of a job.
func Prove(s *cluster.Snapshot, job *cluster.JobView) Proof {
	p := Proof{Without: len(job.Nodes) > 0, Named: true}
	for _, name := range job.Nodes {
		n := Node(s, name)
		count, counted := job.GPUsOn(name)
		p.Without = p.Without && counted && count == 0
		p.Named = p.Named && job.Share(n).Known
		for i := range n.GPUs {
			if g := &n.GPUs[i]; g.Values.Empty() && job.Owns(n, g) {
				p.Mute++
			}
		}
	}
	return p
}

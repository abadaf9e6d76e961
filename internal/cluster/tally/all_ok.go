package tally

import "github.com/nvnodetop/nvnodetop/internal/cluster"

// Proof is the evidence that the GPUs of a job are OK. It is not enough that no problem is known: every GPU must have
// reported.
type Proof struct {
	Without bool // SLURM allocated no GPU to the job on any node
	Named   bool // the GPUs of the job are known on each node
	Mute    int  // how many of the job's GPUs had no number at all in the last report
}

// Prove examines the GPUs of a job.
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

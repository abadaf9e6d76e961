package srun

import "strconv"

// gpuRequest is one way to ask SLURM for a job's GPUs again, for a second step.
type gpuRequest int

const (
	// the step inherits the job's own request; this fails if the job asked for a total, and the step is on only some of
	// its nodes
	inherit gpuRequest = iota
	perNode            // --gpus or --gpus-per-node
	byGRES             // --gres=gpu:N
	without            // no GPUs: always possible, but where cgroups hide devices the step sees none
	rungs
)

// srunOptions returns srun's options for a step on that many nodes, where the job has gpus on each.
func (r gpuRequest) srunOptions(nodes, gpus int) []string {
	n := strconv.Itoa(gpus)
	switch {
	case r == perNode && nodes == 1:
		return []string{"--gpus=" + n}
	case r == perNode:
		return []string{"--gpus-per-node=" + n} // --gpus is the total, which older versions often refuse
	case r == byGRES:
		return []string{"--gres=gpu:" + n}
	case r == without:
		return []string{"--gres=none"}
	}
	return nil
}

// ladder records how many of a node's GPUs the steps of a job have seen. The zero ladder begins with inherit.
type ladder struct {
	at      gpuRequest
	settled bool        // at is the best rung
	tried   [rungs]bool // with a result in seen
	seen    [rungs]int  // GPUs seen; refusedStep: SLURM did not start the step
	why     string      // the first refusal
}

const refusedStep = -1

// noteRefusal records that SLURM does not start a step at a rung. It reports whether there is another rung to try; if
// not, the ladder begins anew. gpus is how many GPUs the job has on the node.
func (l *ladder) noteRefusal(r gpuRequest, why string, gpus int) (again bool) {
	if l.why == "" {
		l.why = why
	}
	l.tried[r], l.seen[r] = true, refusedStep
	l.moveToNext(gpus)
	if l.seen[l.at] == refusedStep && l.tried[l.at] {
		*l = ladder{}
		return false
	}
	return true
}

// noteSeen records how many GPUs a probe sees in a step. It reports whether another rung is better or has not been
// tried yet.
func (l *ladder) noteSeen(r gpuRequest, seen, gpus int) (again bool) {
	l.tried[r], l.seen[r] = true, seen
	if seen >= gpus {
		l.at, l.settled = r, true
		return false
	}
	l.moveToNext(gpus)
	return l.at != r
}

// moveToNext goes to the next rung to try, or otherwise to the best one.
func (l *ladder) moveToNext(gpus int) {
	best, found := l.at, l.tried[l.at] && l.seen[l.at] != refusedStep
	for r := range rungs {
		if l.tried[r] && l.seen[r] != refusedStep && (!found || l.seen[r] > l.seen[best]) {
			best, found = r, true
		}
	}
	for r := range rungs {
		switch {
		case l.tried[r], gpus == 0 && (r == perNode || r == byGRES), r == without && found && l.seen[best] > 0:
			continue
		}
		l.at, l.settled = r, false
		return
	}
	l.at, l.settled = best, true
}

// faultMessage returns the message for a probe that sees no GPU although the job has some; empty: the reason is
// unknown.
func (l *ladder) faultMessage() string {
	if l.why == "" {
		return "a second step of the job sees no GPU"
	}
	return "srun gives no GPU to a second step: " + l.why
}

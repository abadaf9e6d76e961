package overview

import "github.com/nvnodetop/nvnodetop/internal/ui/part"

// worst is how bad each node of a job has been since the user last put the worst nodes first.
type worst struct {
	of    string // ID of the job
	ranks map[string]int
	begun int // how often the ranks were reset
}

// begin resets the ranks, for a job.
func (w *worst) begin(job string) { w.of, w.ranks, w.begun = job, nil, w.begun+1 }

// recordRanks records the worst state of each node.
func (w *worst) recordRanks(s *part.Scene) {
	if w.ranks == nil {
		w.ranks = make(map[string]int, len(s.Job.Nodes))
	}
	for _, name := range s.Job.Nodes {
		w.ranks[name] = max(w.ranks[name], s.Health.Rank(name))
	}
}

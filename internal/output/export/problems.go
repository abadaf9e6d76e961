package export

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
)

// writeJobs writes how many jobs there are, once SLURM has answered: running, suspended and waiting jobs, and those
// that ended within the last hour, by how they ended, as far as known.
func (e *exposition) writeJobs(s *cluster.Snapshot) {
	if s.Discovery.Answered.IsZero() || s.Discovery.Command == "" { // nobody has asked SLURM
		return
	}
	count := map[string]int{"running": 0, "suspended": 0, "pending": len(s.Discovery.Pending)}
	for i := range s.Jobs {
		switch j := &s.Jobs[i]; {
		case j.ID == "": // hosts that the user names
		case j.Suspended:
			count["suspended"]++
		default:
			count["running"]++
		}
	}
	for i := range s.Discovery.Ended {
		if state := s.Discovery.Ended[i].State; state != "" {
			count[strings.ToLower(string(state))]++
		}
	}
	f := gaugeFamily("nvnodetop_jobs", "The user's jobs by state; those that ended count for an hour.")
	for _, state := range slices.Sorted(maps.Keys(count)) {
		e.writeSample(&f, string(labels("").addPair("state", state)), "", float64(count[state]))
	}
}

// writeProblems writes a sample for each problem that holds now. A cleared problem has none.
func (e *exposition) writeProblems(s *cluster.Snapshot, names Names) {
	f := gaugeFamily("nvnodetop_problem", "1 for each problem that holds now; docs/health.md has the kinds.")
	written := map[labels]bool{} // two samples with the same labels would make Prometheus refuse everything
	for i := range s.Jobs {
		for k := range s.Jobs[i].Findings {
			p := &s.Jobs[i].Findings[k]
			if !p.Holds() {
				continue
			}
			l := labels("").addPair(hostLabel(names), p.Node).addPair("gpu", gpuOf(s, p)).addPair("job_id",
				p.Job).addPair("kind",
				string(p.Kind)).addPair("severity", p.Severity.String())
			if !written[l] {
				written[l] = true
				e.writeSample(&f, string(l), "", 1)
			}
		}
	}
}

// gpuOf returns the GPU label of a problem, the same as in the GPU's own samples; "": it is not about a single GPU.
func gpuOf(s *cluster.Snapshot, p *cluster.Finding) string {
	if p.Key == "" {
		return ""
	}
	if n := tally.Node(s, p.Node); n != nil {
		if g := n.GPUWith(p.Key); g != nil {
			return tally.NumberText(g)
		}
	}
	if p.GPU != cluster.NoNumber {
		return strconv.Itoa(p.GPU)
	}
	return p.Key
}

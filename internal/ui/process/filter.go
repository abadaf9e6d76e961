package process

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// findingsKey is a key of part.OfSnapshot.
type findingsKey struct{}

// rowFields returns a function that gives the fields of a row. It collects the findings of a job at the job's first
// row.
func rowFields(s *part.Scene) func(*table.ProcessRow) *rows.Process {
	findings := part.OfSnapshot(s, findingsKey{}, func() map[string]map[string][]*cluster.Finding {
		return map[string]map[string][]*cluster.Finding{}
	})
	r := &rows.Process{}
	return func(row *table.ProcessRow) *rows.Process {
		ofJob, gathered := findings[row.Job]
		if !gathered {
			ofJob = findingsOf(s, row.Job)
			findings[row.Job] = ofJob
		}
		r.Set(s.Snap, row.Node, &row.Process)
		r.Job, r.Findings = row.Job, ofJob[row.Node.Name]
		return r
	}
}

// findingsOf returns the present findings of a job, by node.
func findingsOf(s *part.Scene, job string) map[string][]*cluster.Finding {
	if j := s.Snap.JobWith(job); j != nil {
		return part.NewHealth(s.Snap, j).ByNode
	}
	return nil
}

package clean

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// maxPart limits the names of marks, in bytes.
const maxPart = 256

// Mark returns a mark that is safe to display.
func Mark(m cluster.Mark) cluster.Mark {
	m.Job, m.Name, m.By = safe.Line(m.Job, maxPart), safe.Line(m.Name, maxPart), safe.Line(m.By, maxPart)
	if m.Kind != cluster.Begins && m.Kind != cluster.Ends {
		m.Kind = cluster.Moment
	}
	return m
}

package capacity

import (
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/columns"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity/idle"
	"github.com/nvnodetop/nvnodetop/internal/ui/layout"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var allJobsColumns = columns.For(&rows.AllJobs,
	columns.Column{Key: colJob, Priority: 1},
	columns.Column{Key: colUser, Gap: 2, Priority: 1},
	columns.Column{Key: colPartition, Gap: 2, Priority: 4},
	columns.Column{Key: colNodes, Gap: 2, Priority: 3},
	columns.Column{Key: colGPUs, Gap: 2, Priority: 2},
	columns.Column{Key: colTime, Gap: 2, Priority: 2},
	columns.Column{Key: colLeft, Gap: 2, Priority: 5},
	columns.Column{Key: colNode, Gap: 2, Priority: 6},
)

var allJobsGrowth = []layout.Stage{layout.To(14, colJob, colUser, colPartition), layout.To(40, colNode)}

var idleColumns = columns.For(&rows.IdleGPUs,
	columns.Column{Key: colNode, Priority: 1},
	columns.Column{Key: colGPU, Gap: 2, Priority: 1},
	columns.Column{Key: colIdle, Gap: 2, Priority: 1},
	columns.Column{Key: colMemory, Gap: 2, Priority: 4},
	columns.Column{Key: colUser, Gap: 2, Priority: 2},
	columns.Column{Key: colJob, Gap: 2, Priority: 3},
	columns.Column{Key: colModel, Gap: 2, Priority: 5},
)

var idleGrowth = []layout.Stage{layout.To(20, colNode, colUser, colJob), layout.To(24, colModel),
	layout.To(40, colUser, colJob)}

func allJobsLayout(width int) layout.Layout {
	return layout.Fit(width, allJobsColumns, allJobsGrowth, 3)
}

func idleLayout(width int) layout.Layout { return layout.Fit(width, idleColumns, idleGrowth, 3) }

func newJobTable(f *part.Frame) *fieldTable[capacity.Job] {
	return &fieldTable[capacity.Job]{layout.Sheet{Columns: allJobsColumns, Layout: allJobsLayout(f.W)}, &rows.AllJobs,
		nil}
}

// newIdleTable returns the table of GPUs that are allocated but idle.
func newIdleTable(f *part.Frame) *fieldTable[idle.GPU] {
	return &fieldTable[idle.GPU]{layout.Sheet{Columns: idleColumns, Layout: idleLayout(f.W)}, &rows.IdleGPUs, nil}
}

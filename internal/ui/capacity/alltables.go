package capacity

import (
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

var allJobsColumns = rows.ColumnsFor(&rows.AllJobs,
	rows.Column{Key: colJob, Priority: 1},
	rows.Column{Key: colUser, Gap: 2, Priority: 1},
	rows.Column{Key: colPartition, Gap: 2, Priority: 4},
	rows.Column{Key: colNodes, Gap: 2, Priority: 3},
	rows.Column{Key: colGPUs, Gap: 2, Priority: 2},
	rows.Column{Key: colTime, Gap: 2, Priority: 2},
	rows.Column{Key: colLeft, Gap: 2, Priority: 5},
	rows.Column{Key: colNode, Gap: 2, Priority: 6},
)

var allJobsGrowth = []table.GrowthStage{table.GrowTo(14, colJob, colUser, colPartition), table.GrowTo(40, colNode)}

var idleColumns = rows.ColumnsFor(&rows.IdleGPUs,
	rows.Column{Key: colNode, Priority: 1},
	rows.Column{Key: colGPU, Gap: 2, Priority: 1},
	rows.Column{Key: colIdle, Gap: 2, Priority: 1},
	rows.Column{Key: colMemory, Gap: 2, Priority: 4},
	rows.Column{Key: colUser, Gap: 2, Priority: 2},
	rows.Column{Key: colJob, Gap: 2, Priority: 3},
	rows.Column{Key: colModel, Gap: 2, Priority: 5},
)

var idleGrowth = []table.GrowthStage{table.GrowTo(20, colNode, colUser, colJob), table.GrowTo(24, colModel),
	table.GrowTo(40, colUser, colJob)}

func allJobsLayout(width int) table.Layout {
	return table.FitColumns(width, allJobsColumns, allJobsGrowth, 3)
}

func idleLayout(width int) table.Layout { return table.FitColumns(width, idleColumns, idleGrowth, 3) }

func newJobTable(f *part.Frame) *fieldTable[capacity.Job] {
	return &fieldTable[capacity.Job]{table.Sheet{Columns: allJobsColumns, Layout: allJobsLayout(f.W)}, &rows.AllJobs,
		nil}
}

// newIdleTable returns the table of GPUs that are allocated but idle.
func newIdleTable(f *part.Frame) *fieldTable[capacity.IdleGPU] {
	return &fieldTable[capacity.IdleGPU]{table.Sheet{Columns: idleColumns, Layout: idleLayout(f.W)}, &rows.IdleGPUs, nil}
}

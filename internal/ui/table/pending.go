package table

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var pendingColumns = of(&rows.Jobs, []column{
	{key: colJob, least: 10, priority: 1},
	{key: colJobName, gap: 2, least: 12, priority: 2},
	{key: colPartition, gap: 2, priority: 3},
	{key: colNodes, gap: 2, priority: 4},
	{key: colGPUs, gap: 2, priority: 4},
	{key: colReason, gap: 2, least: 10, priority: 5, title: "REASON"},
	{key: colStarts, gap: 2, least: 8, priority: 6, title: "STARTS"},
})

var pendingGrowth = []stage{
	{14, []col{colReason}}, {16, []col{colJob}}, {24, []col{colJobName}}, {15, []col{colPartition}},
	{20, []col{colReason}}, {20, []col{colJob}},
	{40, []col{colJobName}}, {30, []col{colReason}},
}

func pendingLayout(width int) layout { return fit(width, pendingColumns, pendingGrowth, 3) }

// Pending is the table of jobs that wait in the queue.
type Pending struct{ layout layout }

// NewPending returns the table for a terminal of that width.
func NewPending(width int) *Pending { return &Pending{pendingLayout(width)} }

// Head draws the headings in row y.
func (t *Pending) Head(f *part.Frame, y int) { headings(f, y, t.layout, pendingColumns) }

// Row draws one job in row y. The number of an array is cut in the middle, since its end names the tasks.
func (t *Pending) Row(f *part.Frame, y int, j *cluster.PendingJob) {
	l := t.layout
	gpus, starts := "–", "–"
	if j.GPUs != nil {
		gpus = strconv.Itoa(*j.GPUs)
	}
	if j.Start.After(f.Snap.At) {
		starts = "in " + draw.Age(j.Start.Sub(f.Snap.At))
	}
	f.Text(l[colJob], y, draw.ClipMiddle(j.ID, l[colJob].W), draw.Text)
	f.Text(l[colJobName], y, j.Name, draw.Text)
	f.Text(l[colPartition], y, j.Partition, draw.Text)
	f.Number(l[colNodes], y, strconv.Itoa(j.Nodes), draw.Text)
	f.Number(l[colGPUs], y, gpus, draw.Text)
	f.Text(l[colReason], y, j.Reason, draw.Text)
	f.Text(l[colStarts], y, starts, draw.Text)
}

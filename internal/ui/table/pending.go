package table

import (
	"strings"

	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var pendingColumns = rows.ColumnsFor(&rows.Jobs,
	rows.Column{Key: colJob, Least: 10, Priority: 1},
	rows.Column{Key: colJobName, Gap: 2, Least: 12, Priority: 2},
	rows.Column{Key: colPartition, Gap: 2, Priority: 3},
	rows.Column{Key: colNodes, Gap: 2, Priority: 4},
	rows.Column{Key: colGPUs, Gap: 2, Priority: 4},
	rows.Column{Key: colStarts, Gap: 2, Least: 8, Priority: 6, Title: "STARTS"},
	rows.Column{Key: colReason, Gap: 2, Least: 10, Priority: 5, Title: "REASON"},
)

var pendingGrowth = []GrowthStage{
	GrowTo(14, colReason), GrowTo(16, colJob), GrowTo(24, colJobName), GrowTo(15, colPartition),
	GrowTo(20, colReason), GrowTo(20, colJob), GrowTo(40, colJobName), GrowRest(colReason),
}

func pendingLayout(width int) Layout {
	return FitColumns(width, pendingColumns, pendingGrowth, 3)
}

// Pending is the table of jobs that wait in the queue.
type Pending struct{ layout Layout }

// NewPending returns the table for a terminal of that width.
func NewPending(width int) *Pending { return &Pending{pendingLayout(width)} }

// Head draws the headings in row y.
func (t *Pending) Head(f *part.Frame, y int) { DrawHeadings(f, y, t.layout, pendingColumns) }

// Row draws one job in row y. The ID of an array is cut in its middle, since its end names the tasks.
func (t *Pending) Row(f *part.Frame, y int, j *cluster.PendingJob) {
	l := t.layout
	gpus, starts := "–", "–"
	if j.GPUs != nil {
		gpus = strconv.Itoa(*j.GPUs)
	}
	if j.Start.After(f.Snap.At) {
		starts = "in " + draw.Age(j.Start.Sub(f.Snap.At))
	}
	f.Text(l[colJob], y, clipJobID(j.ID, l[colJob].W), draw.Text)
	f.Text(l[colJobName], y, j.Name, draw.Text)
	f.Text(l[colPartition], y, j.Partition, draw.Text)
	f.Number(l[colNodes], y, strconv.Itoa(j.Nodes), draw.Text)
	f.Number(l[colGPUs], y, gpus, draw.Text)
	f.Text(l[colReason], y, j.Reason, draw.Text)
	f.Text(l[colStarts], y, starts, draw.Text)
}

// clipJobID cuts the ID of a job to w columns: that of an array keeps the number of the job and the end of its tasks.
func clipJobID(id string, w int) string {
	number, tasks, is := strings.Cut(id, "_")
	if room := w - draw.Width(number+"_…"); is && draw.Width(id) > w && room > 0 && room < len(tasks) {
		return number + "_…" + tasks[len(tasks)-room:]
	}
	return draw.ClipMiddle(id, w)
}

package table

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

var jobGrowth = []GrowthStage{
	GrowTo(16, colHealth), GrowTo(11, colJob), GrowTo(17, colLowest), GrowTo(20, colHealth),
	GrowTo(14, colJob), GrowTo(16, colJobName), GrowTo(30, colHealth), GrowTo(16, colJob),
	GrowTo(24, colJobName), GrowTo(12, colPartition), GrowTo(20, colJob), GrowRest(colHealth),
}

// Jobs is the table of all jobs.
type Jobs struct{ Sheet }

// NewJobs returns the table for the terminal of a frame.
func NewJobs(f *part.Frame) *Jobs {
	return &Jobs{Sheet{Columns: jobColumns, Layout: jobLayout(f.W, f.Columns.Jobs)}}
}

func jobLayout(width int, list rows.ColumnList) Layout {
	chosen := ChooseColumns(jobColumns, list)
	if width < partitionFrom && list == "" {
		chosen = slices.DeleteFunc(chosen, func(c Column) bool { return c.Key == colPartition })
	}
	return FitColumns(width, chosen, jobGrowth, 3)
}

// partitionFrom is the width below which problems take the room of the partition.
const partitionFrom = 140

// Row draws one job in row y. The ID of an array is cut in its middle, since its end names the tasks.
func (t *Jobs) Row(f *part.Frame, y int, r *tally.JobRow, selected bool) {
	l := t.Layout
	x, ahead := l.Gap(colState, colJob, colJobName, colPartition, colNodes, colGPUs)
	if r.Running == nil {
		l = ahead
	}
	m, role := jobMark(r)
	f.Put(1, y, m.Glyph, m.Role)
	gpus := "–"
	if r.GPUs != nil {
		gpus = strconv.Itoa(*r.GPUs)
	}
	state := role
	if r.Running != nil && r.Running.Suspended {
		state = draw.Warn
	}
	f.Text(l[colState], y, r.State.Code, state)
	f.Text(l[colJob], y, clipJobID(cmp.Or(r.ID, "–"), l[colJob].W), role)
	f.Text(l[colJobName], y, r.Name, role)
	f.Text(l[colPartition], y, r.Partition, role)
	f.Number(l[colNodes], y, strconv.Itoa(r.Nodes), role)
	f.Number(l[colGPUs], y, gpus, role)
	spareCells(f, y, l, jobColumns, &rows.Jobs, (&rows.Job{Snapshot: f.Snap}).Of(r), role)
	switch {
	case r.Running != nil:
		t.writeRunningJob(f, y, r)
	case r.Pending != nil:
		f.Left(x, y, f.W-1-x, waitingText(f, r.Pending), role)
	default:
		f.Left(x, y, f.W-1-x, endedText(f, r), m.Role)
	}
	if selected {
		f.Cursor(y, y+1)
	}
}

// jobMark returns the mark of a job, and the role of its row.
func jobMark(r *tally.JobRow) (m part.Mark, row draw.Role) {
	switch {
	case r.Worst != nil:
		return part.Marks[r.Worst.Severity], draw.Text
	case r.Running != nil:
		return part.Mark{Role: draw.Text}, draw.Text
	case r.Ended != nil && r.Ended.State.Bad():
		return part.Marks[cluster.Warning], draw.Dim
	}
	return part.Marks[cluster.Note], draw.Dim
}

// writeRunningJob writes the numbers of a job with nodes, and its problems.
func (t *Jobs) writeRunningJob(f *part.Frame, y int, r *tally.JobRow) {
	l := t.Layout
	f.Number(l[colMean], y, percentOf(r.Util), draw.Text)
	writeLowest(f, l[colLowest], y, r)
	f.Number(l[colPowerSum], y, part.Power(&r.Totals, l[colPowerSum].W, true).String(), draw.Text)
	left := "no limit"
	switch j := r.Running; {
	case j.Suspended:
		left = "stopped"
	case !j.End.IsZero():
		left = draw.JobTime(j.End.Sub(f.Snap.At))
	}
	f.Number(l[colLeft], y, left, draw.Text)
	if s := l[colHealth]; r.Worst != nil {
		f.Text(s, y, jobTrouble(f, r, s.W), part.Marks[r.Worst.Severity].Role)
	} else if r.Running.Suspended {
		f.Text(s, y, "suspended", draw.Warn)
	}
}

func percentOf(s tally.Sum) string {
	if !s.Known() {
		return ""
	}
	return draw.Whole(s.Value) + "%"
}

// writeLowest writes the lowest utilization, and its GPU if that stands out and there is room for its name.
func writeLowest(f *part.Frame, s part.Span, y int, r *tally.JobRow) {
	if !s.Shown() {
		return
	}
	text, role := percentOf(r.Low), draw.Text
	if text == "" {
		f.Left(s.X, y, s.W, "n/a", draw.Dim)
		return
	}
	if r.LowOn != "" {
		gpu := " GPU" + part.Number(r.Low.GPU)
		if room := s.W - 4 - 1 - len(gpu); room >= 5 {
			text = fmt.Sprintf("%-4s ", text) + draw.ClipMiddle(r.LowOn, room) + gpu
		}
		for i := range r.Running.Findings {
			if x := &r.Running.Findings[i]; x.Holds() && x.Kind.SlowsJob() && x.Of(r.Low.GPU) {
				role = draw.Warn
			}
		}
	}
	f.Left(s.X, y, s.W, text, role)
}

// jobTrouble names the worst problem of a job in w columns, with its place if there is room, and counts the others.
func jobTrouble(f *part.Frame, r *tally.JobRow, w int) string {
	words, more := f.Say(r.Worst), ""
	if r.Problems > 1 {
		more = " +" + strconv.Itoa(r.Problems-1)
	}
	place := r.Worst.Node
	if place != "" {
		place += " "
	}
	for _, text := range []string{
		place + header.WordsOnGPU(r.Worst, words.Long), place + header.WordsOnGPU(r.Worst, words.Short),
		place + header.WordsOnGPU(r.Worst, words.One), header.WordsOnGPU(r.Worst, words.One), words.One,
	} {
		if draw.Width(text+more) <= w {
			return text + more
		}
	}
	return draw.Clip(words.One, w-len(more)) + more
}

// waitingText says when a job may start, and why it waits: "starts in 3h07m Priority".
func waitingText(f *part.Frame, j *cluster.PendingJob) string {
	if j.Booting || !j.Start.After(f.Snap.At) {
		return j.Reason
	}
	return "starts in " + draw.Age(j.Start.Sub(f.Snap.At)) + "  " + j.Reason
}

// Facts returns the facts about a job without nodes, in lines.
func Facts(f *part.Frame, r *tally.JobRow) []string {
	lines := []string{r.State.Word}
	if r.Pending != nil {
		lines[0] += ": " + waitingText(f, r.Pending)
		if at := r.Pending.Start; !at.IsZero() {
			lines = append(lines, "SLURM's estimate of the start: "+at.Format(time.DateTime))
		}
	} else {
		lines[0] = endedText(f, r)
		for _, at := range []struct {
			name string
			time.Time
		}{{"started ", r.Ended.Start}, {"ended ", r.Ended.End}} {
			if !at.IsZero() {
				lines = append(lines, at.name+at.Format(time.DateTime))
			}
		}
	}
	size := part.Plural(r.Nodes, "node", "nodes")
	if r.GPUs != nil {
		size += ", " + part.Plural(*r.GPUs, "GPU", "GPUs")
	}
	if r.Partition != "" {
		size += ", partition " + r.Partition
	}
	return append(lines, size)
}

// endedText says how a job ended, and why if that is known: "failed, exit code 3, 4m ago", "failed 4m ago: rank 3:
// ValueError: bad batch".
func endedText(f *part.Frame, r *tally.JobRow) string {
	j, text := r.Ended, r.State.Word
	over := j.Over()
	if why := tally.WhyEnded(j); why != "" && !over.IsZero() {
		return text + " " + draw.Age(f.Snap.At.Sub(over)) + " ago: " + why
	}
	if over.IsZero() {
		return text
	} else if text += exitCodeText(j) + ", " + draw.Age(f.Snap.At.Sub(over)) + " ago"; j.Asking {
		return text
	}
	if j.State == "" {
		text += ", reason not known"
	}
	return text
}

// exitCodeText is the exit code of a job, unless its state already says it: ", exit code 3", ", SIGKILL".
func exitCodeText(j *cluster.EndedJob) string {
	switch e := j.Exit; {
	case e == nil || j.State != cluster.JobFailed && j.State != cluster.JobCompleted:
		return ""
	case e.Signal > 0 && wire.SignalName(e.Signal) != "":
		return ", SIG" + wire.SignalName(e.Signal)
	case e.Signal > 0:
		return ", signal " + strconv.Itoa(e.Signal)
	}
	return ", exit code " + strconv.Itoa(j.Exit.Code)
}

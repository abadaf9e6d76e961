package part

import (
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// HealthLine is row 1: what is wrong, worst first, and how much streams.
func HealthLine(f *Frame) {
	x := 1
	away := f.Snap.Discovery.Failure
	groups := groups(f.Job.Findings)
	right := reporting(f)
	end := f.W - draw.Width(right) - 1
	if len(groups) > 0 && x+draw.Width(groupText(groups[0]))+4+len("+12 more") > end { // the worst goes before how much streams
		end = f.W - 1
	} else {
		f.Put(f.W-draw.Width(right), 1, right, draw.Dim)
	}
	if len(groups) == 0 && away == nil {
		f.Left(x, 1, end-x, allWell(f), draw.Dim)
		return
	}
	for i, g := range groups {
		if away != nil && g.What.severity < cluster.Critical {
			x = slurmAway(f, x, end-len("  +12 more"), away.Short)
			away = nil
		}
		text := groupText(g)
		more := ""
		if left := len(groups) - i - 1; left > 0 {
			more = "+" + strconv.Itoa(left) + " more"
		}
		if x+len(text)+4+len(more) > end {
			f.Left(x, 1, end-x, "+"+strconv.Itoa(len(groups)-i)+" more", draw.Dim)
			return
		}
		m := Marks[g.What.severity]
		if g.What.severity == cluster.Critical {
			x = f.Put(x, 1, " "+m.Glyph+" "+text+" ", draw.CritFill) + 2
		} else {
			x = f.Put(x, 1, m.Glyph+" "+text, m.Role) + 2
		}
	}
	if away != nil { // nothing comes after it: SLURM's own words may have the room
		slurmAway(f, x, end, away.Summary(), away.Short)
	}
}

// slurmAway says that SLURM does not answer, in the first of the wordings that fits. The jobs on the screen are those of its last answer.
func slurmAway(f *Frame, x, end int, wordings ...string) int {
	const least = 12
	if end-x < least {
		return x
	}
	text := ""
	for _, words := range wordings {
		text = "▲ " + words
		if at := f.Snap.Discovery.Answered; !at.IsZero() {
			text += ", jobs of " + at.Format(time.TimeOnly)
		}
		if draw.Width(text) <= end-x {
			break
		}
	}
	return f.Put(x, 1, draw.Clip(text, end-x), draw.Warn) + 2
}

func allWell(f *Frame) string {
	switch {
	case f.Job.Reporting < len(f.Job.Nodes):
		return ""
	case f.Job.GPUs == 1:
		return "the GPU is well"
	case f.Job.GPUs > 1:
		return "all " + strconv.Itoa(f.Job.GPUs) + " GPUs well"
	}
	return "no GPU of this job is known"
}

func reporting(f *Frame) string {
	j := f.Job
	if f.W < 100 {
		return strconv.Itoa(j.GPUsSeen) + "/" + strconv.Itoa(j.GPUs) + " GPUs "
	}
	return strconv.Itoa(j.GPUsSeen) + " of " + strconv.Itoa(j.GPUs) + " GPUs, " +
		strconv.Itoa(j.Reporting) + " of " + strconv.Itoa(len(j.Nodes)) + " nodes reporting "
}

// group is findings that row 1 counts together.
type group struct {
	label    health.Label
	severity cluster.Severity
}

// groups counts findings that hold by what they are called, in order. Notes are not counted: they are no fault.
func groups(findings []cluster.Finding) []tally.Counted[group] {
	var all []group
	for i := range findings {
		if f := &findings[i]; f.Severity > cluster.Note && f.Holds() {
			all = append(all, group{health.LabelOf(f), f.Severity})
		}
	}
	return tally.Count(all)
}

func groupText(g tally.Counted[group]) string {
	return Plural(g.Count, g.What.label.One, g.What.label.Many)
}

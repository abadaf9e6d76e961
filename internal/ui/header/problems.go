package header

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Problems draws row 1: the problems, errors first, and the number of GPUs and nodes that report.
func Problems(f *part.Frame) { drawProblems(f, nil, false) }

// drawProblems draws row 1. Without a problem it has room for the parts of the progress that are not in row 0. toMouse
// makes the problems targets of the mouse.
func drawProblems(f *part.Frame, progress []string, toMouse bool) {
	const x = 1
	all := gatherItems(f)
	right := reportingText(f, f.W < 100)
	end := f.W - draw.Width(right) - 2
	if x+vitalWide(f.Scene, all) > end {
		right = reportingText(f, true)
		end = f.W - draw.Width(right) - 2
	}
	// the worst problem matters more than the number of reporting GPUs
	if len(all) > 0 && x+all[0].wordingWidth(all[0].fair)+len("  +12") > end {
		end = f.W - 1
	} else {
		f.Put(f.W-draw.Width(right), 1, right, draw.Dim)
	}
	if len(all) == 0 {
		health := healthText(f)
		f.Left(x, 1, end-x, health, draw.Dim)
		drawProgress(f, x+draw.Width(health), 1, end, progress)
		return
	}
	drawItems(f, x, end, all, toMouse)
}

// countUnnamed counts the problems that do not fit, the longest wording first. One wording names the key that shows
// them.
func countUnnamed(s *part.Scene, all []headerProblem) []string {
	n := 0
	for i := range all {
		n += all[i].count
	}
	if n == 0 {
		return []string{""}
	}
	count := "+" + strconv.Itoa(n)
	if s.Printed {
		return []string{count + " more", count}
	}
	return []string{count + " more" + part.MoreKey, count}
}

// firstFitting returns the first of the wordings that fits into w columns; "": none does.
func firstFitting(wordings []string, w int) string {
	for _, text := range wordings {
		if draw.Width(text) <= w {
			return text
		}
	}
	return ""
}

// healthText is row 1 without a problem: "32 GPUs OK" if every GPU has reported that, otherwise the reason for doubt.
func healthText(f *part.Frame) string {
	j := f.Job
	if j.Reporting < len(j.Nodes) {
		return ""
	}
	p := tally.Prove(f.Snap, j)
	cleared, ago := lastCleared(f)
	runs, world, missing := tally.Missing(f.Snap, j)
	switch {
	case p.Without:
		return "this job has no GPUs"
	case j.GPUs == 0:
		return "no GPUs known for this job yet"
	case j.GPUsSeen != j.GPUs:
		return strconv.Itoa(j.GPUsSeen) + " of " + part.Plural(j.GPUs, "GPU reports", "GPUs report")
	case p.Mute > 0:
		return part.Plural(p.Mute, "GPU reports", "GPUs report") + " no metrics"
	case missing:
		return strconv.Itoa(runs) + " of " + strconv.Itoa(world) + " ranks"
	case cleared > 0:
		return part.Plural(cleared, "problem", "problems") + " cleared " + draw.Age(ago) + " ago"
	case !p.Named && j.ID != "":
		return okText(f, part.Plural(j.GPUs, "GPU", "GPUs")) +
			" (all GPUs on these nodes)"
	case j.GPUs == 1:
		return okText(f, "GPU")
	}
	return okText(f, strconv.Itoa(j.GPUs)+" GPUs")
}

// okText says that GPUs are OK. A printout may end before every kind of problem can be found, so it says only that they
// report.
func okText(f *part.Frame, gpus string) string {
	if !f.Printed || len(f.Snap.NotChecked) == 0 {
		return gpus + " OK" + groupsText(f.Job)
	}
	return part.Plural(f.Job.GPUs, "GPU reports", "GPUs report") + groupsText(f.Job)
}

// groupsText describes the two groups of GPUs if they behave in two ways: "   2 groups: 16 GPUs at 90%, 16 at 40%".
func groupsText(j *cluster.JobView) string {
	var each []string
	for i, r := range j.Roles {
		gpus := strconv.Itoa(r.GPUs)
		if i == 0 {
			gpus = part.Plural(r.GPUs, "GPU", "GPUs")
		}
		each = append(each, gpus+" at "+draw.Whole(float64(r.Util))+"%")
	}
	if len(each) == 0 {
		return ""
	}
	return "   " + part.Plural(len(each), "group", "groups") + ": " + strings.Join(each, ", ")
}

// lastCleared counts the warnings and errors that ended a moment ago, and returns the time since the last of them
// ended.
func lastCleared(f *part.Frame) (n int, ago time.Duration) {
	for i := range f.Job.Findings {
		if finding := &f.Job.Findings[i]; !finding.Holds() && finding.Severity >= cluster.Warning {
			if since := f.Snap.At.Sub(finding.Over); n == 0 || since < ago {
				ago = since
			}
			n++
		}
	}
	return n, ago
}

// reportingText says how many GPUs and nodes of the job report. It leaves out the GPUs if none is known, and the nodes
// if there is only one.
func reportingText(f *part.Frame, short bool) string {
	j := f.Job
	gpus := " of " + part.Plural(j.GPUs, "GPU", "GPUs")
	nodes := " of " + part.Plural(len(j.Nodes), "node", "nodes") + " reporting"
	switch {
	case short && j.GPUs > 0:
		return strconv.Itoa(j.GPUsSeen) + "/" + part.Plural(j.GPUs, "GPU", "GPUs") + " "
	case short:
		return strconv.Itoa(j.Reporting) + "/" + part.Plural(len(j.Nodes), "node", "nodes") + " "
	case j.GPUs == 0:
		return strconv.Itoa(j.Reporting) + nodes + " "
	case len(j.Nodes) == 1:
		return strconv.Itoa(j.GPUsSeen) + gpus + " "
	}
	return strconv.Itoa(j.GPUsSeen) + gpus + ", " + strconv.Itoa(j.Reporting) + nodes + " "
}

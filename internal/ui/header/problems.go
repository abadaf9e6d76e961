package header

import (
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/problem"
)

// Problems draws row 1: the problems, worst first, and the number of GPUs and nodes that report.
func Problems(f *part.Frame) {
	x := 1
	away := f.Snap.Discovery.Failure
	groups := groups(f.Job.Findings)
	right := reporting(f)
	end := f.W - draw.Width(right) - 1
	// the worst problem matters more than the number that reports
	if len(groups) > 0 && x+draw.Width(groupTexts(f, groups[0])[0])+groups[0].frame()+len("+12 more (!)") > end {
		end = f.W - 1
	} else {
		f.Put(f.W-draw.Width(right), 1, right, draw.Dim)
	}
	if len(groups) == 0 && away == nil {
		f.Left(x, 1, end-x, verdict(f), draw.Dim)
		return
	}
	for i, g := range groups {
		if away != nil && g.severity < cluster.Critical {
			x = slurmAway(f, x, end-len("  +12 more (!)"), away.Short)
			away = nil
		}
		more := ""
		if left := groups[i+1:]; len(left) > 0 {
			more = unnamed(f.Scene, left)
		}
		texts := groupTexts(f, g)
		if i > 0 { // all but the worst problem may only be counted
			texts = texts[:max(len(texts)-1, 1)]
		}
		text := fitting(texts, end-x-g.frame()-len(more))
		if text == "" && i == 0 { // the worst problem matters more than the number of the others
			text = fitting(texts, end-x-g.frame())
		}
		if text == "" {
			count := "+" + strconv.Itoa(problems(groups[i:]))
			f.Put(x, 1, fitting([]string{unnamed(f.Scene, groups[i:]), count}, end-x), draw.Dim)
			return
		}
		m := part.Marks[g.severity]
		if g.severity == cluster.Critical {
			x = f.Put(x, 1, " "+m.Glyph+" "+text+" ", draw.CritFill) + 2
		} else {
			x = f.Put(x, 1, m.Glyph+" "+text, m.Role) + 2
		}
	}
	if away != nil { // nothing follows, so SLURM's error message may take the room
		slurmAway(f, x, end, away.Summary(), away.Short)
	}
}

// unnamed counts the problems without room, with the key that shows them.
func unnamed(s *part.Scene, groups []group) string {
	text := "+" + strconv.Itoa(problems(groups)) + " more"
	if !s.Printed {
		text += " (!)"
	}
	return text
}

// fitting returns the first of the wordings that fits into w columns; "": none does.
func fitting(wordings []string, w int) string {
	for _, text := range wordings {
		if draw.Width(text) <= w {
			return text
		}
	}
	return ""
}

// slurmAway says that SLURM does not answer, in the first of the wordings that fits. The jobs on the screen are from
// its last answer.
func slurmAway(f *part.Frame, x, end int, wordings ...string) int {
	from := ""
	if at := f.Snap.Discovery.Answered; !at.IsZero() {
		from = ", job list from " + at.Format(time.TimeOnly)
	}
	var texts []string
	for _, words := range wordings {
		texts = append(texts, "▲ "+words+from)
	}
	text := fitting(append(texts, "▲ "+wordings[len(wordings)-1], "▲ SLURM failed"), end-x)
	if text == "" {
		return x
	}
	return f.Put(x, 1, text, draw.Warn) + 2
}

// verdict is row 1 without a problem: "32 GPUs OK" if every GPU has reported so, otherwise the reason for doubt.
func verdict(f *part.Frame) string {
	j := f.Job
	if j.Reporting < len(j.Nodes) {
		return ""
	}
	p := tally.Prove(f.Snap, j)
	cleared, ago := lastCleared(f)
	switch {
	case p.Without:
		return "this job has no GPUs"
	case j.GPUs == 0:
		return "no GPUs known for this job yet"
	case j.GPUsSeen != j.GPUs:
		return strconv.Itoa(j.GPUsSeen) + " of " + part.Plural(j.GPUs, "GPU reports", "GPUs report")
	case p.Mute > 0:
		return part.Plural(p.Mute, "GPU reports", "GPUs report") + " no metrics"
	case cleared > 0:
		return part.Plural(cleared, "problem", "problems") + " cleared " + draw.Age(ago) + " ago"
	case !p.Named && j.ID != "":
		return well(f, part.Plural(j.GPUs, "GPU", "GPUs")) +
			" (all GPUs on these nodes)"
	case j.GPUs == 1:
		return well(f, "GPU")
	}
	return well(f, strconv.Itoa(j.GPUs)+" GPUs")
}

// well says that GPUs are OK. In a printout, which may end before every kind of problem can be found, it says only that
// they report.
func well(f *part.Frame, gpus string) string {
	if !f.Printed || len(f.Snap.NotChecked) == 0 {
		return gpus + " OK"
	}
	return part.Plural(f.Job.GPUs, "GPU reports", "GPUs report")
}

// lastCleared counts the warnings and errors that ended a moment ago, and returns the time since the last one ended.
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

// reporting says how much of the job reports. Without a known GPU, or with one node, it leaves out the half that says
// nothing.
func reporting(f *part.Frame) string {
	j := f.Job
	gpus := " of " + part.Plural(j.GPUs, "GPU", "GPUs")
	nodes := " of " + part.Plural(len(j.Nodes), "node", "nodes") + " reporting"
	switch {
	case f.W < 100 && j.GPUs > 0:
		return strconv.Itoa(j.GPUsSeen) + "/" + part.Plural(j.GPUs, "GPU", "GPUs") + " "
	case f.W < 100:
		return strconv.Itoa(j.Reporting) + "/" + part.Plural(len(j.Nodes), "node", "nodes") + " "
	case j.GPUs == 0:
		return strconv.Itoa(j.Reporting) + nodes + " "
	case len(j.Nodes) == 1:
		return strconv.Itoa(j.GPUsSeen) + gpus + " "
	}
	return strconv.Itoa(j.GPUsSeen) + gpus + ", " + strconv.Itoa(j.Reporting) + nodes + " "
}

// group is the findings of one kind: row 1 names a single one and counts several.
type group struct {
	label    say.Label
	severity cluster.Severity
	count    int
	first    *cluster.Finding
}

// frame returns the number of columns that a group takes around its text: the mark before it, and two blanks after it.
// An error is filled, one blank wider on both sides.
func (g *group) frame() int {
	if g.severity == cluster.Critical {
		return 6
	}
	return 4
}

// problems counts the findings of groups.
func problems(groups []group) (n int) {
	for _, g := range groups {
		n += g.count
	}
	return n
}

// groups gathers the present findings by kind: the worst first, then what slows the whole job, then the others, worst
// first. Notes are not problems and are left out.
func groups(findings []cluster.Finding) []group {
	var all []group
	for i := range findings {
		f := &findings[i]
		if f.Severity <= cluster.Note || !f.Holds() {
			continue
		}
		label := say.LabelOf(f)
		at := slices.IndexFunc(all, func(g group) bool {
			return g.label.Many == label.Many &&
				g.severity == f.Severity
		})
		if at < 0 {
			at = len(all)
			all = append(all, group{label: label, severity: f.Severity, first: f})
		}
		all[at].count++
	}
	// not after the last one that fits
	if at := slices.IndexFunc(all, func(g group) bool { return g.first.Kind.SlowsJob() }); at > 1 {
		slow := all[at]
		all = slices.Insert(slices.Delete(all, at, at+1), 1, slow)
	}
	return all
}

// rowName is the width of a node's name in row 1, and nameFrom the width of the terminal from which there are names.
const (
	rowName  = 13
	nameFrom = 60
)

// groupTexts returns the wordings of a group, the longest first: a single finding is named, several are counted.
func groupTexts(f *part.Frame, g group) []string {
	switch {
	case g.count > 1:
		return []string{strconv.Itoa(g.count) + " " + g.label.Many}
	case f.W < nameFrom || g.first.Node == "":
		return []string{g.label.One}
	}
	name := f.NodeName(g.first.Node, rowName) + " "
	texts := []string{name + problem.OnGPU(g.first, g.label.One), g.label.One}
	if g.first.Kind == cluster.KindLag { // the size of the lag matters as much as the GPU
		texts = append([]string{name + problem.OnGPU(g.first, f.Say(g.first).Short)}, texts...)
	}
	return texts
}

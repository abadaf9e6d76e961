package header

import (
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/problem"
)

// item is a problem in row 1, in several wordings: the longest first.
type item struct {
	severity cluster.Severity
	texts    []string
	fair     int // the wording to have before others are longer
	least    int // the shortest wording beside others
	count    int // number of findings

	vital bool // it matters more than the names of others
}

// shortestWording returns the shortest wording of an item beside others: a name is left out only for a vital item.
func (i *item) shortestWording(vital bool) int {
	if vital {
		return i.least
	}
	return i.fair
}

// wordingWidth returns the columns of an item. An error is filled, one blank wider on both sides.
func (i *item) wordingWidth(wording int) int {
	w := len("x ") + draw.Width(i.texts[wording])
	if i.severity == cluster.Critical {
		w += 2
	}
	return w
}

// drawItem draws an item, and returns the column after it.
func (i *item) drawItem(f *part.Frame, x, wording int) int {
	m := part.Marks[i.severity]
	text := m.Glyph + " " + i.texts[wording]
	if i.severity == cluster.Critical {
		return f.Put(x, 1, " "+text+" ", draw.CritFill)
	}
	return f.Put(x, 1, text, m.Role)
}

// drawItems draws as many items as there is room for from column x up to end, each in the longest wording for which
// there is room, and counts the others.
func drawItems(f *part.Frame, x, end int, all []item) {
	n, free := len(all), 0
	for ; n > 0; n-- {
		counts := countUnnamed(f.Scene, all[n:])
		if free = end - x - leastWide(all[:n], counts[len(counts)-1]); free >= 0 {
			break
		}
	}
	counts := countUnnamed(f.Scene, all[n:])
	if n == 0 { // the worst problem matters more than the number of the others
		for wording := range all[0].texts {
			if all[0].wordingWidth(wording) <= end-x {
				all[0].drawItem(f, x, wording)
				return
			}
		}
		f.Put(x, 1, firstFitting(counts, end-x), draw.Dim)
		return
	}
	wordings := make([]int, n)
	for i := range wordings {
		wordings[i] = all[i].shortestWording(all[n-1].vital)
	}
	free = lengthenItems(all, wordings, free, func(i *item) int { return i.fair })
	count := counts[len(counts)-1]
	free += len(count)
	count = firstFitting(counts, free)
	lengthenItems(all, wordings, free-len(count), func(*item) int { return 0 })
	for i, wording := range wordings {
		x = all[i].drawItem(f, x, wording) + 2
	}
	f.Put(x, 1, count, draw.Dim)
}

// leastWide returns the columns of items in their shortest wordings, and of a count behind them.
func leastWide(items []item, count string) int {
	w := 2*len(items) - 2
	for i := range items {
		w += items[i].wordingWidth(items[i].shortestWording(items[len(items)-1].vital))
	}
	if count != "" {
		w += 2 + len(count)
	}
	return w
}

// vitalWide returns the columns of the longest wordings of the items that row 1 should not lack.
func vitalWide(s *part.Scene, all []item) (w int) {
	n := 0
	for n < len(all) && all[n].vital {
		w += all[n].wordingWidth(0) + 2
		n++
	}
	counts := countUnnamed(s, all[n:])
	return w + len(counts[len(counts)-1])
}

// lengthenItems gives each item the longest wording for which there are free columns, at most the wording to, and
// returns the free columns left.
func lengthenItems(items []item, wordings []int, free int, to func(i *item) int) int {
	for i := range wordings {
		for wording := to(&items[i]); wording < wordings[i]; wording++ {
			if by := items[i].wordingWidth(wording) - items[i].wordingWidth(wordings[i]); by <= free {
				free, wordings[i] = free-by, wording
			}
		}
	}
	return free
}

// gatherItems gathers the present findings by kind: errors first, then findings that slow the whole job, then a silent
// SLURM, then the other warnings. Notes are not problems and are left out.
func gatherItems(f *part.Frame) []item {
	var all []item
	var labels []say.Label
	var firsts []*cluster.Finding
	for i := range f.Job.Findings {
		finding := &f.Job.Findings[i]
		if finding.Severity <= cluster.Note || !finding.Holds() {
			continue
		}
		label, at := say.LabelOf(finding), 0
		for at < len(all) && (labels[at].Many != label.Many || all[at].severity != finding.Severity) {
			at++
		}
		if at == len(all) {
			all, labels = append(all, item{severity: finding.Severity}), append(labels, label)
			firsts = append(firsts, finding)
		}
		all[at].count++
	}
	for i := range all {
		all[i].setWordings(f, firsts[i], labels[i])
		all[i].vital = all[i].severity == cluster.Critical
	}
	if len(all) > 0 && len(all[0].texts) > 1 { // the worst keeps its name
		all[0].least = len(all[0].texts) - 2
	}
	warnings := slices.IndexFunc(all, func(i item) bool { return i.severity < cluster.Critical })
	if warnings < 0 {
		warnings = len(all)
	}
	if at := slices.IndexFunc(firsts, func(f *cluster.Finding) bool { return f.Kind.SlowsJob() }); at >= warnings {
		slow := all[at]
		slow.vital = true
		all = slices.Insert(slices.Delete(all, at, at+1), warnings, slow)
		warnings++
	}
	if f.Snap.Discovery.Failure != nil {
		all = slices.Insert(all, warnings, slurmAway(f, len(all) == 0))
	}
	if note := f.Snap.Discovery.Note; note != "" && !f.Printed { // stderr has it there
		texts := []string{note, "not all clusters asked"}
		all = append(all, item{severity: cluster.Note, texts: texts, fair: 1, least: 1})
	}
	return all
}

// rowName is the width of a node's name in row 1, and nameFrom the width of the terminal from which there are names.
const (
	rowName  = 13
	nameFrom = 60
)

// setWordings sets the wordings: a single finding is named, several are counted. A warning beside others keeps its
// name, an error at least its kind.
func (i *item) setWordings(f *part.Frame, first *cluster.Finding, label say.Label) {
	switch {
	case i.count > 1:
		i.texts = []string{strconv.Itoa(i.count) + " " + label.Many}
		return
	case first.Kind.StopsJob() && first.Node == "": // the rank for which it waits is what matters
		i.texts = slices.Compact([]string{f.Say(first).Long, label.One})
		i.least = len(i.texts) - 1
		return
	case f.W < nameFrom || first.Node == "":
		i.texts = []string{label.One}
		return
	}
	name := f.NodeName(first.Node, rowName) + " "
	if first.Kind == cluster.KindLag { // the size of the lag matters as much as the GPU
		i.texts = append(i.texts, name+problem.OnGPU(first, f.Say(first).Short))
	}
	i.texts = append(i.texts, name+problem.OnGPU(first, label.One))
	i.least = len(i.texts) - 1
	if i.texts = append(i.texts, label.One); i.severity == cluster.Critical {
		i.least++
	}
}

// slurmAway says that SLURM does not answer. The jobs on the screen are from its last answer. Where nothing else is
// wrong, SLURM's whole message may take the room.
func slurmAway(f *part.Frame, alone bool) item {
	from, failure := "", f.Snap.Discovery.Failure
	if at := f.Snap.Discovery.Answered; !at.IsZero() {
		from = ", job list from " + at.Format(time.TimeOnly)
	}
	i := item{severity: cluster.Warning, texts: []string{failure.Short + from, failure.Short, "SLURM failed"}}
	if alone {
		i.texts = slices.Insert(i.texts, 0, failure.Summary()+from)
	}
	i.least = len(i.texts) - 1
	i.fair = i.least - 1
	return i
}

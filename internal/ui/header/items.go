package header

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// headerProblem is a problem in row 1, in several wordings: the longest first.
type headerProblem struct {
	severity cluster.Severity
	texts    []string
	fair     int              // the wording that each item gets before others get longer ones
	least    int              // the shortest wording when there are other items
	count    int              // number of findings
	first    *cluster.Finding // nil: it is about SLURM

	vital bool // it matters more than the names of others
	slows bool // the job waits for it: its reason matters more than the names of others
}

// shortestWording returns the shortest wording of an item beside others: only a vital item may lack its name.
func (i *headerProblem) shortestWording(vital bool) int {
	if vital {
		return i.least
	}
	return i.fair
}

// wordingWidth returns the number of columns of an item. An error is filled, with one blank more on both sides.
func (i *headerProblem) wordingWidth(wording int) int {
	w := len("x ") + draw.Width(i.texts[wording])
	if i.severity == cluster.Critical {
		w += 2
	}
	return w
}

// drawItem draws an item, and returns the column after it.
func (i *headerProblem) drawItem(f *part.Frame, x, wording int, toMouse bool) int {
	m := part.Marks[i.severity]
	text, role := m.Glyph+" "+i.texts[wording], m.Role
	if i.severity == cluster.Critical {
		text, role = " "+text+" ", draw.CritFill
	}
	end := f.Put(x, 1, text, role)
	if toMouse && i.first != nil {
		target := part.Target{Y: 1, X: x, To: end}
		if i.count == 1 {
			target.Problem = i.first
		}
		f.AddTarget(target)
	}
	return end
}

// drawItems draws as many items as fit from column x up to end, each in the longest wording that fits, and counts the
// others. toMouse makes them targets of the mouse.
func drawItems(f *part.Frame, x, end int, all []headerProblem, toMouse bool) {
	keepReason(f.Scene, end-x, all)
	keepWorstReason(f.Scene, end-x, all)
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
				all[0].drawItem(f, x, wording, toMouse)
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
	free = lengthenItems(all, wordings, free, func(i *headerProblem) int { return i.fair })
	count := counts[len(counts)-1]
	free += len(count)
	count = firstFitting(counts, free)
	lengthenItems(all, wordings, free-len(count), func(*headerProblem) int { return 0 })
	for i, wording := range wordings {
		x = all[i].drawItem(f, x, wording, toMouse) + 2
	}
	if to := f.Put(x, 1, count, draw.Dim); toMouse {
		f.AddTarget(part.Target{Y: 1, X: x, To: to})
	}
}

// keepReason gives what slows the job its longest wording, if the other vital items and a count fit beside it.
func keepReason(s *part.Scene, room int, all []headerProblem) {
	n := 0
	for n < len(all) && all[n].vital {
		n++
	}
	if n == 0 || !all[n-1].slows {
		return
	}
	counts := countUnnamed(s, all[n:])
	slow, w := &all[n-1], len(counts[len(counts)-1])
	for i := range all[:n-1] {
		w += all[i].wordingWidth(all[i].fair) + 2
	}
	if w+slow.wordingWidth(0)+2 <= room {
		slow.least, slow.fair = 0, 0
	}
}

// keepWorstReason gives the worst problem as many words of its longest wording as fit beside the other vital items, in
// their shortest wordings, and a count: its reason matters more than the names of others.
func keepWorstReason(s *part.Scene, room int, all []headerProblem) {
	n := 1
	for n < len(all) && all[n].vital {
		n++
	}
	counts := countUnnamed(s, all[n:])
	worst, free := &all[0], room-len("  ")-len(counts[len(counts)-1])
	for i := range all[1:n] {
		free -= all[i+1].wordingWidth(all[i+1].shortestWording(true)) + 2
	}
	marks := worst.wordingWidth(0) - draw.Width(worst.texts[0])
	if text := firstWords(worst.texts[0], free-marks); draw.Width(text) > draw.Width(worst.texts[worst.fair])+len("~") {
		worst.texts[0], worst.least, worst.fair = text, 0, 0
	}
}

// firstWords returns the first words of a text, as many as fit into w columns.
func firstWords(s string, w int) string {
	if draw.Width(s) <= w {
		return s
	}
	at := len(s)
	for at > 0 && draw.Width(s[:at])+1 > w {
		at = strings.LastIndexByte(s[:at], ' ')
	}
	if at <= 0 {
		return ""
	}
	return strings.TrimRight(s[:at], ",:;") + "…"
}

// leastWide returns the width of items in their shortest wordings, with a count after them.
func leastWide(items []headerProblem, count string) int {
	w := 2*len(items) - 2
	for i := range items {
		w += items[i].wordingWidth(items[i].shortestWording(items[len(items)-1].vital))
	}
	if count != "" {
		w += 2 + len(count)
	}
	return w
}

// vitalWide returns the width of the fair wordings of the items that row 1 should always have.
func vitalWide(s *part.Scene, all []headerProblem) (w int) {
	n := 0
	for n < len(all) && all[n].vital {
		w += all[n].wordingWidth(all[n].fair) + 2
		n++
	}
	counts := countUnnamed(s, all[n:])
	return w + len(counts[len(counts)-1])
}

// lengthenItems gives each item the longest wording that fits into the free columns, but none longer than the wording
// to. It returns the columns that stay free.
func lengthenItems(items []headerProblem, wordings []int, free int, to func(i *headerProblem) int) int {
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
func gatherItems(f *part.Frame) []headerProblem {
	var all []headerProblem
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
			all, labels = append(all, headerProblem{severity: finding.Severity}), append(labels, label)
			firsts = append(firsts, finding)
		}
		all[at].count++
	}
	for i := range all {
		all[i].first = firsts[i]
		all[i].setWordings(f, firsts[i], labels[i], i == 0)
		all[i].vital = all[i].severity == cluster.Critical
	}
	warnings := slices.IndexFunc(all, func(i headerProblem) bool { return i.severity < cluster.Critical })
	if warnings < 0 {
		warnings = len(all)
	}
	if at := slices.IndexFunc(firsts, func(f *cluster.Finding) bool { return f.Kind.SlowsJob() }); at >= warnings {
		slow := all[at]
		slow.vital, slow.slows = true, true
		all = slices.Insert(slices.Delete(all, at, at+1), warnings, slow)
		warnings++
	}
	if f.Snap.Discovery.Failure != nil {
		all = slices.Insert(all, warnings, slurmAway(f, len(all) == 0))
	}
	if note := f.Snap.Discovery.Note; note != "" && !f.Printed { // stderr has it there
		texts := []string{note, "not all clusters asked"}
		all = append(all, headerProblem{severity: cluster.Note, texts: texts, fair: 1, least: 1})
	}
	return all
}

// rowName is the width of a node's name in row 1. Terminals of at least nameFrom columns show names.
const (
	rowName  = 13
	nameFrom = 60
)

// setWordings sets the wordings: a single finding has its reason, if there is room, and is named; several are counted.
// Beside others, the worst problem and a warning keep their names, and an error at least its kind.
func (i *headerProblem) setWordings(f *part.Frame, first *cluster.Finding, label say.Label, isWorst bool) {
	if i.count > 1 {
		i.texts = []string{strconv.Itoa(i.count) + " " + label.Many}
		return
	}
	words, name := f.Say(first), ""
	if f.W >= nameFrom && first.Node != "" {
		name = f.NodeName(first.Node, rowName) + " "
	}
	named := func(s string) string {
		if name == "" || s == "" {
			return s
		}
		return name + WordsOnGPU(first, s)
	}
	keepsName, long := name != "", words.Long
	if isOfReach := first.Kind == cluster.KindFailed || first.Kind == cluster.KindStale; isOfReach && long != "" &&
		!strings.Contains(long, label.One) {
		long = label.One + ": " + long
	}
	switch i.texts = []string{named(long), named(label.One), label.One}; {
	case first.Kind.StopsJob() && first.Node == "": // the rank that the job waits for is what matters
		i.orderWordings(0)
		keepsName = isWorst
	case first.Kind == cluster.KindLag && keepsName: // the size of the lag matters as much as the GPU
		i.texts = slices.Insert(i.texts, 1, named(words.Short))
		i.orderWordings(1)
	default:
		i.orderWordings(1)
	}
	i.least = len(i.texts) - 1
	if keepsName && (isWorst || i.severity < cluster.Critical) {
		i.least = max(len(i.texts)-2, 0)
	}
}

// orderWordings leaves out empty wordings, and those that are not shorter than the one before. The one at fair is what
// each item gets before others get longer ones.
func (i *headerProblem) orderWordings(fair int) {
	var kept []string
	for at, text := range i.texts {
		if n := len(kept); text != "" && (n == 0 || draw.Width(text) < draw.Width(kept[n-1])) {
			kept = append(kept, text)
		}
		if at == fair {
			i.fair = max(len(kept)-1, 0)
		}
	}
	i.texts = kept
}

// slurmAway says that SLURM does not answer, so the jobs on the screen come from its last answer. If nothing else is
// wrong, there may be room for SLURM's whole message.
func slurmAway(f *part.Frame, alone bool) headerProblem {
	from, failure := "", f.Snap.Discovery.Failure
	if at := f.Snap.Discovery.Answered; !at.IsZero() {
		from = ", job list from " + at.Format(time.TimeOnly)
	}
	i := headerProblem{severity: cluster.Warning, texts: []string{failure.Short + from, failure.Short, "SLURM failed"}}
	if alone {
		i.texts = slices.Insert(i.texts, 0, failure.Summary()+from)
	}
	i.least = len(i.texts) - 1
	i.fair = i.least - 1
	return i
}

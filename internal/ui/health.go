package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	words "github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// wordsOf and labelOf are where words come from. Tests of how they are laid out have words of their own.
var wordsOf, labelOf = words.Say, words.LabelOf

// health is what is wrong in a job now, by node.
type health struct {
	snapshot *cluster.Snapshot
	byNode   map[string][]*cluster.Finding
}

func newHealth(s *cluster.Snapshot, job *cluster.JobView) health {
	h := health{snapshot: s, byNode: make(map[string][]*cluster.Finding)}
	for i := range job.Findings {
		if f := &job.Findings[i]; f.Holds() {
			h.byNode[f.Node] = append(h.byNode[f.Node], f)
		}
	}
	return h
}

// mark is a severity as the screen shows it: a glyph and the role of the glyph and of what it is about.
type mark struct {
	glyph string
	role  draw.Role
}

var marks = map[cluster.Severity]mark{
	cluster.Critical: {"✗", draw.Crit}, cluster.Warning: {"▲", draw.Warn}, cluster.Waiting: {"◌", draw.Dim}, cluster.Note: {"·", draw.Dim},
}

// nodeMark is the mark of a node; the zero mark when it is well.
func (h health) nodeMark(node string) mark {
	if s := h.rank(node); s > int(cluster.Note) {
		return marks[cluster.Severity(s)]
	}
	return mark{role: draw.Text}
}

// rank orders nodes by how bad they are. A node's state counts although no finding says so.
func (h health) rank(node string) int {
	rank := int(cluster.Note)
	if n := h.snapshot.Nodes[node]; n != nil {
		switch n.State {
		case cluster.NodeFailed:
			rank = int(cluster.Critical)
		case cluster.NodeStale:
			rank = int(cluster.Warning)
		case cluster.NodeConnecting:
			rank = int(cluster.Waiting)
		}
	}
	for _, f := range h.byNode[node] {
		rank = max(rank, int(f.Severity))
	}
	return rank
}

// ofGPU is what is wrong with one GPU, worst first.
func (h health) ofGPU(node string, number int) []*cluster.Finding {
	var found []*cluster.Finding
	for _, f := range h.byNode[node] {
		if f.GPU == number {
			found = append(found, f)
		}
	}
	return found
}

// worstOf is the worst thing of a node, nil when there is none.
func (h health) worstOf(node string) *cluster.Finding {
	if all := h.byNode[node]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// listed are the findings of a node, of all nodes when it is "", those that were true until a moment ago among them.
func (f *frame) listed(node string) []*cluster.Finding {
	var list []*cluster.Finding
	for i := range f.job.Findings {
		if finding := &f.job.Findings[i]; node == "" || finding.Node == node {
			list = append(list, finding)
		}
	}
	return list
}

// markOf is how a finding is shown: quietly when it holds no more.
func markOf(finding *cluster.Finding) mark {
	m := marks[finding.Severity]
	if !finding.Holds() {
		m.role = draw.Dim
	}
	return m
}

// since is the age of a finding: "", " 4m" behind sep.
func since(f *cluster.Finding, now time.Time, sep string) string {
	if f.Since.IsZero() {
		return ""
	}
	return sep + draw.Age(now.Sub(f.Since))
}

// age is since's like for what a node is in a word: its silence has lasted since its last report, longer than it counts as one.
func (f *frame) age(finding *cluster.Finding, sep string) string {
	if n := f.nodeOf(finding.Node); finding.Kind == cluster.KindStale && !n.Arrived.IsZero() {
		return sep + draw.Age(n.Age)
	}
	return since(finding, f.snap.At, sep)
}

// healthLine is row 1: what is wrong, worst first, and how much streams.
func (f *frame) healthLine() {
	x := 1
	away := f.snap.Discovery.Failure
	groups := group(f.job.Findings)
	right := f.streaming()
	end := f.w - draw.Width(right) - 1
	if len(groups) > 0 && x+draw.Width(groups[0].text())+4+len("+12 more") > end { // the worst goes before how much streams
		end = f.w - 1
	} else {
		f.Put(f.w-draw.Width(right), 1, right, draw.Dim)
	}
	if len(groups) == 0 && away == nil {
		f.Left(x, 1, end-x, f.allWell(), draw.Dim)
		return
	}
	for i, g := range groups {
		if away != nil && g.severity < cluster.Critical {
			x = f.away(x, end-len("  +12 more"), away.Short)
			away = nil
		}
		text := g.text()
		more := ""
		if left := len(groups) - i - 1; left > 0 {
			more = "+" + strconv.Itoa(left) + " more"
		}
		if x+len(text)+4+len(more) > end {
			f.Left(x, 1, end-x, "+"+strconv.Itoa(len(groups)-i)+" more", draw.Dim)
			return
		}
		m := marks[g.severity]
		if g.severity == cluster.Critical {
			x = f.Put(x, 1, " "+m.glyph+" "+text+" ", draw.CritFill) + 2
		} else {
			x = f.Put(x, 1, m.glyph+" "+text, m.role) + 2
		}
	}
	if away != nil { // nothing comes after it: SLURM's own words may have the room
		f.away(x, end, away.Summary(), away.Short)
	}
}

// away says that SLURM does not answer, in the first of the wordings that fits. The jobs on the screen are those of its last answer.
func (f *frame) away(x, end int, wordings ...string) int {
	const least = 12
	if end-x < least {
		return x
	}
	text := ""
	for _, words := range wordings {
		text = "▲ " + words
		if at := f.snap.Discovery.Answered; !at.IsZero() {
			text += ", jobs of " + at.Format(time.TimeOnly)
		}
		if draw.Width(text) <= end-x {
			break
		}
	}
	return f.Put(x, 1, draw.Clip(text, end-x), draw.Warn) + 2
}

func (f *frame) allWell() string {
	switch {
	case f.job.Streaming < len(f.job.Nodes):
		return ""
	case f.job.GPUs == 1:
		return "the GPU is well"
	case f.job.GPUs > 1:
		return "all " + strconv.Itoa(f.job.GPUs) + " GPUs well"
	}
	return "no GPU of this job is known"
}

func (f *frame) streaming() string {
	j := f.job
	if f.w < 100 {
		return strconv.Itoa(j.GPUsSeen) + "/" + strconv.Itoa(j.GPUs) + " GPUs "
	}
	return strconv.Itoa(j.GPUsSeen) + " of " + strconv.Itoa(j.GPUs) + " GPUs, " +
		strconv.Itoa(j.Streaming) + " of " + strconv.Itoa(len(j.Nodes)) + " nodes streaming "
}

// findingGroup counts findings that row 1 shows together.
type findingGroup struct {
	names    [2]string
	severity cluster.Severity
	count    int
}

func (g findingGroup) text() string {
	name := g.names[0]
	if g.count > 1 {
		name = g.names[1]
	}
	return strconv.Itoa(g.count) + " " + name
}

// group counts findings that hold by their group, in order. Notes are not counted: they are no fault.
func group(findings []cluster.Finding) []findingGroup {
	var groups []findingGroup
	for i := range findings {
		f := &findings[i]
		if f.Severity == cluster.Note || !f.Holds() {
			continue
		}
		names := labelOf(f).Group
		at := slices.IndexFunc(groups, func(g findingGroup) bool { return g.names == names && g.severity == f.Severity })
		if at < 0 {
			at = len(groups)
			groups = append(groups, findingGroup{names: names, severity: f.Severity})
		}
		groups[at].count++
	}
	return groups
}

// sentenceWide is the width from which a hint stands behind its sentence when both fit.
const sentenceWide = 180

// sentences writes findings from row y up to row end, each whole, else in one short line, and returns the row below the last.
func (f *frame) sentences(y, end int, findings []*cluster.Finding) int {
	for i, finding := range findings {
		words := wordsOf(f.snap, finding)
		more := 0 // rows for "+3 more"
		if i < len(findings)-1 {
			more = 1
		}
		lines := f.sentenceLines(words)
		if y+lines[len(lines)-1].row+1+more > end {
			room := max(f.w-1-sentenceText, 10)
			short := shortOf(words, room)
			if finding.GPU >= 0 {
				short = strings.TrimPrefix(short, "GPU"+strconv.Itoa(finding.GPU)+" ")
			}
			lines = []line{{0, sentenceText, short, draw.Text}}
		}
		height := lines[len(lines)-1].row + 1
		if y+height+more > end {
			if y < end {
				f.Left(3, y, f.w-4, left(findings[i:]), draw.Dim)
				y++
			}
			return y
		}
		f.sentence(y, finding, lines)
		y += height
	}
	return y
}

// shortOf is the short wording of a finding. Those of failures may be as long as the long ones: what does not fit into w columns leaves
// out its details.
func shortOf(said words.Words, w int) string {
	if said.Brief == "" || draw.Width(said.Short) <= w {
		return said.Short
	}
	return said.Brief
}

// sentence writes one finding: glyph, age, where, and its words.
func (f *frame) sentence(y int, finding *cluster.Finding, lines []line) {
	m := markOf(finding)
	f.Put(1, y, m.glyph, m.role)
	f.Right(3, y, 5, since(finding, f.snap.At, ""), draw.Dim)
	gpu, role := "", draw.Text
	if finding.GPU >= 0 {
		gpu = " GPU" + strconv.Itoa(finding.GPU)
	}
	if finding.Severity >= cluster.Warning {
		role = m.role
	}
	f.Left(10, y, min(whereWide, f.w-11), f.nodeName(finding.Node, whereWide-len(gpu))+gpu, role)
	for _, l := range lines {
		if !finding.Holds() {
			l.role = draw.Dim
		}
		f.Left(l.x, y+l.row, f.w-1-l.x, l.text, l.role)
	}
}

// whereWide is the room for what a sentence is about.
const whereWide = 13

// sentenceText is the column where the words of a sentence begin.
const sentenceText = 24

// line is one line of a sentence.
type line struct {
	row, x int
	text   string
	role   draw.Role
}

// sentenceLines breaks a finding's sentence and hint into lines; there is at least one. The hint stands below, or behind where both fit.
func (f *frame) sentenceLines(finding words.Words) []line {
	room := max(f.w-1-sentenceText, 10)
	var lines []line
	for i, s := range draw.Wrap(finding.Sentence, room, "") {
		lines = append(lines, line{i, sentenceText, s, draw.Text})
	}
	if finding.Hint == "" {
		return lines
	}
	hint := "→ " + finding.Hint
	if behind := sentenceText + draw.Width(finding.Sentence) + 2; len(lines) == 1 && f.w >= sentenceWide && behind+draw.Width(hint) <= f.w-1 {
		return append(lines, line{0, behind, hint, draw.Dim})
	}
	for _, s := range draw.Wrap(hint, room, "  ") {
		lines = append(lines, line{len(lines), sentenceText, s, draw.Dim})
	}
	return lines
}

// left says how many findings there was no room for.
func left(findings []*cluster.Finding) string {
	const over cluster.Severity = -1
	counts := map[cluster.Severity]int{}
	for _, f := range findings {
		if f.Holds() {
			counts[f.Severity]++
		} else {
			counts[over]++
		}
	}
	s := "+" + strconv.Itoa(len(findings)) + " more"
	sep := ": "
	for _, c := range []struct {
		severity  cluster.Severity
		one, many string
	}{{cluster.Critical, "error", "errors"}, {cluster.Warning, "warning", "warnings"}, {cluster.Waiting, "on its way", "on their way"}, {cluster.Note, "note", "notes"}, {over, "over", "over"}} {
		if n := counts[c.severity]; n > 0 {
			name := c.one
			if n > 1 {
				name = c.many
			}
			s += sep + strconv.Itoa(n) + " " + name
			sep = ", "
		}
	}
	return s
}

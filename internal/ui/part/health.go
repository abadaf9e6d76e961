package part

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// Health is what is wrong in a job. ByNode has what is wrong now.
type Health struct {
	snapshot *cluster.Snapshot
	findings []cluster.Finding
	ByNode   map[string][]*cluster.Finding
}

// NewHealth sorts the findings of a job.
func NewHealth(s *cluster.Snapshot, job *cluster.JobView) Health {
	h := Health{snapshot: s, findings: job.Findings, ByNode: make(map[string][]*cluster.Finding)}
	for i := range job.Findings {
		if f := &job.Findings[i]; f.Holds() {
			h.ByNode[f.Node] = append(h.ByNode[f.Node], f)
		}
	}
	return h
}

// Mark is a severity as the screen shows it: a glyph and the role of the glyph and of what it is about.
type Mark struct {
	Glyph string
	Role  draw.Role
}

// Marks are the marks of the severities.
var Marks = map[cluster.Severity]Mark{
	cluster.Critical: {"✗", draw.Crit}, cluster.Warning: {"▲", draw.Warn}, cluster.Waiting: {"◌", draw.Dim}, cluster.Note: {"·", draw.Dim},
}

// NodeMark is the mark of a node; the zero mark when it is well.
func (h Health) NodeMark(node string) Mark {
	if s := h.Rank(node); s > int(cluster.Note) {
		return Marks[cluster.Severity(s)]
	}
	return Mark{Role: draw.Text}
}

// Rank orders nodes by how bad they are. A node's state counts although no finding says so.
func (h Health) Rank(node string) int {
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
	for _, f := range h.ByNode[node] {
		rank = max(rank, int(f.Severity))
	}
	return rank
}

// OfGPU is what is wrong with one GPU, worst first.
func (h Health) OfGPU(node string, number int) []*cluster.Finding {
	var found []*cluster.Finding
	for _, f := range h.ByNode[node] {
		if f.GPU == number {
			found = append(found, f)
		}
	}
	return found
}

// WorstOf is the worst thing of a node, nil when there is none.
func (h Health) WorstOf(node string) *cluster.Finding {
	if all := h.ByNode[node]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// Listed are the findings of a node, of all nodes when it is "", those that were true until a moment ago among them.
func (h Health) Listed(node string) []*cluster.Finding {
	var list []*cluster.Finding
	for i := range h.findings {
		if f := &h.findings[i]; node == "" || f.Node == node {
			list = append(list, f)
		}
	}
	return list
}

// MarkOf is how a finding is shown: quietly when it holds no more.
func MarkOf(f *cluster.Finding) Mark {
	m := Marks[f.Severity]
	if !f.Holds() {
		m.Role = draw.Dim
	}
	return m
}

// Since is the age of a finding: "", " 4m" behind sep.
func Since(f *cluster.Finding, now time.Time, sep string) string {
	if f.Since.IsZero() {
		return ""
	}
	return sep + draw.Age(now.Sub(f.Since))
}

// FindingAge is like Since, except that a stale node's age counts from its last report, not from when it was declared stale.
func FindingAge(f *Frame, finding *cluster.Finding, sep string) string {
	if n := f.NodeOf(finding.Node); finding.Kind == cluster.KindStale && !n.Arrived.IsZero() {
		return sep + draw.Age(n.Age)
	}
	return Since(finding, f.Snap.At, sep)
}

// HealthLine is row 1: what is wrong, worst first, and how much streams.
func HealthLine(f *Frame) {
	x := 1
	away := f.Snap.Discovery.Failure
	groups := tally.Groups(f.Job.Findings, func(finding *cluster.Finding) [2]string { return f.Label(finding).Group })
	right := streaming(f)
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
		if away != nil && g.Severity < cluster.Critical {
			x = slurmAway(f, x, end-len("  +12 more"), summary(away.Summary))
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
		m := Marks[g.Severity]
		if g.Severity == cluster.Critical {
			x = f.Put(x, 1, " "+m.Glyph+" "+text+" ", draw.CritFill) + 2
		} else {
			x = f.Put(x, 1, m.Glyph+" "+text, m.Role) + 2
		}
	}
	if away != nil { // nothing comes after it: SLURM's own words may have the room
		slurmAway(f, x, end, away.Summary, summary(away.Summary))
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
	case f.Job.Streaming < len(f.Job.Nodes):
		return ""
	case f.Job.GPUs == 1:
		return "the GPU is well"
	case f.Job.GPUs > 1:
		return "all " + strconv.Itoa(f.Job.GPUs) + " GPUs well"
	}
	return "no GPU of this job is known"
}

func streaming(f *Frame) string {
	j := f.Job
	if f.W < 100 {
		return strconv.Itoa(j.GPUsSeen) + "/" + strconv.Itoa(j.GPUs) + " GPUs "
	}
	return strconv.Itoa(j.GPUsSeen) + " of " + strconv.Itoa(j.GPUs) + " GPUs, " +
		strconv.Itoa(j.Streaming) + " of " + strconv.Itoa(len(j.Nodes)) + " nodes streaming "
}

func groupText(g tally.Group) string { return Plural(g.Count, g.Names[0], g.Names[1]) }

// sentenceWide is the width from which a hint stands behind its sentence when both fit.
const sentenceWide = 180

// Sentences writes findings from row y up to row end, each whole, else in one short line, and returns the row below the last.
func Sentences(f *Frame, y, end int, findings []*cluster.Finding) int {
	for i, finding := range findings {
		words := f.Say(finding)
		more := 0 // rows for "+3 more"
		if i < len(findings)-1 {
			more = 1
		}
		lines := sentenceLines(f, words)
		if y+lines[len(lines)-1].row+1+more > end {
			room := max(f.W-1-sentenceText, 10)
			lines = []line{{0, sentenceText, shortened(finding, words.Short, room), draw.Text}}
		}
		height := lines[len(lines)-1].row + 1
		if y+height+more > end {
			if y < end {
				f.Left(3, y, f.W-4, left(findings[i:]), draw.Dim)
				y++
			}
			return y
		}
		sentence(f, y, finding, lines)
		y += height
	}
	return y
}

// ShortOf is the short wording of a finding with the GPU that it is about, in w columns where that can be.
func ShortOf(finding *cluster.Finding, words health.Words, w int) string {
	return OnGPU(finding, shortened(finding, words.Short, w))
}

// OnGPU is what is said of a finding, behind the GPU that it is about: "GPU5 heat 87°C".
func OnGPU(finding *cluster.Finding, s string) string {
	if finding.GPU < 0 {
		return s
	}
	return "GPU" + strconv.Itoa(finding.GPU) + " " + s
}

// shortened is s, the short wording of a finding. Those of failures may be as long as the long ones: what does not fit into w columns
// ends before its details.
func shortened(finding *cluster.Finding, s string, w int) string {
	if finding.Kind != cluster.KindFailed && finding.Kind != cluster.KindStale || draw.Width(s) <= w {
		return s
	}
	return summary(s)
}

// summary is a failure's summary without its details.
func summary(s string) string {
	if at := strings.Index(s, " ("); at > 0 {
		s = s[:at]
	}
	head, _, _ := strings.Cut(s, ": ")
	return head
}

// sentence writes one finding: glyph, age, where, and its words.
func sentence(f *Frame, y int, finding *cluster.Finding, lines []line) {
	m := MarkOf(finding)
	f.Put(1, y, m.Glyph, m.Role)
	f.Right(3, y, 5, Since(finding, f.Snap.At, ""), draw.Dim)
	gpu, role := "", draw.Text
	if finding.GPU >= 0 {
		gpu = " GPU" + strconv.Itoa(finding.GPU)
	}
	if finding.Severity >= cluster.Warning {
		role = m.Role
	}
	f.Left(10, y, min(whereWide, f.W-11), f.NodeName(finding.Node, whereWide-len(gpu))+gpu, role)
	for _, l := range lines {
		if !finding.Holds() {
			l.role = draw.Dim
		}
		f.Left(l.x, y+l.row, f.W-1-l.x, l.text, l.role)
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
func sentenceLines(f *Frame, finding health.Words) []line {
	room := max(f.W-1-sentenceText, 10)
	var lines []line
	for i, s := range draw.Wrap(finding.Sentence, room, "") {
		lines = append(lines, line{i, sentenceText, s, draw.Text})
	}
	if finding.Hint == "" {
		return lines
	}
	hint := "→ " + finding.Hint
	if behind := sentenceText + draw.Width(finding.Sentence) + 2; len(lines) == 1 && f.W >= sentenceWide && behind+draw.Width(hint) <= f.W-1 {
		return append(lines, line{0, behind, hint, draw.Dim})
	}
	for _, s := range draw.Wrap(hint, room, "  ") {
		lines = append(lines, line{len(lines), sentenceText, s, draw.Dim})
	}
	return lines
}

// left says how many findings there was no room for.
func left(findings []*cluster.Finding) string {
	counts := tally.BySeverity(findings)
	s := "+" + strconv.Itoa(len(findings)) + " more"
	sep := ": "
	for _, c := range []struct {
		severity  cluster.Severity
		one, many string
	}{{cluster.Critical, "error", "errors"}, {cluster.Warning, "warning", "warnings"}, {cluster.Waiting, "on its way", "on their way"}, {cluster.Note, "note", "notes"}, {tally.Over, "over", "over"}} {
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

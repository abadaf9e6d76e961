package part

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// sentenceWide is the width from which a hint stands behind its sentence when both fit.
const sentenceWide = 180

// Sentences writes findings from row y up to row end, each whole, else in one short line, and returns the row below the last.
func Sentences(f *Frame, y, end int, findings []cluster.Finding) int {
	for i := range findings {
		finding := &findings[i]
		words := f.Say(finding)
		more := 0 // rows for "+3 more"
		if i < len(findings)-1 {
			more = 1
		}
		lines := sentenceLines(f, words)
		if y+lines[len(lines)-1].row+1+more > end {
			room := max(f.W-1-sentenceText, 10)
			lines = []line{{0, sentenceText, shortened(words, room), draw.Text}}
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

// SentenceRows is how many rows Sentence takes.
func SentenceRows(f *Frame, finding *cluster.Finding) int {
	lines := sentenceLines(f, f.Say(finding))
	return lines[len(lines)-1].row + 1
}

// Sentence writes a finding whole from row y on, as far as there are rows, and returns the row below.
func Sentence(f *Frame, y int, finding *cluster.Finding) int {
	lines := sentenceLines(f, f.Say(finding))
	below := y + lines[len(lines)-1].row + 1
	for len(lines) > 0 && y+lines[len(lines)-1].row >= f.H-1 {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > 0 {
		sentence(f, y, finding, lines)
	}
	return below
}

// ShortOf is the short wording of a finding with the GPU that it is about, in w columns where that can be.
func ShortOf(finding *cluster.Finding, words health.Words, w int) string {
	return OnGPU(finding, shortened(words, w))
}

// OnGPU is what is said of a finding, behind the GPU that it is about: "GPU5 heat 87°C".
func OnGPU(finding *cluster.Finding, s string) string {
	if finding.GPU < 0 {
		return s
	}
	return "GPU" + strconv.Itoa(finding.GPU) + " " + s
}

// shortened is the short wording of a finding. Those of failures may be as long as the long ones: in less than their width they leave
// out the details.
func shortened(words health.Words, w int) string {
	if words.Brief == "" || draw.Width(words.Short) <= w {
		return words.Short
	}
	return words.Brief
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

var leftNames = []struct {
	severity  cluster.Severity
	one, many string
}{
	{cluster.Critical, "error", "errors"}, {cluster.Warning, "warning", "warnings"}, {cluster.Waiting, "on its way", "on their way"},
	{cluster.Note, "note", "notes"}, {Over, "over", "over"},
}

// left says how many findings there was no room for.
func left(findings []cluster.Finding) string {
	counts := BySeverity(findings)
	s := "+" + strconv.Itoa(len(findings)) + " more"
	sep := ": "
	for _, c := range leftNames {
		if n := counts[c.severity]; n > 0 {
			s += sep + Plural(n, c.one, c.many)
			sep = ", "
		}
	}
	return s + "  (!)" // the key of the page that has them all
}

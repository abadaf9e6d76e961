package header

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// sentenceWide is the width from which a hint stands after its sentence if both fit; sentenceBeside is the width from
// which a sentence stands beside its place.
const (
	sentenceWide   = 180
	sentenceBeside = 60
)

// DrawSentences writes findings from row y up to row end, and returns the row below the last. If there is not room for
// all of them, their facts come before their hints. GPUs of a node with the same problem share a sentence.
func DrawSentences(f *part.Frame, y, end int, findings []cluster.Finding) int {
	return drawFindings(f, y, end, whereWide(f), findings)
}

// DrawSentencesHere is Sentences for a page about the GPU of the findings: it does not repeat the place.
func DrawSentencesHere(f *part.Frame, y, end int, findings []cluster.Finding) int {
	return drawFindings(f, y, end, 0, findings)
}

// drawFindings writes findings, with where columns for their place, from row y up to row end, and returns the row
// below.
func drawFindings(f *part.Frame, y, end, where int, findings []cluster.Finding) int {
	groups := GroupAlike(findings)
	all := make([]sayable, len(groups))
	for i := range groups {
		finding, words := groups[i].Say(f)
		all[i] = newSayable(f, where, finding, words)
	}
	chooseDetails(all, end-y)
	for i := range all {
		s := &all[i]
		if s.shown == hidden {
			if y < end {
				f.Left(3, y, f.W-4, countHidden(FirstFindings(groups[i:])), draw.Dim)
				y++
			}
			return y
		}
		drawFinding(f, y, where, s.finding, s.lines[s.shown])
		y += s.rows(s.shown)
	}
	return y
}

// FactRows returns the number of rows that findings take on a page about their GPU: the facts of the worst one, and a
// line for each of the others. hints is the number of rows that the hint of the worst one takes.
func FactRows(f *part.Frame, findings []cluster.Finding) (facts, hints int) {
	groups := GroupAlike(findings)
	if len(groups) == 0 {
		return 0, 0
	}
	finding, words := groups[0].Say(f)
	worst := newSayable(f, 0, finding, words)
	facts = worst.rows(sentence)
	return facts + len(groups) - 1, worst.rows(withHint) - facts
}

// SentenceRows returns the number of rows that Sentence takes.
func SentenceRows(f *part.Frame, finding *cluster.Finding) int {
	lines := sentenceLines(f, whereWide(f), f.Say(finding))
	return lines[len(lines)-1].row + 1
}

// DrawSentence writes a finding from row y on, without its first skip lines, as far as there are rows, and returns the
// row below.
func DrawSentence(f *part.Frame, y, skip int, finding *cluster.Finding) int {
	lines := sentenceLines(f, whereWide(f), f.Say(finding))
	skip = min(skip, len(lines)-1)
	lines = lines[skip:]
	for i := range lines {
		lines[i].row -= skip
	}
	below := y + lines[len(lines)-1].row + 1
	for len(lines) > 0 && y+lines[len(lines)-1].row >= f.H-1 {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > 0 {
		drawFinding(f, y, whereWide(f), finding, lines)
	}
	return below
}

// ShortFinding is the short wording of a finding with its GPU, in w columns if possible.
func ShortFinding(finding *cluster.Finding, words say.Words, w int) string {
	return WordsOnGPU(finding, shortWording(words, w))
}

// WordsOnGPU puts the GPU of a finding before words about it: "GPU5 thermal 87°C".
func WordsOnGPU(finding *cluster.Finding, s string) string {
	if gpu := gpuOf(finding); gpu != "" {
		return gpu + " " + s
	}
	return s
}

// gpuOf names the GPU of a finding: "GPU5", "GPU?" if its number is unknown, "" for a finding about a node.
func gpuOf(finding *cluster.Finding) string {
	switch {
	case finding.GPU >= 0:
		return "GPU" + strconv.Itoa(finding.GPU)
	case finding.Key != "":
		return "GPU?"
	}
	return ""
}

// shortWording is the short wording of a finding. If it does not fit, the details of a failure are left out.
func shortWording(words say.Words, w int) string {
	if words.Brief == "" || draw.Width(words.Short) <= w {
		return words.Short
	}
	return words.Brief
}

// inOneLine is the longest sentence about a finding that fits into w columns.
func inOneLine(words say.Words, w int) string {
	for _, s := range []string{words.Sentence, say.Sentence(words.Long)} {
		if s != "" && draw.Width(s) <= w {
			return s
		}
	}
	return say.Sentence(shortWording(words, w-1))
}

// drawFinding writes one finding: glyph, age, place and words.
func drawFinding(f *part.Frame, y, where int, finding *cluster.Finding, lines []sentenceLine) {
	m := part.MarkOf(finding)
	f.Put(1, y, m.Glyph, m.Role)
	f.Right(2, y, 6, part.Since(finding, f.Snap.At, ""), draw.Dim)
	gpu, role := gpuOf(finding), draw.Text
	if gpu != "" {
		gpu = " " + gpu
	}
	if finding.Severity >= cluster.Warning {
		role = m.Role
	}
	if where > 0 {
		place := "job"
		if finding.Node != "" {
			place = f.NodeName(finding.Node, where-len(gpu)) + gpu
		}
		f.Left(10, y, min(where, f.W-11), place, role)
	}
	for _, l := range lines {
		if !finding.Holds() {
			l.role = draw.Dim
		}
		f.Left(l.x, y+l.row, f.W-1-l.x, l.text, l.role)
	}
}

// whereWide returns the width of the node and the GPU of a sentence.
func whereWide(f *part.Frame) int {
	if f.W >= 120 {
		return 16
	}
	return 13
}

// sentenceText returns the column where the words of a sentence begin. where columns before it are for the place.
func sentenceText(where int) int {
	if where == 0 {
		return 10
	}
	return 10 + where + 1
}

// sentenceLine is one line of a sentence.
type sentenceLine struct {
	row, x int
	text   string
	role   draw.Role
}

// sentenceLines breaks a finding's sentence and hint into lines; there is at least one line. The hint stands below the
// sentence, or after it if both fit.
func sentenceLines(f *part.Frame, where int, finding say.Words) []sentenceLine {
	at, top := sentenceText(where), 0
	if where > 0 && f.W < sentenceBeside { // the sentence is below its place
		at, top = 3, 1
	}
	room := max(f.W-1-at, 10)
	var lines []sentenceLine
	for i, s := range draw.Wrap(finding.Sentence, room, "") {
		lines = append(lines, sentenceLine{top + i, at, s, draw.Text})
	}
	if finding.Hint == "" {
		return lines
	}
	hint := "→ " + finding.Hint
	if behind := at + draw.Width(finding.Sentence) + 2; len(lines) == 1 && f.W >= sentenceWide &&
		behind+draw.Width(hint) <= f.W-1 {
		return append(lines, sentenceLine{0, behind, hint, draw.Dim})
	}
	for _, s := range draw.Wrap(hint, room, "  ") {
		lines = append(lines, sentenceLine{top + len(lines), at, s, draw.Dim})
	}
	return lines
}

var leftNames = []struct {
	severity  cluster.Severity
	one, many string
}{
	{cluster.Critical, "error", "errors"}, {cluster.Warning, "warning", "warnings"},
	{cluster.Waiting, "connecting", "connecting"},
	{cluster.Note, "note", "notes"}, {part.Over, "cleared", "cleared"},
}

// countHidden counts the findings that do not fit.
func countHidden(findings []cluster.Finding) string {
	counts := part.BySeverity(findings)
	var kinds []string
	for _, c := range leftNames {
		if n := counts[c.severity]; n > 0 {
			kinds = append(kinds, part.Plural(n, c.one, c.many))
		}
	}
	return "+" + strconv.Itoa(len(findings)) + " more (" + strings.Join(kinds, ", ") + ")" + part.MoreKey
}

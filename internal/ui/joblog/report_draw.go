package joblog

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

const (
	reportTitleRow = 2
	reportTop      = 3 // the first row of the report
	reportMargin   = 1 // columns at the left and at the right of it
)

// lineKey is the key of a report's lines in the scene's memory.
type lineKey struct {
	of, beside *report.Report
	width      int
}

// reportLines returns the report as lines of this screen, without its title.
func (p *ReportPage) reportLines(s *part.Scene) [][]output.Piece {
	if p.made == nil {
		return nil
	}
	width := s.W - 2*reportMargin
	if p.beside && p.isComparable() {
		return part.OfSnapshot(s, lineKey{p.made, p.before, width}, func() [][]output.Piece {
			return output.ComparisonLines(output.Compare(p.before, p.made), s.Snap.At.Location(), width)[1:]
		})
	}
	return part.OfSnapshot(s, lineKey{p.made, nil, width}, func() [][]output.Piece {
		return output.Lines(p.made, s.Snap.At.Location(), width)[1:]
	})
}

// toneRoles are the roles of the tones.
var toneRoles = map[output.Tone]draw.Role{output.Strong: draw.Strong, output.Good: draw.Green,
	output.Doubtful: draw.Warn, output.Bad: draw.Crit}

// Draw draws the page.
func (p *ReportPage) Draw(f *part.Frame) {
	header.Title(f)
	w, lines := p.visibleLines(f.Scene), p.reportLines(f.Scene)
	f.Section(reportTitleRow, draw.ClipMiddle(p.titleText(), max(f.W-26, 12)), w.Where())
	if p.made == nil {
		f.Paragraphs(reportTop+1, p.whyNoReport())
	}
	for i := range w.Shown {
		pieces := []part.Piece{}
		for _, piece := range lines[w.From+i] {
			pieces = append(pieces, part.Piece{Text: piece.Text, Role: toneRoles[piece.Tone]})
		}
		f.Pieces(reportMargin, reportTop+i, pieces...)
	}
	hints := []keys.Hint{keys.HintOf(keys.Log)}
	switch compare := keys.HintOf(keys.CompareReports); {
	case !p.isComparable():
	case p.beside:
		hints = append(hints, compare.As("job "+p.job+" alone"))
	default:
		hints = append(hints, compare.As("compare with "+p.before.Job.ID))
	}
	footer.Draw(f, "", slices.Concat(hints, footer.LastHints)...)
}

// titleText names the job, and says how it ended.
func (p *ReportPage) titleText() string {
	title := "Report of job " + p.job
	switch {
	case p.beside && p.isComparable():
		return "Job " + p.job + " against job " + p.before.Job.ID
	case p.ended != nil:
		return title + " " + p.ended.Name + " (" + tally.EndOf(p.ended).Word + ")"
	case p.made != nil:
		return title + " " + p.made.Job.Name
	}
	return title
}

func (p *ReportPage) whyNoReport() []string {
	switch {
	case p.job == "":
		return []string{"There is no job."}
	case p.failed == "":
		return []string{"Asking SLURM's accounting…"}
	}
	return []string{"There is no report: " + p.failed + ".",
		"The log of the job may say more: " + keys.Name(keys.Log) + " opens it."}
}

// visibleLines returns the lines on the screen.
func (p *ReportPage) visibleLines(s *part.Scene) nav.Window {
	all := len(p.reportLines(s))
	w := nav.Window{Shown: min(max(s.H-1-reportTop, 1), all), All: all}
	w.From = min(p.from, w.Hidden())
	return w
}

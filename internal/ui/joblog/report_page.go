package joblog

import (
	"context"
	"errors"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// ReportPage shows the report of a job that has ended. The zero Page has none.
type ReportPage struct {
	job    string
	wanted bool           // the report has to be requested
	asked  *nav.Report    // the question that has no answer yet
	made   *report.Report // nil: there is none
	failed string         // why there is none
	before *report.Report // the report of another job that was open before; nil: there was none
	beside bool           // the two are compared

	from  int               // the first line on the screen
	ended *cluster.EndedJob // what the jobs page knows about the end of the job; nil: nothing
}

// Wants returns nothing.
func (p *ReportPage) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Arrive asks for the report of a job, unless it has already asked, or has a report that says how the job ended.
func (p *ReportPage) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	if to.Report != p.job || p.asked == nil && (p.made == nil || p.made.Job.End.IsZero()) {
		before := p.before
		if p.made != nil && p.made.Job.ID != to.Report {
			before = p.made
		}
		*p = ReportPage{job: to.Report, wanted: true, before: before}
	}
	p.Settle(s)
	return nav.Answer{}
}

// Settle looks up the end of the job.
func (p *ReportPage) Settle(s *part.Scene) {
	if s.Snap == nil {
		return
	}
	ended := s.Snap.Discovery.Ended
	if at := slices.IndexFunc(ended, func(e cluster.EndedJob) bool { return e.ID == p.job }); at >= 0 {
		p.ended = &ended[at]
	}
}

// Due returns the question that is due.
func (p *ReportPage) Due() nav.Answer {
	if !p.wanted {
		return nav.Answer{}
	}
	p.wanted, p.asked = false, &nav.Report{Job: p.job}
	return nav.Answer{Ask: []nav.Ask{{Report: p.asked}}}
}

// reportCode is the code of the page's own actions.
var reportCode = nav.CodeTable[*ReportPage]{
	{Of: keys.Log, Do: func(p *ReportPage, _ *part.Scene) nav.Answer {
		return nav.To(nav.Go{Page: keys.OnLog, Log: p.job})
	}},
	{Of: keys.CompareReports, Do: (*ReportPage).compare},
}

// compare shows the report beside the one that was open before, and alone again. Without one, it says how to get one.
func (p *ReportPage) compare(*part.Scene) nav.Answer {
	if !p.isComparable() {
		return nav.Answer{Taken: true,
			Notice: "nothing to compare with: open the report of another job first, then this one"}
	}
	p.beside, p.from = !p.beside, 0
	return nav.Taken
}

// isComparable reports whether there are the reports of two jobs.
func (p *ReportPage) isComparable() bool {
	return p.made != nil && p.before != nil && p.before.Job.ID != p.made.Job.ID
}

// Actions returns the actions that have code.
func (p *ReportPage) Actions() []key.Binding { return slices.Concat(reportCode.Actions(), nav.Moves) }

// Press answers a key, the wheel, or the report.
func (p *ReportPage) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if r, is := msg.(nav.Result); is {
		p.handleResult(&r)
		return nav.Taken
	}
	if a := reportCode.Do(p, msg, s); a.Taken {
		return a
	}
	w := p.visibleLines(s)
	to, moved := nav.Scroll(msg, w.From, w.Shown, w.Shown, w.Hidden())
	if !moved {
		return nav.Answer{}
	}
	p.from = to
	return nav.Taken
}

// handleResult stores the report, or the reason why there is none.
func (p *ReportPage) handleResult(r *nav.Result) {
	if r.Ask.Report == nil || r.Ask.Report != p.asked { // a job that is not shown any more
		return
	}
	p.asked, p.made, p.failed = nil, r.Report, ""
	if r.Err != nil {
		p.failed = reportErrorText(r.Err)
	}
}

// reportErrorText is the reason why there is no report.
func reportErrorText(err error) string {
	const most = 400
	if errors.Is(err, context.DeadlineExceeded) {
		return "SLURM's accounting did not answer in time"
	}
	return safe.Line(err.Error(), most)
}

// Package lists has the pages that are one list each: problems and ranks of a job, all jobs, and the users on their
// nodes. Each page is a list.Of: its rows, their orders, and the page that Enter opens.
package lists

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Jobs lists all jobs, including waiting jobs and jobs that have just ended. The job under the cursor, if it has nodes,
// is the selected job.
type Jobs struct {
	*list.List[tally.JobRow, string]
}

// NewJobs returns the page in its first state.
func NewJobs(past *footer.History) *Jobs {
	p := &Jobs{}
	p.List = list.New(past, list.Of[tally.JobRow, string]{
		Name: func(*part.Scene) string { return "Jobs" }, Noun: "jobs",
		Rows: (*part.Scene).Jobs, Key: func(r *tally.JobRow) string { return r.ID }, Class: jobPhase,
		Reads: list.By(&rows.Jobs, func(s *part.Scene) func(*tally.JobRow) *rows.Job {
			return (&rows.Job{Snapshot: s.Snap}).Of
		}),
		Orders: jobOrders, Usual: []string{"job", "health", "util_mean_percent", "left_seconds"},
		On: selectJob, Open: openJob, Opens: jobOpens, RowHints: jobHints,
		Own: nav.BindCode(jobsCode, p), Detail: (&jobPane{}).drawJob,
		Problem: func(_ *part.Scene, r *tally.JobRow) bool {
			return r.Problems > 0 || r.Ended != nil && r.Ended.State.Bad()
		},
		Header: func(f *part.Frame) { header.Title(f); drawSlurmRow(f, countByState(f.Jobs())) },
		Table: func(f *part.Frame, _ *list.View[tally.JobRow]) list.Table[tally.JobRow] {
			return table.NewJobs(f)
		},
		Wants: nav.Wants{Jobs: true},
		None: func(f *part.Frame) string {
			if f.Snap.Discovery.Answered.IsZero() {
				return "Asking SLURM for your jobs…"
			}
			return "no running or pending jobs"
		},
		Hints: []keys.Hint{keys.HintOf(keys.Open), keys.HintOf(keys.Worst), keys.HintOf(keys.Filter), keys.Problem,
			keys.HintOf(keys.Users), keys.HintOf(keys.Refresh)},
	})
	return p
}

var jobOrders = []list.Order[tally.JobRow]{
	{Column: "job", Words: "id", AsListed: true}, {Column: "name"}, {Column: "partition"}, {Column: "nodes"},
	{Column: "gpus"}, {Column: "util_mean_percent", Words: "util", LowFirst: true},
	{Column: "util_lowest_percent", Words: "lowest", LowFirst: true},
	{Column: "power_sum_watts", Words: "power"},
	{Column: "left_seconds", Words: "time left", LowFirst: true, Number: timeLeft},
	{Column: "health", Words: "problems", Number: jobTrouble},
}

// Arrive puts the cursor on the job that was chosen, which may wait; otherwise on the selected job.
func (p *Jobs) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	id := to.Choice
	if id == "" && s.Job != nil {
		id = s.Job.ID
	}
	if at := p.View(s).Find(func(r *tally.JobRow) bool { return r.ID == id }); at >= 0 {
		p.GoTo(s, at)
	}
	return nav.Answer{}
}

// jobPhase separates jobs whatever the order: jobs with nodes, waiting jobs, ended jobs.
func jobPhase(r *tally.JobRow) int {
	switch {
	case r.Running != nil:
		return 0
	case r.Pending != nil:
		return 1
	}
	return 2
}

// timeLeft orders jobs by the time of their end, or of their start, the earliest first.
func timeLeft(r *tally.JobRow) (float64, bool) {
	var t time.Time
	if r.Running != nil {
		t = r.Running.End
	} else if r.Pending != nil {
		t = r.Pending.Start
	}
	return float64(t.Unix()), !t.IsZero()
}

// jobTrouble orders jobs by their worst problem, then by the number of problems.
func jobTrouble(r *tally.JobRow) (float64, bool) {
	worst := cluster.Note
	if r.Worst != nil {
		worst = r.Worst.Severity
	}
	const most = 1 << 32 // more than the number of problems
	return float64(worst)*most + float64(r.Problems), r.Ended == nil
}

// selectJob selects the job of a row, if it has nodes.
func selectJob(_ *part.Scene, r *tally.JobRow) nav.Answer {
	if r.Running == nil {
		return nav.Taken
	}
	return nav.To(nav.Go{Job: r.ID})
}

// openJob opens the job of a row: its nodes, the report of a job that has ended, or why a job waits.
func openJob(s *part.Scene, r *tally.JobRow) nav.Answer {
	switch {
	case r.Running != nil:
		a := selectJob(s, r)
		a.Page = nav.Start(len(r.Running.Nodes))
		return a
	case r.Ended != nil:
		return nav.To(nav.Go{Page: keys.OnReport, Report: r.ID})
	}
	return nav.To(nav.Go{Page: keys.OnWaiting, Choice: r.ID})
}

// jobOpens says what openJob opens.
func jobOpens(_ *part.Scene, r *tally.JobRow) string {
	switch {
	case r.Running != nil:
		return keys.Open.Help().Desc
	case r.Ended != nil:
		return string(keys.OnReport)
	}
	return "why"
}

// jobHints has the key of the log, which a waiting job does not have.
func jobHints(_ *part.Scene, r *tally.JobRow) []keys.Hint {
	if r.Pending != nil {
		return []keys.Hint{keys.HintOf(keys.Estimate).As("when")}
	}
	return []keys.Hint{keys.HintOf(keys.Log)}
}

// jobsCode is the code of the page's own actions.
var jobsCode = nav.CodeTable[*Jobs]{
	{Of: keys.PrevJob, Do: func(p *Jobs, s *part.Scene) nav.Answer { return p.GoTo(s, p.At(s)-1) }},
	{Of: keys.NextJob, Do: func(p *Jobs, s *part.Scene) nav.Answer { return p.GoTo(s, p.At(s)+1) }},
	{Of: keys.Log, Do: (*Jobs).openLog},
	{Of: keys.Estimate, Do: (*Jobs).askWhy},
}

// askWhy opens the page of a job that waits, and asks SLURM there.
func (p *Jobs) askWhy(s *part.Scene) nav.Answer {
	v := p.View(s)
	if v.Len() == 0 || v.At(p.At(s)).Pending == nil {
		return nav.Answer{Taken: true, Notice: "no job waits in this row"}
	}
	return nav.Answer{Taken: true, Go: nav.Go{Page: keys.OnWaiting, Choice: v.At(p.At(s)).ID},
		Do: []tea.Msg{keys.Pressed(keys.Estimate.Keys()[0])}}
}

// openLog opens the log of a job that does not run.
func (p *Jobs) openLog(s *part.Scene) nav.Answer {
	v := p.View(s)
	if v.Len() == 0 || v.At(p.At(s)).Running != nil {
		return nav.Answer{}
	}
	return nav.To(nav.Go{Page: keys.OnLog, Log: v.At(p.At(s)).ID})
}

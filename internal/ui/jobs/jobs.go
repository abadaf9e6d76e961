package jobs

import (
	"cmp"
	"math"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Jobs lists all jobs. The job under the cursor, if it has nodes, is the selected job.
type Jobs struct{ pane }

// New returns the page as it is at the start.
func New(past *prompt.History) *Jobs { return &Jobs{newPane(filter.Of(&rows.Jobs), past)} }

// Begin puts the cursor on the selected job.
func (p *Jobs) Begin(s *part.Scene) {
	if s.Job == nil {
		return
	}
	l, _ := p.shown(s)
	if at := slices.IndexFunc(l, func(r *tally.JobRow) bool { return r.ID == s.Job.ID }); at >= 0 {
		p.cursor.GoTo(p.listOf(s, l), at)
	}
}

// shown are the jobs that match the filter, in the chosen order, and how many there are in all.
func (p *Jobs) shown(s *part.Scene) (list []*tally.JobRow, all int) {
	for i := range s.Jobs() {
		list = append(list, &s.Jobs()[i])
	}
	all = len(list)
	r := rows.Job{Snapshot: s.Snap}
	list = filter.Keep(p.filter.Expr(every), &rows.Jobs, list, func(row **tally.JobRow) *rows.Job { return r.Of(*row) })
	if by := table.JobOrder(p.order); by != table.ByJob {
		slices.SortStableFunc(list, func(a, b *tally.JobRow) int {
			return cmp.Or(cmp.Compare(phase(a), phase(b)),
				compare(by, a, b))
		})
	}
	return list, all
}

// phase orders jobs whatever else they are sorted by: those that have nodes, those that wait, those that have ended.
func phase(r *tally.JobRow) int {
	switch {
	case r.Running != nil:
		return 0
	case r.Pending != nil:
		return 1
	}
	return 2
}

// compare orders two jobs of the same phase. What is not known comes last.
func compare(by table.JobOrder, a, b *tally.JobRow) int {
	switch {
	case a.Ended != nil: // the latest first
		return 0
	case by == table.ByProblems:
		return cmp.Or(cmp.Compare(severity(b), severity(a)), cmp.Compare(b.Problems, a.Problems))
	case by == table.ByUtil:
		return cmp.Compare(orLast(a.Util.Value), orLast(b.Util.Value))
	case by == table.ByTimeLeft:
		return timeOf(a).Compare(timeOf(b))
	}
	return 0
}

func severity(r *tally.JobRow) cluster.Severity {
	if r.Worst == nil {
		return cluster.Note
	}
	return r.Worst.Severity
}

// orLast is a number, or more than any if it is not known.
func orLast(v float64) float64 {
	if v != v {
		return math.Inf(1)
	}
	return v
}

// timeOf is when the job ends, or begins; long after all others if that is not known.
func timeOf(r *tally.JobRow) time.Time {
	t := time.Time{}
	if r.Running != nil {
		t = r.Running.End
	} else if r.Pending != nil {
		t = r.Pending.Start
	}
	if t.IsZero() {
		return time.Unix(1<<40, 0)
	}
	return t
}

func (p *Jobs) listOf(s *part.Scene, list []*tally.JobRow) nav.List[string] {
	return p.list(s, len(list), func(i int) string { return list[i].ID })
}

// Press moves the cursor, sorts, filters, and opens the job under the cursor.
func (p *Jobs) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	list, _ := p.shown(s)
	l := p.listOf(s, list)
	did, at := p.press(msg, l, uint8(table.JobOrders))
	switch did {
	case taken:
		return nav.Taken
	case moved:
		return on(list, at)
	case opened:
		a := on(list, at)
		if job := list[at].Running; job != nil {
			a.Page = nav.Start(len(job.Nodes))
		}
		return a
	case changed:
		list, _ = p.shown(s)
		l = p.listOf(s, list)
		return on(list, p.cursor.GoTo(l, p.cursor.At(l)))
	}
	if k, is := msg.(tea.KeyPressMsg); is && !p.filter.Typing(every) {
		return p.step(k, l, list)
	}
	return nav.Answer{}
}

// step answers the keys that lead from job to job.
func (p *Jobs) step(k tea.KeyPressMsg, l nav.List[string], list []*tally.JobRow) nav.Answer {
	at := p.cursor.At(l)
	switch {
	case key.Matches(k, keys.PrevJob):
		return on(list, p.cursor.GoTo(l, at-1))
	case key.Matches(k, keys.NextJob):
		return on(list, p.cursor.GoTo(l, at+1))
	case key.Matches(k, keys.NextProblem):
		return on(list, p.cursor.GoTo(l, next(list, at, +1)))
	case key.Matches(k, keys.PrevProblem):
		return on(list, p.cursor.GoTo(l, next(list, at, -1)))
	}
	return nav.Answer{}
}

// next is the next job with a problem, round the end; the same one if there is no other.
func next(list []*tally.JobRow, at, by int) int {
	return nav.Next(len(list), at, by, func(i int) bool {
		return list[i].Problems > 0 || list[i].Ended != nil &&
			list[i].Ended.State.Bad()
	})
}

// on says that the cursor is on a row; -1: there is none.
func on(list []*tally.JobRow, at int) nav.Answer {
	a := nav.Taken
	if at >= 0 && list[at].Running != nil {
		a.Job = list[at].ID
	}
	return a
}

// Wants nothing.
func (p *Jobs) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

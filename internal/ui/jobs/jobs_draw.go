package jobs

import (
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// orders are the orders in the footer.
var jobOrders = [table.JobOrders]string{table.ByJob: "id", table.ByProblems: "problems", table.ByUtil: "util",
	table.ByTimeLeft: "time left"}

// Draw draws the page.
func (p *Jobs) Draw(f *part.Frame) {
	part.TitleLine(f)
	slurm(f, summary(f.Jobs()))
	list, all := p.shown(f.Scene)
	l := p.listOf(f.Scene, list)
	w, at := p.cursor.Window(l), p.cursor.At(l)
	p.title(f, "Jobs", w, all)
	switch {
	case len(list) > 0:
		t := table.NewJobs(f)
		t.Head(f, headRow, table.JobOrder(p.order))
		for i := w.From; i < w.From+w.Shown && headRow+1+i-w.From < f.H-1; i++ {
			t.Row(f, headRow+1+i-w.From, list[i], i == at)
		}
	case all > 0:
		f.Left(3, headRow, f.W-4, p.filter.None(every, "jobs", f.W-4), draw.Text)
	case f.Snap.Discovery.Answered.IsZero():
		f.Left(3, headRow, f.W-4, "Asking SLURM for your jobs…", draw.Dim)
	default:
		f.Left(3, headRow, f.W-4, "no running or pending jobs", draw.Dim)
	}
	p.foot(f, len(list), all, p.hints())
}

// hints are the keys of the footer, the most useful first.
func (p *Jobs) hints() []keys.Hint {
	return []keys.Hint{
		keys.HintOf(keys.Up, keys.Down).As("select"), keys.HintOf(keys.Open),
		keys.HintOf(keys.Worst).As("sort: " + jobOrders[p.order]), keys.HintOf(keys.Filter),
		keys.Problem, keys.HintOf(keys.Users), keys.HintOf(keys.Refresh),
	}
}

// summary counts jobs by their state: "3 running, 1 suspended, 997 pending, 2 ended". All tasks of an array count.
func summary(list []tally.JobRow) string {
	counts, more := map[string]int{}, ""
	for i := range list {
		r := &list[i]
		word, n := r.State.Word, 1
		switch {
		case r.Ended != nil:
			word = "ended"
		case r.Pending != nil:
			tasks, known := r.Pending.Tasks()
			if n = tasks; !known {
				n, more = 1, "or more "
			}
		}
		counts[word] += n
	}
	words := []string{
		counted(counts["running"], "running"), counted(counts["suspended"], "suspended"),
		counted(counts["booting"], "booting"),
		counted(counts["pending"], more+"pending"), counted(counts["ended"], "ended lately"),
	}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), ", ")
}

// slurm draws row 1: a text, and at its right the age of SLURM's answer, or in amber why there is no new one.
func slurm(f *part.Frame, text string) {
	d, right := &f.Snap.Discovery, ""
	end := f.W - 1
	if !d.Answered.IsZero() {
		right = "job list " + draw.Age(f.Snap.At.Sub(d.Answered)) + " old "
	}
	if draw.Width(text)+draw.Width(right)+4 <= f.W {
		end -= draw.Width(right) + 1
		f.Put(f.W-draw.Width(right), 1, right, draw.Dim)
	}
	if d.Failure != nil {
		from := ""
		if !d.Answered.IsZero() {
			from = ", job list from " + d.Answered.Format(time.TimeOnly)
		}
		f.Left(1, 1, end-1, "▲ "+d.Failure.Short+from, draw.Warn)
		return
	}
	f.Left(1, 1, end-1, text, draw.Dim)
}

package jobs

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Users lists who has processes on the GPUs of the nodes of the jobs.
type Users struct{ pane }

// NewUsers returns the page as it is at the start.
func NewUsers(past *prompt.History) *Users { return &Users{newPane(filter.Of(&rows.Users), past)} }

// shown are the users that match the filter, in the chosen order, and how many there are in all.
func (p *Users) shown(s *part.Scene) (list []tally.UserRow, all int) {
	list = slices.Clone(filter.Keep(p.filter.Expr(every), &rows.Users, s.Users(),
		func(u *tally.UserRow) *tally.UserRow { return u }))
	by := table.UserOrder(p.order)
	slices.SortStableFunc(list, func(a, b tally.UserRow) int {
		if a.Mine != b.Mine {
			if a.Mine {
				return -1
			}
			return 1
		}
		return compareUsers(by, &a, &b)
	})
	return list, len(s.Users())
}

// compareUsers orders two users. What is not known comes last.
func compareUsers(by table.UserOrder, a, b *tally.UserRow) int {
	switch by {
	case table.ByGPUs:
		return cmp.Compare(b.GPUs, a.GPUs)
	case table.ByHeld:
		return cmp.Compare(b.Memory, a.Memory) // a NaN is below all
	case table.ByAge:
		return cmp.Compare(longest(b), longest(a))
	}
	return cmp.Compare(a.User, b.User)
}

func longest(u *tally.UserRow) int64 {
	if u.Longest == nil {
		return -1
	}
	return *u.Longest
}

func (p *Users) listOf(s *part.Scene, list []tally.UserRow) nav.List[string] {
	return p.list(s, len(list), func(i int) string { return list[i].User })
}

// Press moves the cursor, sorts, filters, and opens the processes of the user under the cursor.
func (p *Users) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	list, _ := p.shown(s)
	did, at := p.press(msg, p.listOf(s, list), uint8(table.UserOrders))
	switch did {
	case passed:
		k, is := msg.(tea.KeyPressMsg)
		return nav.Answer{Taken: is && key.Matches(k, ofOneJob...)}
	case opened:
		return nav.To(nav.Go{Page: keys.OnProcesses, Filter: of(list[at].User)})
	case changed:
		list, _ = p.shown(s)
		l := p.listOf(s, list)
		p.cursor.GoTo(l, p.cursor.At(l))
	}
	return nav.Taken
}

// of is the filter of the processes of a user; "": those whose user is not known.
func of(user string) string {
	switch {
	case user == "":
		return "not user~."
	case strings.Contains(user, `"`) && strings.Contains(user, "'"):
		return `user~"^` + strings.ReplaceAll(regexp.QuoteMeta(user), `"`, `\x22`) + `$"`
	case strings.Contains(user, `"`):
		return "user=='" + user + "'"
	}
	return `user=="` + user + `"`
}

// ofOneJob are keys of pages with a selected job, which is not seen here.
var ofOneJob = []key.Binding{keys.PrevJob, keys.NextJob, keys.NextProblem, keys.PrevProblem, keys.Ranks, keys.Processes,
	keys.Manager, keys.Doctor}

// Wants the processes of all nodes.
func (p *Users) Wants(*part.Scene) nav.Wants { return nav.Wants{Everywhere: true} }

// userOrders are the orders in the footer.
var userOrders = [table.UserOrders]string{table.ByGPUs: "GPUs", table.ByHeld: "memory", table.ByAge: "longest",
	table.ByUserName: "name"}

// Draw draws the page.
func (p *Users) Draw(f *part.Frame) {
	part.TitleLine(f)
	list, all := p.shown(f.Scene)
	listed, waits := lists(f.Snap)
	text := part.Plural(all, "user", "users") + " on the GPUs of " + part.Plural(listed, "node", "nodes")
	if waits > 0 {
		text += ", waiting for " + part.Plural(waits, "node", "nodes")
	}
	slurm(f, text)
	l := p.listOf(f.Scene, list)
	w, at := p.cursor.Window(l), p.cursor.At(l)
	p.title(f, "Users", w, all)
	switch {
	case len(list) > 0:
		t := table.NewUsers(f)
		t.Head(f, headRow, table.UserOrder(p.order))
		for i := w.From; i < w.From+w.Shown && headRow+1+i-w.From < f.H-1; i++ {
			t.Row(f, headRow+1+i-w.From, &list[i], i == at)
		}
	case all > 0:
		f.Left(3, headRow, f.W-4, p.filter.None(every, "users", f.W-4), draw.Text)
	case waits > 0:
		f.Left(3, headRow, f.W-4, "· waiting for the process lists of the nodes", draw.Dim)
	case len(f.Only) > 0:
		f.Left(3, headRow, f.W-4, "no processes on the GPUs of --only: "+strings.Join(f.Only, ", "), draw.Dim)
	default:
		f.Left(3, headRow, f.W-4, "no processes on the GPUs of your nodes", draw.Dim)
	}
	p.foot(f, len(list), all, []keys.Hint{
		keys.HintOf(keys.Up, keys.Down).As("select"), keys.HintOf(keys.Open),
		keys.HintOf(keys.Worst).As("sort: " + userOrders[p.order]), keys.HintOf(keys.Filter), keys.HintOf(keys.AllJobs),
		keys.HintOf(keys.Refresh),
	})
}

// lists counts the nodes that have listed their processes, and those that have not.
func lists(s *cluster.Snapshot) (listed, waits int) {
	for _, n := range s.Nodes {
		if n.Listed {
			listed++
		} else {
			waits++
		}
	}
	return listed, waits
}

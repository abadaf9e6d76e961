package lists

import (
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
)

// Problems lists every finding of the job in full sentences. The node of the finding under the cursor is the selected
// node.
type Problems struct {
	*list.List[cluster.Finding, findingKey]
	on   findingKey // the last position of the cursor
	skip int        // lines of a problem that are scrolled away, if the problem alone is higher than the screen
}

// findingKey identifies the subject of a finding.
type findingKey struct {
	node, key string
	gpu       int
	kind      cluster.Kind
}

func subjectOf(f *cluster.Finding) findingKey { return findingKey{f.Node, f.Key, f.GPU, f.Kind} }

// NewProblems returns the page in its first state.
func NewProblems(past *footer.History) *Problems {
	p := &Problems{}
	p.List = list.New(past, list.Of[cluster.Finding, findingKey]{
		Name: func(s *part.Scene) string { return "Problems" + ofJob(s) }, Noun: "problems", OfJob: true,
		Rows: func(s *part.Scene) []cluster.Finding { return s.Health.Listed("") }, Key: subjectOf,
		Lines: func(s *part.Scene, x *cluster.Finding) int { return header.SentenceRows(&part.Frame{Scene: s}, x) },
		Reads: list.By(&rows.Problems, func(s *part.Scene) func(*cluster.Finding) *rows.Problem {
			return (&rows.Problem{Snapshot: s.Snap}).Of
		}),
		Orders: problemOrders, Usual: []string{"severity", "node", "elapsed_seconds"},
		On: p.noteProblem, Open: OpenProblem, Opens: problemOpens, Own: nav.BindCode(problemsCode, p),
		Press:   p.scrollProblem,
		Node:    func(f *cluster.Finding) string { return f.Node },
		Problem: func(*part.Scene, *cluster.Finding) bool { return true },
		Header:  func(f *part.Frame) { header.Draw(f, false) },
		Right:   func(*part.Frame, *list.View[cluster.Finding]) string { return orderWords[p.Sorted] },
		Row:     p.row, None: func(*part.Frame) string { return "no problems" }, Detail: fullProblem,
		Hints: []keys.Hint{keys.HintOf(keys.Open), keys.HintOf(keys.Filter), keys.HintOf(keys.Worst), keys.Problem,
			keys.Jobs, keys.HintOf(keys.Connection), keys.HintOf(keys.Refresh)},
	})
	return p
}

// ofJob is " of job 48211".
func ofJob(s *part.Scene) string {
	if s.Job.ID == "" {
		return ""
	}
	return " of job " + s.Job.ID
}

var problemOrders = []list.Order[cluster.Finding]{
	{Column: "severity", Words: "worst", AsListed: true}, {Column: "node", Words: "node"},
	{Column: "gpu", Words: "GPU"},
	{Column: "elapsed_seconds", Words: "newest", LowFirst: true},
}

// orderWords are the orders in the title.
var orderWords = map[list.Sorting]string{
	{By: "severity"}: "worst first", {By: "severity", Down: true}: "worst last",
	{By: "node"}: "by node", {By: "node", Down: true}: "by node, last first",
	{By: "gpu"}: "by GPU", {By: "gpu", Down: true}: "by GPU, last first",
	{By: "elapsed_seconds"}: "newest first", {By: "elapsed_seconds", Down: true}: "oldest first",
}

// Arrive puts the cursor on the worst problem of the selected node, or of the job if that node has none.
func (p *Problems) Arrive(s *part.Scene, _ nav.Go) nav.Answer {
	p.Top()
	p.skip = 0
	return p.GoTo(s, max(p.View(s).Find(func(f *cluster.Finding) bool { return f.Node == s.Node.Name }), 0))
}

// noteProblem notes that the cursor is on a problem, and selects its node.
func (p *Problems) noteProblem(_ *part.Scene, f *cluster.Finding) nav.Answer {
	if now := subjectOf(f); now != p.on {
		p.on, p.skip = now, 0
	}
	return nav.To(nav.Go{Node: f.Node})
}

// OpenProblem goes to the GPU of a problem, or to its node. For a job that stands still, or a rank that lags, it goes
// to the stacks, which show where the ranks are. In the past it does not do so for a lag: nobody can be asked.
func OpenProblem(s *part.Scene, f *cluster.Finding) nav.Answer {
	a := nav.To(nav.Go{Node: f.Node})
	switch {
	case f.Kind.StopsJob():
		a.Page = keys.OnStacks
	case f.Kind == cluster.KindLag && f.Key != "" && f.Holds() && !s.Replay && s.Ago == "":
		a.Page, a.GPU = keys.OnStacks, f.Key
	case f.Node == "":
	case f.Key != "" && tally.Shows(s.NodeOf(f.Node)):
		a.Page, a.GPU = keys.OnGPU, f.Key
	default:
		a.Page = keys.OnNode
	}
	return a
}

// problemOpens says what OpenProblem opens: a problem of the whole job may have no place.
func problemOpens(s *part.Scene, f *cluster.Finding) string {
	switch page := OpenProblem(s, f).Page; page {
	case keys.OnStacks:
		return string(page)
	case "":
		return ""
	}
	return keys.Open.Help().Desc
}

// problemsCode is the code of the page's own actions. The keys for the first and the last row do not scroll inside a
// problem.
var problemsCode = nav.CodeTable[*Problems]{
	{Of: keys.First, Do: func(p *Problems, s *part.Scene) nav.Answer { return p.GoTo(s, 0) }},
	{Of: keys.Last, Do: func(p *Problems, s *part.Scene) nav.Answer { return p.GoTo(s, p.View(s).Len()-1) }},
	{Of: keys.Log, Do: (*Problems).openLog},
}

// openLog opens the log of the job at the time of the problem.
func (p *Problems) openLog(s *part.Scene) nav.Answer {
	v := p.View(s)
	if v.Len() == 0 {
		return nav.Answer{}
	}
	return nav.To(nav.Go{Page: keys.OnLog, At: v.At(p.At(s)).Since})
}

// scrollProblem scrolls inside a problem that is higher than the screen, and reports whether there was something to
// scroll.
func (p *Problems) scrollProblem(msg tea.Msg, s *part.Scene, v *list.View[cluster.Finding], at int) (nav.Answer, bool) {
	k, is := msg.(tea.KeyPressMsg)
	if !is || v.Len() == 0 {
		return nav.Answer{}, false
	}
	s = p.Beside(s)
	last, room := hiddenLines(&part.Frame{Scene: s}, v.At(at)), roomOf(s)
	from := min(p.skip, last)
	to, _ := nav.Scroll(k, from, room, room, last)
	if to == from {
		return nav.Answer{}, false
	}
	p.skip = to
	return nav.Taken, true
}

// problemsTop is the row of the first line.
const problemsTop = 3

// roomOf returns the number of lines that the screen has for problems.
func roomOf(s *part.Scene) int { return max(s.H-1-problemsTop, 1) }

// hiddenLines returns the number of lines of a problem that do not fit on the screen.
func hiddenLines(f *part.Frame, x *cluster.Finding) int {
	return max(header.SentenceRows(f, x)-roomOf(f.Scene), 0)
}

// row draws a problem, and returns the row below.
func (p *Problems) row(f *part.Frame, y int, x *cluster.Finding, selected bool) int {
	skip := 0
	if selected {
		skip = min(p.skip, hiddenLines(f, x))
	}
	below := header.DrawSentence(f, y, skip, x)
	if selected && y < f.H-1 {
		f.Cursor(y, min(below, f.H-1))
	}
	return below
}

package page

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/hint"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
)

// Problems lists every finding of the job in full sentences. The node of the finding under the cursor is the selected
// node.
type Problems struct {
	cursor nav.Cursor[place]
	spot   spot // where it was put last
	skip   int  // lines of the problem there that are scrolled away: it alone is higher than the screen
	filter *prompt.Filter
}

// spot is a problem and its place in the list.
type spot struct {
	of place
	at int
}

// NewProblems returns the page as it is at the start.
func NewProblems(past *prompt.History) *Problems {
	return &Problems{filter: prompt.New(filter.Of(&rows.Problems), past)}
}

// findings are those that match the filter, in their order.
func (p *Problems) findings(s *part.Scene) []cluster.Finding {
	r := rows.Problem{Snapshot: s.Snap}
	return filter.Keep(p.filter.Expr(s.Job.ID), &rows.Problems, s.Health.Listed(""), r.Of)
}

// place is what a finding is about. Findings with equal places, such as two failed collectors, are distinguished by
// their list index.
type place struct {
	node, key string
	gpu       int
	kind      cluster.Kind
}

func placeOf(f *cluster.Finding) place { return place{f.Node, f.Key, f.GPU, f.Kind} }

// problemsTop is the row of the first line.
const problemsTop = 3

// Begin puts the cursor on the worst problem of the selected node, or of the job when that node has none, and returns
// the problem's node.
func (p *Problems) Begin(s *part.Scene) string {
	findings := p.findings(s)
	i := max(slices.IndexFunc(findings, func(f cluster.Finding) bool { return f.Node == s.Node.Name }), 0)
	*p = Problems{filter: p.filter}
	return p.goTo(s, findings, i).Node
}

// list is the list as it is now.
func (p *Problems) list(s *part.Scene, findings []cluster.Finding) nav.List[place] {
	f := &part.Frame{Scene: s} // to measure
	return nav.List[place]{
		N: len(findings), Room: s.H - 1 - p.filter.Rows(s.Job.ID) - problemsTop,
		Key:   func(i int) place { return placeOf(&findings[i]) },
		Lines: func(i int) int { return part.SentenceRows(f, &findings[i]) },
	}
}

// goTo puts the cursor on a problem, or on the nearest one that there is.
func (p *Problems) goTo(s *part.Scene, findings []cluster.Finding, i int) nav.Answer {
	return p.on(findings, p.cursor.GoTo(p.list(s, findings), i))
}

// on says that the cursor is on a problem; -1: there is none.
func (p *Problems) on(findings []cluster.Finding, at int) nav.Answer {
	if at < 0 {
		return nav.Taken
	}
	if now := (spot{p.cursor.On(), at}); now != p.spot {
		p.spot, p.skip = now, 0
	}
	return nav.To(nav.Go{Node: findings[at].Node})
}

// Press moves the cursor, and opens the GPU or the node of a problem.
func (p *Problems) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if p.filter.Typing(s.Job.ID) {
		return p.typed(msg, s)
	}
	p.filter.Close() // it was for another job
	findings := p.findings(s)
	l := p.list(s, findings)
	if k, ok := msg.(tea.KeyPressMsg); ok && len(findings) > 0 && p.within(k, s, &findings[p.cursor.At(l)]) {
		return nav.Taken
	}
	if at, moved := p.cursor.Move(msg, l); moved {
		return p.on(findings, at)
	}
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		return p.click(m, s, findings)
	case tea.KeyPressMsg:
		return p.step(m, s, findings, p.cursor.At(l))
	}
	return nav.Answer{}
}

// step answers a key.
func (p *Problems) step(k tea.KeyPressMsg, s *part.Scene, findings []cluster.Finding, at int) nav.Answer {
	every := func(int) bool { return true }
	switch {
	case key.Matches(k, keys.NextProblem):
		return p.goTo(s, findings, nav.Next(len(findings), at, +1, every))
	case key.Matches(k, keys.PrevProblem):
		return p.goTo(s, findings, nav.Next(len(findings), at, -1, every))
	case key.Matches(k, keys.Open):
		return p.open(s, findings, at)
	case key.Matches(k, keys.Filter):
		p.filter.Open(s.Job.ID)
		return nav.Taken
	case key.Matches(k, keys.Back) && p.filter.On(s.Job.ID):
		p.filter.Clear(s.Job.ID)
		return nav.Taken
	// the cursor is on a problem, not on a node
	case key.Matches(k, keys.Left, keys.Right, keys.PrevNode, keys.NextNode):
		return nav.Taken
	}
	return nav.Answer{}
}

// typed gives a message to the prompt, and takes the cursor to a problem that matches.
func (p *Problems) typed(msg tea.Msg, s *part.Scene) nav.Answer {
	if !p.filter.Press(msg) {
		return nav.Answer{}
	}
	findings := p.findings(s)
	return p.goTo(s, findings, p.cursor.At(p.list(s, findings)))
}

// open goes to the GPU of a problem, or to its node.
func (p *Problems) open(s *part.Scene, findings []cluster.Finding, i int) nav.Answer {
	a := p.goTo(s, findings, i)
	switch on := p.cursor.On(); {
	case a.Node == "":
	case on.key != "" && tally.Shows(s.NodeOf(a.Node)):
		a.Page, a.GPU = keys.OnGPU, on.key
	default:
		a.Page = keys.OnNode
	}
	return a
}

// within scrolls inside a problem that is higher than the screen, and reports whether there was something to scroll.
func (p *Problems) within(k tea.KeyPressMsg, s *part.Scene, finding *cluster.Finding) bool {
	room := max(s.H-1-problemsTop, 1)
	most := max(part.SentenceRows(&part.Frame{Scene: s}, finding)-room, 0)
	from := min(p.skip, most)
	to, _ := nav.Scroll(k, from, room, room, most)
	if key.Matches(k, keys.First, keys.Last) || to == from {
		return false
	}
	p.skip = to
	return true
}

// click selects the problem under the mouse, and opens the one that is selected.
func (p *Problems) click(m tea.MouseClickMsg, s *part.Scene, findings []cluster.Finding) nav.Answer {
	at, again := p.cursor.Click(m, p.list(s, findings), problemsTop)
	if again {
		return p.open(s, findings, at)
	}
	return p.on(findings, at)
}

// Wants nothing.
func (p *Problems) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Draw draws the page.
func (p *Problems) Draw(f *part.Frame) {
	part.Header(f, false)
	findings := p.findings(f.Scene)
	title := "Problems"
	if f.Job.ID != "" {
		title += " of job " + f.Job.ID
	}
	f.Section(2, title, "")
	x, all := 2+draw.Width(title)+2, len(f.Health.Listed(""))
	if p.filter.On(f.Job.ID) {
		x = f.Put(x+1, 2, " "+p.filter.Title(f.Job.ID, len(findings), all, "", "", f.W-x-6)+" ", draw.Strong)
	}
	if right := p.position(f, findings); x+draw.Width(right)+4 < f.W-2 {
		f.RuleEnd(2, right)
	}
	switch {
	case len(findings) > 0:
		p.draw(f, findings)
	case all > 0:
		f.Left(3, problemsTop, f.W-4, p.filter.None(f.Job.ID, "problems", f.W-4), draw.Text)
	default:
		f.Left(3, problemsTop, f.W-4, "no problems", draw.Dim)
	}
	if p.filter.Typing(f.Job.ID) {
		p.filter.Draw(f, len(findings), all)
		return
	}
	part.Footer(f, "", p.hints(f.Scene)...)
}

// position says which problems are on the screen, or else their order.
func (p *Problems) position(f *part.Frame, findings []cluster.Finding) string {
	return cmp.Or(p.cursor.Window(p.list(f.Scene, findings)).Where(), "worst first")
}

// draw draws the problems that fit.
func (p *Problems) draw(f *part.Frame, findings []cluster.Finding) {
	l := p.list(f.Scene, findings)
	w, at, y := p.cursor.Window(l), p.cursor.At(l), problemsTop
	for i := w.From; i < w.From+w.Shown; i++ {
		skip := 0
		if i == at {
			skip = min(p.skip, max(part.SentenceRows(f, &findings[i])-max(f.H-1-problemsTop, 1), 0))
		}
		below := part.Sentence(f, y, skip, &findings[i])
		if i == at && y < f.H-1 {
			f.Put(0, y, "▸", draw.Strong)
			for row := y; row < min(below, f.H-1); row++ {
				f.Select(row, 0, f.W)
			}
		}
		y = below
	}
}

// hints are the keys of the footer, the most useful first.
func (p *Problems) hints(s *part.Scene) []keys.Hint {
	hints := hint.Released(s)
	if p.filter.On(s.Job.ID) {
		hints = append(hints, keys.HintOf(keys.Filter))
	}
	hints = append(hints, keys.HintOf(keys.Open))
	if len(s.Snap.Jobs) > 1 {
		hints = append(hints, keys.Jobs)
	}
	hints = append(hints, keys.HintOf(keys.Doctor), keys.HintOf(keys.Overview), keys.HintOf(keys.Filter),
		keys.HintOf(keys.Refresh), keys.HintOf(keys.Back))
	return append(hint.Once(hints), hint.Last...)
}

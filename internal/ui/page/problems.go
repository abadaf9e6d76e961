package page

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/filter/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
)

// Problems lists every finding of the job in full sentences. The node of the finding under the cursor is the selected node.
type Problems struct {
	at   place // of the cursor
	last int   // its place in the list; that of the next one when it is gone
	from int   // the first one on the screen
	skip int   // lines of the one under the cursor that are scrolled away: it alone is higher than the screen

	filter *prompt.Filter
}

// NewProblems returns the page as it is at the start.
func NewProblems(past *prompt.History) *Problems {
	return &Problems{filter: prompt.New(rows.ProblemFields, past)}
}

// findings are those that match the filter, in their order.
func (p *Problems) findings(s *part.Scene) []cluster.Finding {
	r := rows.Problem{Snapshot: s.Snap}
	return filter.Keep(p.filter.Expr(s.Job.ID), s.Health.Listed(""), r.Of)
}

// place is what a finding is about. Findings with equal places, such as two failed collectors, are distinguished by their
// list index.
type place struct {
	node, key string
	gpu       int
	kind      cluster.Kind
}

func placeOf(f *cluster.Finding) place { return place{f.Node, f.Key, f.GPU, f.Kind} }

// problemsTop is the row of the first line.
const problemsTop = 3

// Begin puts the cursor on the worst problem of the selected node, or of the job when that node has none, and returns the problem's node.
func (p *Problems) Begin(s *part.Scene) string {
	findings := p.findings(s)
	i := max(slices.IndexFunc(findings, func(f cluster.Finding) bool { return f.Node == s.Node.Name }), 0)
	*p = Problems{filter: p.filter}
	return p.goTo(s, i).Node
}

// cursor is the place of the cursor in the list.
func (p *Problems) cursor(findings []cluster.Finding) int {
	if p.last < len(findings) && placeOf(&findings[p.last]) == p.at {
		return p.last
	}
	if i := slices.IndexFunc(findings, func(f cluster.Finding) bool { return placeOf(&f) == p.at }); i >= 0 {
		return i
	}
	return max(min(p.last, len(findings)-1), 0)
}

// goTo puts the cursor on a problem, or on the next one that there is.
func (p *Problems) goTo(s *part.Scene, i int) nav.Answer {
	findings := p.findings(s)
	if len(findings) == 0 {
		return nav.Taken
	}
	i = max(min(i, len(findings)-1), 0)
	if i != p.last || placeOf(&findings[i]) != p.at {
		p.skip = 0
	}
	p.at, p.last = placeOf(&findings[i]), i
	p.from, _ = p.window(s, findings)
	return nav.Answer{Taken: true, Node: findings[i].Node}
}

// window is the first problem on the screen and the first below it. The cursor is between them.
func (p *Problems) window(s *part.Scene, findings []cluster.Finding) (from, to int) {
	f := &part.Frame{Scene: s} // to measure
	room := max(s.H-1-p.filter.Rows(s.Job.ID)-problemsTop, 1)
	at := p.cursor(findings)
	from = min(p.from, at)
	rows := 0
	for i := at; i >= from && i < len(findings); i-- {
		if rows += part.SentenceRows(f, &findings[i]); rows > room && i < at {
			from = i + 1
			break
		}
	}
	rows = 0
	for i := len(findings) - 1; i >= 0; i-- { // the last page is full
		if rows += part.SentenceRows(f, &findings[i]); rows > room {
			break
		}
		from = min(from, i)
	}
	for to, rows = from, 0; to < len(findings); to++ {
		if rows += part.SentenceRows(f, &findings[to]); rows > room && to > from {
			break
		}
	}
	return from, to
}

// Press moves the cursor, and opens the GPU or the node of a problem.
func (p *Problems) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if p.filter.Typing(s.Job.ID) {
		return p.typed(msg, s)
	}
	p.filter.Close() // it was for another job
	findings := p.findings(s)
	at := p.cursor(findings)
	from, to := p.window(s, findings)
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		return p.goTo(s, at+nav.Notches(m)*nav.WheelRows)
	case tea.MouseClickMsg:
		return p.click(s, m, findings)
	case tea.KeyPressMsg:
		if len(findings) > 0 && p.within(m, s, &findings[at]) {
			return nav.Taken
		}
		switch {
		case key.Matches(m, keys.Up):
			return p.goTo(s, at-1)
		case key.Matches(m, keys.Down):
			return p.goTo(s, at+1)
		case key.Matches(m, keys.PageUp):
			p.from = 0 // the page ends above this one
			return p.goTo(s, from-1)
		case key.Matches(m, keys.PageDown):
			p.from = to
			return p.goTo(s, to)
		case key.Matches(m, keys.First):
			return p.goTo(s, 0)
		case key.Matches(m, keys.Last):
			return p.goTo(s, len(findings)-1)
		case key.Matches(m, keys.NextProblem):
			return p.goTo(s, (at+1)%max(len(findings), 1))
		case key.Matches(m, keys.PrevProblem):
			return p.goTo(s, (at+len(findings)-1)%max(len(findings), 1))
		case key.Matches(m, keys.Open):
			return p.open(s, at)
		case key.Matches(m, keys.Filter):
			p.filter.Open(s.Job.ID)
			return nav.Taken
		case key.Matches(m, keys.Back) && p.filter.On(s.Job.ID):
			p.filter.Clear(s.Job.ID)
			return nav.Taken
		case key.Matches(m, keys.Left, keys.Right, keys.PrevNode, keys.NextNode): // the cursor is on a problem, not on a node
			return nav.Taken
		}
	}
	return nav.Answer{}
}

// typed gives a message to the prompt, and takes the cursor to a problem that matches.
func (p *Problems) typed(msg tea.Msg, s *part.Scene) nav.Answer {
	if !p.filter.Press(msg) {
		return nav.Answer{}
	}
	return p.goTo(s, p.cursor(p.findings(s)))
}

// open goes to the GPU of a problem, or to its node.
func (p *Problems) open(s *part.Scene, i int) nav.Answer {
	a := p.goTo(s, i)
	switch {
	case p.at.key != "" && a.Node != "" && tally.HasNumbers(s.NodeOf(a.Node)):
		a.Full, a.GPU = true, p.at.key
	default:
		a.Open = a.Node != ""
	}
	return a
}

// within scrolls inside a problem that is higher than the screen, and reports whether there was something to scroll.
func (p *Problems) within(k tea.KeyPressMsg, s *part.Scene, finding *cluster.Finding) bool {
	room := max(s.H-1-problemsTop, 1)
	most := max(part.SentenceRows(&part.Frame{Scene: s}, finding)-room, 0)
	from := min(p.skip, most)
	to, _ := scrolled(k, from, room, room, most)
	if key.Matches(k, keys.First, keys.Last) || to == from {
		return false
	}
	p.skip = to
	return true
}

// click selects the problem under the mouse, and opens the one that is selected.
func (p *Problems) click(s *part.Scene, m tea.MouseClickMsg, findings []cluster.Finding) nav.Answer {
	f := &part.Frame{Scene: s}
	from, to := p.window(s, findings)
	y := problemsTop
	for i := from; i < to && m.Button == tea.MouseLeft; i++ {
		rows := part.SentenceRows(f, &findings[i])
		if m.Y >= y && m.Y < y+rows {
			if i == p.cursor(findings) {
				return p.open(s, i)
			}
			return p.goTo(s, i)
		}
		y += rows
	}
	return nav.Taken
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
		ruleEnd(f, 2, right)
	}
	switch {
	case len(findings) > 0:
		p.list(f, findings)
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
	from, to := p.window(f.Scene, findings)
	return cmp.Or(nav.Position(from, to, len(findings)), "worst first")
}

// list draws the problems that fit.
func (p *Problems) list(f *part.Frame, findings []cluster.Finding) {
	at, y := p.cursor(findings), problemsTop
	from, to := p.window(f.Scene, findings)
	for i := from; i < to; i++ {
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
	hints := released(s)
	if p.filter.On(s.Job.ID) {
		hints = append(hints, keys.HintOf(keys.Filter))
	}
	hints = append(hints, keys.HintOf(keys.Open))
	if len(s.Snap.Jobs) > 1 {
		hints = append(hints, keys.Jobs)
	}
	hints = append(hints, keys.HintOf(keys.Doctor), keys.HintOf(keys.Overview), keys.HintOf(keys.Filter), keys.HintOf(keys.Refresh), keys.HintOf(keys.Back))
	return append(once(hints), last...)
}

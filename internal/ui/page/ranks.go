package page

import (
	"cmp"
	"math"
	"slices"

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

// Ranks lists the processes of all nodes of the job by rank, and the ranks that have none. The node of the row under
// the cursor is the selected node.
type Ranks struct {
	order  table.RankOrder
	of     string // ID of the job that the cursor is for
	cursor nav.Cursor[rankPlace]
	filter *prompt.Filter
}

// NewRanks returns the page as it is at the start.
func NewRanks(past *prompt.History) *Ranks {
	return &Ranks{filter: prompt.New(filter.Of(&rows.Processes), past)}
}

// Match shows only these rows, until the user filters them.
func (p *Ranks) Match(e *filter.Expr) { p.filter.Begin(e) }

// rankPlace is what a row is about: it stays when the rows are sorted anew.
type rankPlace struct {
	node          string
	rank, number  int
	pid, gpuIndex int
}

func rankPlaceOf(r *tally.RankRow) rankPlace {
	p := rankPlace{node: r.Node, rank: -1, number: r.Number}
	if r.Rank != nil {
		p.rank = r.Rank.Rank
	}
	if r.Process != nil {
		p.pid, p.gpuIndex = r.Process.PID, r.Process.GPU
	}
	return p
}

// Begin puts the cursor on the worst row of the selected node, and returns the row's node. A cursor that is on that
// node stays. free says that the user has chosen no node: then, the first time, the cursor goes to the rank that holds
// the job up, wherever it is.
func (p *Ranks) Begin(s *part.Scene, free bool) string {
	rows, first := p.rows(s), p.of != s.Job.ID
	p.of = s.Job.ID
	here := func(r *tally.RankRow) bool { return r.Node == s.Node.Name }
	if at := slices.IndexFunc(rows, func(r tally.RankRow) bool {
		return rankPlaceOf(&r) == p.cursor.On() &&
			here(&r)
	}); !first && at >= 0 {
		return p.goTo(s, rows, at).Node
	}
	p.cursor.Top()
	if at := worstRow(s, rows, func(*tally.RankRow) bool { return true }); first && free && at >= 0 &&
		urgency(s, &rows[at]) >= holdsUp {
		return p.goTo(s, rows, at).Node
	}
	return p.goTo(s, rows, max(worstRow(s, rows, here), 0)).Node
}

// worstRow is the place of the first of the most urgent among some of the rows, -1 if there are none.
func worstRow(s *part.Scene, rows []tally.RankRow, among func(r *tally.RankRow) bool) int {
	at, most := -1, -1
	for i := range rows {
		if !among(&rows[i]) {
			continue
		}
		if u := urgency(s, &rows[i]); u > most {
			at, most = i, u
		}
	}
	return at
}

// urgency orders rows by their trouble, among equals those first that slow the job.
func urgency(s *part.Scene, r *tally.RankRow) int {
	u := map[draw.Role]int{draw.Warn: 1, draw.Crit: holdsUp + 1}[part.RankRole(s, r)]
	if u > 0 && slowsJob(s, r) {
		u++
	}
	return u
}

// holdsUp is the urgency from which a rank holds the whole job up: it is slow, missing or gone, or its GPU is lost.
const holdsUp = 2

// slowsJob says that the job waits for a rank.
func slowsJob(s *part.Scene, r *tally.RankRow) bool {
	if r.State == tally.RankGone || r.State == tally.RankUnseen {
		return true
	}
	return r.GPU != nil && slices.ContainsFunc(s.Health.OfGPU(r.Node, r.GPU),
		func(f *cluster.Finding) bool { return f.Kind.SlowsJob() })
}

// inTrouble reports whether a row has a warning or an error. The ranks of a node that does not report are not looked
// through.
func inTrouble(s *part.Scene, r *tally.RankRow) bool {
	role := part.RankRole(s, r)
	return role == draw.Warn || role == draw.Crit
}

// rows are those rows that match the filter, in the chosen order.
func (p *Ranks) rows(s *part.Scene) []tally.RankRow { return p.matching(s, p.all(s)) }

// ranksKey is a key of part.Once, matchingKey one of part.Latest.
type (
	ranksKey    struct{ order table.RankOrder }
	matchingKey struct{}
)

// matchingOf is what the rows that match depend on.
type matchingOf struct {
	order table.RankOrder
	expr  *filter.Expr
}

// matching are those of the rows that match the filter.
func (p *Ranks) matching(s *part.Scene, all []tally.RankRow) []tally.RankRow {
	expr := p.filter.Expr(s.Job.ID)
	return part.Latest(s, matchingKey{}, matchingOf{p.order, expr}, func() []tally.RankRow {
		r := rows.Rank{Snapshot: s.Snap, Job: s.Job, Findings: s.Health.ByNode}
		return filter.Keep(expr, &rows.Processes, all, r.Of)
	})
}

// all are all rows in the chosen order. A program's helpers have no rank: they come behind its ranks.
func (p *Ranks) all(s *part.Scene) []tally.RankRow {
	return part.Once(s, ranksKey{p.order}, func() []tally.RankRow { return p.sorted(s) })
}

func (p *Ranks) sorted(s *part.Scene) []tally.RankRow {
	if p.order == table.ByRank {
		return tally.Ranks(s.Snap, s.Job)
	}
	byRank := part.Once(s, ranksKey{table.ByRank}, func() []tally.RankRow { return tally.Ranks(s.Snap, s.Job) })
	places := make([]ranked, len(byRank))
	for i := range byRank {
		places[i] = ranked{classOf(&byRank[i]), p.weight(&byRank[i]), i}
	}
	slices.SortFunc(places, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.weight, b.weight), cmp.Compare(a.at, b.at))
	})
	rows := make([]tally.RankRow, len(places))
	for i := range places {
		rows[i] = byRank[places[i].at]
	}
	return rows
}

// ranked is where a row stands. Rows are large: there may be thousands, and these are what is sorted.
type ranked struct {
	class  int
	weight float64
	at     int // by rank
}

// classOf orders rows whatever else they are sorted by: ranks that are gone or missing, processes with a rank, those
// without one, and ranks of which nothing is known.
func classOf(r *tally.RankRow) int {
	switch {
	case r.State == tally.RankGone, r.State == tally.RankUnseen:
		return 0
	case r.Process == nil:
		return 3
	case r.Rank == nil:
		return 2
	}
	return 1
}

// weight orders processes: numbers that are not known come last.
func (p *Ranks) weight(r *tally.RankRow) float64 {
	switch process := r.Process; {
	case process == nil:
		return 0
	case p.order == table.BySM && process.SMPercent != nil:
		return float64(*process.SMPercent)
	case p.order == table.ByCPU && process.CPUPercent != nil:
		return *process.CPUPercent
	case p.order == table.ByMemory && process.GPUMemory != nil:
		return -float64(*process.GPUMemory)
	}
	return math.Inf(1)
}

// list is the list as it is now.
func (p *Ranks) list(s *part.Scene, rows []tally.RankRow) nav.List[rankPlace] {
	return nav.List[rankPlace]{N: len(rows), Room: s.H - 1 - p.filter.Rows(s.Job.ID) - p.top(s, rows),
		Key: func(i int) rankPlace { return rankPlaceOf(&rows[i]) }}
}

// goTo puts the cursor on a row, or on the nearest one that there is.
func (p *Ranks) goTo(s *part.Scene, rows []tally.RankRow, i int) nav.Answer {
	return onRow(rows, p.cursor.GoTo(p.list(s, rows), i))
}

// onRow says that the cursor is on a row; -1: there is none.
func onRow(rows []tally.RankRow, i int) nav.Answer {
	if i < 0 {
		return nav.Taken
	}
	return nav.To(nav.Go{Node: rows[i].Node})
}

// top is the row of the screen with the first row.
func (p *Ranks) top(s *part.Scene, rows []tally.RankRow) int {
	return ranksHead + 1 + len(p.unranked(&part.Frame{Scene: s}, rows))
}

// ranksHead is the row of the headings, below what unranked says.
const ranksHead = 3

// Press moves the cursor, sorts, and opens the GPU or the node of a row.
func (p *Ranks) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if p.filter.Typing(s.Job.ID) {
		return p.typed(msg, s)
	}
	p.filter.Close() // it was for another job
	rows := p.rows(s)
	l := p.list(s, rows)
	if at, moved := p.cursor.Move(msg, l); moved {
		return onRow(rows, at)
	}
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		return p.click(m, s, rows)
	case tea.KeyPressMsg:
		return p.step(m, s, rows, p.cursor.At(l))
	}
	return nav.Answer{}
}

// typed gives a message to the prompt, and takes the cursor to a row that matches.
func (p *Ranks) typed(msg tea.Msg, s *part.Scene) nav.Answer {
	if !p.filter.Press(msg) {
		return nav.Answer{}
	}
	rows := p.rows(s)
	return p.goTo(s, rows, p.cursor.At(p.list(s, rows)))
}

// step answers a key.
func (p *Ranks) step(k tea.KeyPressMsg, s *part.Scene, rows []tally.RankRow, at int) nav.Answer {
	switch {
	case key.Matches(k, keys.NextProblem):
		return p.goTo(s, rows, nextInTrouble(s, rows, at, +1))
	case key.Matches(k, keys.PrevProblem):
		return p.goTo(s, rows, nextInTrouble(s, rows, at, -1))
	case key.Matches(k, keys.Worst):
		p.order = (p.order + 1) % table.RankOrders
		p.cursor.Top()
		return p.goTo(s, p.rows(s), 0)
	case key.Matches(k, keys.Open):
		return p.open(s, rows, at)
	case key.Matches(k, keys.Filter):
		p.filter.Open(s.Job.ID)
		return nav.Taken
	case key.Matches(k, keys.Back) && p.filter.On(s.Job.ID):
		p.filter.Clear(s.Job.ID)
		return nav.Taken
	case key.Matches(k, keys.SignalInt, keys.SignalTerm, keys.SignalKill, keys.SignalAny):
		return p.signal(k, s, rows, at)
	case key.Matches(k, keys.Left, keys.Right, keys.PrevNode, keys.NextNode): // the cursor is on a rank, not on a node
		return nav.Taken
	}
	return nav.Answer{}
}

// nextInTrouble is the place of the next row with a warning or an error, round the end; the same place if there is no
// other.
func nextInTrouble(s *part.Scene, rows []tally.RankRow, at, by int) int {
	return nav.Next(len(rows), at, by, func(i int) bool { return inTrouble(s, &rows[i]) })
}

// click selects the row under the mouse, and opens the one that is selected.
func (p *Ranks) click(m tea.MouseClickMsg, s *part.Scene, rows []tally.RankRow) nav.Answer {
	at, again := p.cursor.Click(m, p.list(s, rows), p.top(s, rows))
	if again {
		return p.open(s, rows, at)
	}
	return onRow(rows, at)
}

// Wants the processes of all nodes.
func (p *Ranks) Wants(*part.Scene) nav.Wants { return nav.Wants{Everywhere: true} }

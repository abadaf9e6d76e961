package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Ranks lists the processes of all nodes of the job by rank, and the ranks that have none. The node of the row under the cursor is the
// selected node.
type Ranks struct {
	order table.RankOrder
	at    rankPlace // of the cursor
	last  int       // its place in the list; that of the next one when it is gone
	from  int       // the first one on the screen
}

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

// Begin puts the cursor on the first row in trouble of the selected node, else on its first row, and returns the row's node.
func (p *Ranks) Begin(s *part.Scene) string {
	rows := p.rows(s)
	of := func(worst bool) func(r tally.RankRow) bool {
		return func(r tally.RankRow) bool { return r.Node == s.Node.Name && (!worst || inTrouble(s, &r)) }
	}
	i := slices.IndexFunc(rows, of(true))
	if i < 0 {
		i = slices.IndexFunc(rows, of(false))
	}
	p.from = 0
	return p.goTo(s, rows, max(i, 0)).Node
}

// inTrouble reports whether a row has a warning or an error. The ranks of a node that does not report are not looked through.
func inTrouble(s *part.Scene, r *tally.RankRow) bool {
	role := part.RankRole(s, r)
	return role == draw.Warn || role == draw.Crit
}

// rows are the rows in the chosen order. A program's helpers have no rank: they come behind its ranks.
func (p *Ranks) rows(s *part.Scene) []tally.RankRow {
	rows := tally.Ranks(s.Snap, s.Job)
	if p.order != table.ByRank {
		slices.SortStableFunc(rows, func(a, b tally.RankRow) int {
			return cmp.Or(cmp.Compare(classOf(&a), classOf(&b)), cmp.Compare(p.weight(&a), p.weight(&b)))
		})
	}
	return rows
}

// classOf orders rows whatever else they are sorted by: ranks that are gone or missing, processes with a rank, those without one, and ranks
// of which nothing is known.
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

// cursor is the place of the cursor in the list.
func (p *Ranks) cursor(rows []tally.RankRow) int {
	if p.last < len(rows) && rankPlaceOf(&rows[p.last]) == p.at {
		return p.last
	}
	if i := slices.IndexFunc(rows, func(r tally.RankRow) bool { return rankPlaceOf(&r) == p.at }); i >= 0 {
		return i
	}
	return max(min(p.last, len(rows)-1), 0)
}

// goTo puts the cursor on a row, or on the nearest one that there is.
func (p *Ranks) goTo(s *part.Scene, rows []tally.RankRow, i int) Answer {
	if len(rows) == 0 {
		return taken
	}
	i = max(min(i, len(rows)-1), 0)
	p.at, p.last = rankPlaceOf(&rows[i]), i
	p.from = p.window(s, rows).from
	return Answer{Taken: true, Node: rows[i].Node}
}

// window is which rows are on the screen, the one under the cursor among them.
func (p *Ranks) window(s *part.Scene, rows []tally.RankRow) window {
	room := max(s.H-1-p.top(s, rows), 1)
	at := p.cursor(rows)
	from := min(max(p.from, at-room+1), at)
	from = max(min(from, len(rows)-room), 0)
	return window{from: from, shown: min(room, len(rows)-from), all: len(rows)}
}

// top is the row of the screen with the first row.
func (p *Ranks) top(s *part.Scene, rows []tally.RankRow) int {
	return ranksHead + 1 + len(unranked(&part.Frame{Scene: s}, rows))
}

// ranksHead is the row of the headings, below what unranked says.
const ranksHead = 3

// unranked says why no process has a rank.
func unranked(f *part.Frame, rows []tally.RankRow) []string {
	if len(rows) == 0 || slices.ContainsFunc(rows, func(r tally.RankRow) bool { return r.Rank != nil }) {
		return nil
	}
	return f.Wrapped("No ranks are known: your processes have none of " + rankVariables + " in their environment. nvnodetop reads it for your own processes only.")
}

// rankVariables are the variables that name a rank.
const rankVariables = "RANK, SLURM_PROCID, OMPI_COMM_WORLD_RANK, PMIX_RANK"

// Press moves the cursor, sorts, and opens the GPU or the node of a row.
func (p *Ranks) Press(msg tea.Msg, s *part.Scene) Answer {
	rows := p.rows(s)
	at := p.cursor(rows)
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		return p.goTo(s, rows, at+notches(m)*wheelRows)
	case tea.MouseClickMsg:
		return p.click(s, m, rows, at)
	case tea.KeyPressMsg:
		return p.step(m, s, rows, at)
	}
	return Answer{}
}

// step answers a key.
func (p *Ranks) step(k tea.KeyPressMsg, s *part.Scene, rows []tally.RankRow, at int) Answer {
	w := p.window(s, rows)
	switch {
	case key.Matches(k, keys.Up):
		return p.goTo(s, rows, at-1)
	case key.Matches(k, keys.Down):
		return p.goTo(s, rows, at+1)
	case key.Matches(k, keys.PageUp):
		p.from = max(w.from-w.shown, 0)
		return p.goTo(s, rows, at-w.shown)
	case key.Matches(k, keys.PageDown):
		p.from = w.from + w.shown
		return p.goTo(s, rows, at+w.shown)
	case key.Matches(k, keys.First):
		return p.goTo(s, rows, 0)
	case key.Matches(k, keys.Last):
		return p.goTo(s, rows, len(rows)-1)
	case key.Matches(k, keys.NextProblem):
		return p.goTo(s, rows, nextInTrouble(s, rows, at, +1))
	case key.Matches(k, keys.PrevProblem):
		return p.goTo(s, rows, nextInTrouble(s, rows, at, -1))
	case key.Matches(k, keys.Worst):
		p.order, p.from = (p.order+1)%table.RankOrders, 0
		return p.goTo(s, p.rows(s), 0)
	case key.Matches(k, keys.Open):
		return p.open(s, rows, at)
	case key.Matches(k, keys.Left, keys.Right, keys.PrevNode, keys.NextNode): // the cursor is on a rank, not on a node
		return taken
	}
	return Answer{}
}

// open goes to the GPU of the row at that place, or to its node.
func (p *Ranks) open(s *part.Scene, rows []tally.RankRow, at int) Answer {
	a := p.goTo(s, rows, at)
	if a.Node == "" {
		return a
	}
	if g := rows[p.last].GPU; g != nil && tally.HasNumbers(s.NodeOf(a.Node)) {
		a.Full, a.GPU = true, g.Key
	} else {
		a.Open = true
	}
	return a
}

// nextInTrouble is the place of the next row with a warning or an error, round the end; the same place if there is none.
func nextInTrouble(s *part.Scene, rows []tally.RankRow, at, by int) int {
	n := len(rows)
	for i := 1; i <= n; i++ {
		if next := ((at+i*by)%n + n) % n; inTrouble(s, &rows[next]) {
			return next
		}
	}
	return at
}

// click selects the row under the mouse, and opens the one that is selected.
func (p *Ranks) click(s *part.Scene, m tea.MouseClickMsg, rows []tally.RankRow, at int) Answer {
	w := p.window(s, rows)
	i := w.from + m.Y - p.top(s, rows)
	if m.Button != tea.MouseLeft || i < w.from || i >= w.from+w.shown {
		return taken
	}
	if i == at {
		return p.open(s, rows, i)
	}
	return p.goTo(s, rows, i)
}

// Wants the processes of all nodes.
func (p *Ranks) Wants(*part.Scene) Wants { return Wants{Everywhere: true} }

// Draw draws the page.
func (p *Ranks) Draw(f *part.Frame) {
	part.Header(f, false)
	rows := p.rows(f.Scene)
	w := p.window(f.Scene, rows)
	title := "Ranks"
	if f.Job.ID != "" {
		title += " of job " + f.Job.ID
	}
	f.Section(2, title, "")
	p.count(f, rows, w, 2+draw.Width(title)+3)
	y := ranksHead
	for _, line := range unranked(f, rows) {
		f.Left(3, y, f.W-4, line, draw.Dim)
		y++
	}
	if len(rows) == 0 {
		f.Left(3, y, f.W-4, noRanks(f), draw.Dim)
	} else {
		p.table(f, y, rows, w)
	}
	part.Footer(f, "", p.hints(f.Scene)...)
}

// table draws the rows that fit, with their headings in row y.
func (p *Ranks) table(f *part.Frame, y int, rows []tally.RankRow, w window) {
	t := table.NewRanks(f)
	t.Head(f, y, p.order)
	at := p.cursor(rows)
	for i := w.from; i < w.from+w.shown && y+1 < f.H-1; i++ {
		y++
		t.Row(f, y, &rows[i], i == at)
	}
}

// noRanks says why there are no rows.
func noRanks(f *part.Frame) string {
	waits := func(name string) bool { n := f.NodeOf(name); return n.State != cluster.NodeReporting || !n.Listed }
	if slices.ContainsFunc(f.Job.Nodes, waits) {
		return "· waiting for the process lists of the nodes"
	}
	return "no processes on the GPUs of this job"
}

// count says right in the rule, from column x on, how many ranks there are and how many are gone: "WORLD_SIZE 16  15 of 16 ranks  1 gone".
func (p *Ranks) count(f *part.Frame, rows []tally.RankRow, w window, x int) {
	c := countRanks(rows)
	var pieces [][]part.Piece
	if c.world > 0 {
		pieces = append(pieces, []part.Piece{part.Dim("  WORLD_SIZE " + strconv.Itoa(c.world))})
		pieces = append(pieces, []part.Piece{part.Dim("  " + strconv.Itoa(c.run) + " of " + strconv.Itoa(c.world) + " ranks")})
	} else if c.run > 0 {
		pieces = append(pieces, []part.Piece{part.Dim("  " + part.Plural(c.run, "rank", "ranks"))})
	}
	if c.gone > 0 {
		m := part.Marks[cluster.Critical]
		pieces = append(pieces, []part.Piece{{Text: "  " + m.Glyph + " " + strconv.Itoa(c.gone) + " gone", Role: m.Role}})
	}
	if where := w.where(); where != "" {
		pieces = append(pieces, []part.Piece{part.Dim("  " + where)})
	}
	for len(pieces) > 0 && x+part.Width(slices.Concat(pieces...))+3 > f.W {
		pieces = pieces[1:]
	}
	if line := slices.Concat(pieces...); len(line) > 0 {
		line[0].Text = " " + strings.TrimLeft(line[0].Text, " ")
		line = append(line, part.Dim(" "))
		f.Pieces(f.W-2-part.Width(line), 2, line...)
	}
}

// rankCount counts ranks.
type rankCount struct {
	world     int // of the one program that there is; 0: not known, or several
	run, gone int
}

func countRanks(rows []tally.RankRow) (c rankCount) {
	seen, worlds := map[int]bool{}, map[int]bool{}
	for i := range rows {
		r := &rows[i]
		if r.Rank == nil {
			continue
		}
		world := 0
		if r.Rank.World != nil {
			world = *r.Rank.World
		}
		worlds[world] = true
		c.world = world
		switch {
		case r.State == tally.RankGone:
			c.gone++
		case r.State == tally.RankRuns && !seen[r.Rank.Rank]:
			seen[r.Rank.Rank] = true
			c.run++
		}
	}
	if len(worlds) > 1 {
		c.world = 0
	}
	return c
}

// rankOrders are the orders in the footer.
var rankOrders = [table.RankOrders]string{table.ByRank: "rank", table.BySM: "%SM", table.ByCPU: "%CPU", table.ByMemory: "memory"}

// hints are the keys of the footer, the most useful first.
func (p *Ranks) hints(s *part.Scene) []keys.Hint {
	hints := append(released(s), keys.HintOf(keys.Open), keys.HintOf(keys.Worst).As("sort: "+rankOrders[p.order]))
	if len(s.Snap.Jobs) > 1 {
		hints = append(hints, keys.Jobs)
	}
	hints = append(hints, keys.Problem, keys.HintOf(keys.Problems), keys.HintOf(keys.Overview), keys.HintOf(keys.Refresh), keys.HintOf(keys.Back))
	return append(hints, last...)
}

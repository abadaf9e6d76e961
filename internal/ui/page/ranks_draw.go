package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/hint"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Draw draws the page.
func (p *Ranks) Draw(f *part.Frame) {
	part.Header(f, false)
	all := p.all(f.Scene)
	rows := p.matching(f.Scene, all)
	w := p.cursor.Window(p.list(f.Scene, rows))
	title := "Ranks"
	if f.Job.ID != "" {
		title += " of job " + f.Job.ID
	}
	f.Section(2, title, "")
	x := 2 + draw.Width(title) + 2
	if p.filter.On(f.Job.ID) {
		x = f.Put(x+1, 2, " "+p.filter.Title(f.Job.ID, len(rows), len(all), "", "", f.W-x-6)+" ", draw.Strong)
	}
	p.count(f, all, w, x+1)
	y := ranksHead
	for _, line := range p.unranked(f, rows) {
		f.Left(3, y, f.W-4, line, draw.Dim)
		y++
	}
	switch {
	case len(rows) > 0:
		p.table(f, y, rows, w)
	case len(all) > 0:
		f.Left(3, y, f.W-4, p.filter.None(f.Job.ID, "rows", f.W-4), draw.Text)
	default:
		f.Left(3, y, f.W-4, part.NoProcessesOfJob(f), draw.Dim)
	}
	if p.filter.Typing(f.Job.ID) {
		p.filter.Draw(f, len(rows), len(all))
		return
	}
	part.Footer(f, "", p.hints(f.Scene)...)
}

// table draws the rows that fit, with their headings in row y.
func (p *Ranks) table(f *part.Frame, y int, rows []tally.RankRow, w nav.Window) {
	t := table.NewRanks(f, slices.ContainsFunc(rows, func(r tally.RankRow) bool { return r.Program > 0 }))
	t.Head(f, y, p.order)
	at := p.cursor.At(p.list(f.Scene, rows))
	for i := w.From; i < w.From+w.Shown && y+1 < f.H-1; i++ {
		y++
		t.Row(f, y, &rows[i], i == at)
	}
}

// unranked says why no process has a rank. Of those that a filter shows that needs no reason.
func (p *Ranks) unranked(f *part.Frame, rows []tally.RankRow) []string {
	if len(rows) == 0 || p.filter.On(f.Job.ID) ||
		slices.ContainsFunc(rows, func(r tally.RankRow) bool { return r.Rank != nil }) {
		return nil
	}
	return f.Wrapped("No ranks are known: your processes have none of " + rankVariables +
		" in their environment. nvnodetop reads it for your own processes only.")
}

// rankVariables are the variables that name a rank.
const rankVariables = "RANK, SLURM_PROCID, OMPI_COMM_WORLD_RANK, HOROVOD_RANK, PMIX_RANK"

// count says right in the rule, from column x on, how many ranks there are and how many are gone: "WORLD_SIZE 16 15 of
// 16 ranks 1 gone".
func (p *Ranks) count(f *part.Frame, rows []tally.RankRow, w nav.Window, x int) {
	c := part.Once(f.Scene, countKey{}, func() rankCount { return countRanks(rows) })
	var pieces [][]part.Piece
	if c.programs > 1 {
		pieces = append(pieces, []part.Piece{part.Dim("  " + strconv.Itoa(c.programs) + " programs")})
	}
	if c.world > 0 {
		if c.programs == 1 {
			pieces = append(pieces, []part.Piece{part.Dim("  WORLD_SIZE " + strconv.Itoa(c.world))})
		}
		pieces = append(pieces, []part.Piece{part.Dim("  " + strconv.Itoa(c.run) + " of " + strconv.Itoa(c.world) +
			" ranks")})
	} else if c.run > 0 {
		pieces = append(pieces, []part.Piece{part.Dim("  " + part.Plural(c.run, "rank", "ranks"))})
	}
	if c.gone > 0 {
		m := part.Marks[cluster.Critical]
		pieces = append(pieces, []part.Piece{{Text: "  " + m.Glyph + " " + strconv.Itoa(c.gone) + " gone",
			Role: m.Role}})
	}
	if where := w.Where(); where != "" {
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

// countKey is a key of part.Once: of all rows, in any order.
type countKey struct{}

// rankCount counts ranks.
type rankCount struct {
	programs  int
	world     int // ranks that all programs together must have; 0: not known of one of them
	run, gone int
}

func countRanks(rows []tally.RankRow) (c rankCount) {
	type place struct{ program, rank int }
	seen, worlds := map[place]bool{}, map[int]int{}
	for i := range rows {
		r := &rows[i]
		if r.Rank == nil {
			continue
		}
		worlds[r.Program] = 0
		if r.Rank.World != nil {
			worlds[r.Program] = *r.Rank.World
		}
		id := place{r.Program, r.Rank.Rank}
		switch {
		case r.State == tally.RankGone:
			c.gone++
		case r.State == tally.RankRuns && !seen[id]:
			seen[id] = true
			c.run++
		}
	}
	c.programs = len(worlds)
	for _, world := range worlds {
		if world == 0 {
			c.world = 0
			break
		}
		c.world += world
	}
	return c
}

// rankOrders are the orders in the footer.
var rankOrders = [table.RankOrders]string{table.ByRank: "rank", table.BySM: "%SM", table.ByCPU: "%CPU",
	table.ByMemory: "memory"}

// hints are the keys of the footer, the most useful first.
func (p *Ranks) hints(s *part.Scene) []keys.Hint {
	filter := []keys.Hint{keys.HintOf(keys.Filter)}
	hints := hint.Released(s)
	if p.filter.On(s.Job.ID) {
		hints, filter = append(hints, filter...), nil
	}
	hints = append(hints, keys.HintOf(keys.Open), keys.HintOf(keys.Worst).As("sort: "+rankOrders[p.order]))
	if len(s.Snap.Jobs) > 1 {
		hints = append(hints, keys.Jobs)
	}
	hints = append(append(hints, filter...), keys.Problem, keys.HintOf(keys.Problems), keys.HintOf(keys.Manager),
		keys.HintOf(keys.Overview), keys.HintOf(keys.Refresh), keys.HintOf(keys.Back))
	return append(hints, hint.Last...)
}

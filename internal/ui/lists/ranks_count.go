package lists

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// whyNoRanks says why processes have no rank. It says nothing while a filter is on.
func (p *Ranks) whyNoRanks(f *part.Frame, v *list.View[tally.RankRow]) []string {
	if v.Len() == 0 || p.Filter.On(f.Job.ID) {
		return nil
	}
	unknown := tally.CountUnranked(func(yield func(string) bool) {
		for i := range v.Len() {
			if process := v.At(i).Process; process != nil && !yield(process.NoRank) {
				return
			}
		}
	})
	if unknown.Count > 0 {
		return f.Wrapped(unknown.String())
	}
	if v.Find(func(r *tally.RankRow) bool { return r.Rank != nil }) >= 0 {
		return nil
	}
	return f.Wrapped("No ranks found: none of " + rankVariables +
		" is set in your processes' environment. nvnodetop reads it for your own processes only.")
}

// rankVariables lists the environment variables that give a rank.
const rankVariables = "RANK, SLURM_PROCID, OMPI_COMM_WORLD_RANK, HOROVOD_RANK, PMIX_RANK"

// writeCount writes into the rule, from column x on, the number of ranks and of gone ranks: "WORLD_SIZE 16 15 of 16
// ranks 1 gone".
func (p *Ranks) writeCount(f *part.Frame, _ *list.View[tally.RankRow], where string, x int) {
	c := part.Once(f.Scene, countKey{}, func() rankCount { return countRanks(p.Unfiltered(f.Scene)) })
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
	if where != "" {
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

// countKey is a key of part.Once, for all rows in any order.
type countKey struct{}

// rankCount counts ranks.
type rankCount struct {
	programs  int
	world     int // expected number of ranks of all programs together; 0: unknown for one of them
	run, gone int
}

func countRanks(rows []tally.RankRow) (c rankCount) {
	type programRank struct{ program, rank int }
	seen, worlds := map[programRank]bool{}, map[int]int{}
	for i := range rows {
		r := &rows[i]
		if r.Rank == nil {
			continue
		}
		worlds[r.Program] = 0
		if r.Rank.World != nil {
			worlds[r.Program] = *r.Rank.World
		}
		id := programRank{r.Program, r.Rank.Rank}
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

package lists

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The ranks of several programs count together, if each tells how many it must have.
func TestCountRanks(t *testing.T) {
	row := func(program, rank, world int, state tally.RankState) tally.RankRow {
		r := tally.RankRow{Program: program, State: state, Rank: &wire.Rank{Rank: rank}}
		if world > 0 {
			r.Rank.World = &world
		}
		return r
	}
	const runs, gone = tally.RankRuns, tally.RankGone
	for name, tc := range map[string]struct {
		rows []tally.RankRow
		want rankCount
	}{
		"none": {nil, rankCount{}},
		"one program": {[]tally.RankRow{row(0, 0, 4, runs), row(0, 1, 4, gone)},
			rankCount{programs: 1, world: 4, run: 1, gone: 1}},
		"two programs": {[]tally.RankRow{row(1, 0, 4, runs), row(2, 0, 8, runs)}, rankCount{programs: 2, world: 12, run: 2}},
		"one of three unknown": {[]tally.RankRow{row(1, 0, 4, runs), row(2, 0, 0, runs), row(3, 0, 8, runs)},
			rankCount{programs: 3, run: 3}},
		"a rank twice": {[]tally.RankRow{row(0, 0, 2, runs), row(0, 0, 2, runs)},
			rankCount{programs: 1, world: 2, run: 1}},
		"without a program": {[]tally.RankRow{{State: runs}}, rankCount{}},
	} {
		if got := countRanks(tc.rows); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

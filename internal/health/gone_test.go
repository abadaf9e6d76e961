package health

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// ending is a training job on nodes with 8 GPUs each. Some of its ranks end, and may start again a minute later.
func ending(ends func(at time.Duration, rank int) bool, world int, again time.Duration) func(time.Duration,
	int) []wire.Process {
	return func(at time.Duration, node int) []wire.Process {
		var list []wire.Process
		for g := range 8 {
			rank := 8*node + g
			p := wire.Process{PID: 1000 + rank, GPU: g, ElapsedSec: new(int64(at/time.Second) + 3600),
				Identity: wire.Identity{Rank: &wire.Rank{Rank: rank, World: new(world), From: "RANK"}}}
			if again > 0 && at >= again {
				p.PID, p.ElapsedSec = p.PID+100, new(int64((at-again)/time.Second))
			} else if ends(at, rank) {
				continue
			}
			list = append(list, p)
		}
		return list
	}
}

// silenced is a work that sends nothing.
func silenced(w work) work {
	w.link = 0
	return w
}

// but13 are the processes without rank 13 from then on.
func but13(all func(time.Duration, int) []wire.Process, from time.Duration) func(time.Duration, int) []wire.Process {
	return func(at time.Duration, node int) []wire.Process {
		return slices.DeleteFunc(all(at, node), func(p wire.Process) bool { return at >= from && p.Rank.Rank == 13 })
	}
}

// moved are the processes with rank 13 on the first node from then on.
func moved(all func(time.Duration, int) []wire.Process, from time.Duration) func(time.Duration, int) []wire.Process {
	return func(at time.Duration, node int) []wire.Process {
		list := all(at, node)
		if at >= from && node == 0 {
			p := list[5]
			rank := *p.Rank
			rank.Rank, p.PID, p.Rank = 13, 5000, &rank
			list = append(list, p)
		}
		return list
	}
}

// A rank that ends while others run is named; a rank that ends with them is not. It is a problem if they wait for it.
func TestRankGone(t *testing.T) {
	raced.Skip(t)
	const crash = 5 * time.Minute
	one := func(at time.Duration, rank int) bool { return at >= crash && rank == 13 }
	half := func(at time.Duration, rank int) bool { return at >= crash && rank >= 8 }
	waiting := func(lost func(at time.Duration, rank int) bool) func(time.Duration, int, int) work {
		return func(at time.Duration, node, gpu int) work {
			switch {
			case lost(at, 8*node+gpu):
				return rests
			case at >= crash:
				return waits
			}
			return trains
		}
	}
	for _, tc := range []struct {
		name   string
		tr     trace
		number int // number of findings
		worst  cluster.Severity
	}{
		{"one crashes, the others wait", trace{does: waiting(one), processes: ending(one, 16, 0)}, 1, cluster.Critical},
		{"one ends, the others go on", trace{does: always(trains), processes: ending(one, 16, 0)}, 1, cluster.Note},
		{"one of a job that does not work in step", trace{does: searching(rand.New(rand.NewPCG(3, 4)), 8),
			processes: ending(one, 16, 0)}, 1, cluster.Note},
		{"one of a job without traffic, the others stop by chance", trace{does: until(silenced(trains), rests, crash),
			processes: ending(one, 16, 0)}, 1, cluster.Note},
		{"the ranks of one of two nodes, the others wait", trace{does: waiting(half), processes: ending(half, 16, 0)},
			8, cluster.Critical},
		{"the ranks of one of two nodes, the others go on", trace{does: always(trains), processes: ending(half, 16, 0)},
			8, cluster.Note},
		{"all end", trace{does: always(trains),
			processes: ending(func(at time.Duration, _ int) bool { return at >= crash }, 16, 0)}, 0, 0},
		{"all end, one after the other",
			trace{does: always(trains), processes: ending(func(at time.Duration, rank int) bool {
				return at >= crash+time.Duration(rank)*8*time.Second
			}, 16, 0)}, 0, 0},
		{"rank 0 saves the result", trace{does: always(trains),
			processes: ending(func(at time.Duration, rank int) bool { return at >= crash && rank != 0 }, 16, 0)}, 0, 0},
		{"the program is started again", trace{does: always(trains), processes: ending(one, 16, crash+time.Minute)}, 0,
			0},
		{"the program is started again without it",
			trace{does: always(trains), processes: but13(ending(one, 16, crash+time.Minute), crash)}, 0, 0},
		{"it has moved to the other node", trace{does: always(trains), processes: moved(ending(one, 16, 0), crash)}, 0,
			0},
		{"the node is silent", trace{does: always(trains), processes: ending(one, 16, 0),
			silent: func(at time.Duration, node int) bool { return node == 1 && at >= crash }}, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.tr.nodes, tc.tr.gpus, tc.tr.age = 2, 8, traceAge
			var got []found
			for _, f := range tc.tr.play(t, 10*time.Minute) {
				if f.Kind == cluster.KindRankGone {
					got = append(got, f)
				}
			}
			if len(got) != tc.number {
				t.Fatalf("found %v", got)
			}
			for _, f := range got {
				if f.Severity != tc.worst || f.Node != "n02" || f.at < crash+listedAgain || f.at > crash+2*listedAgain {
					t.Errorf("found %v", f)
				}
			}
			say := "Rank 13 of 16 has ended: PID 1013 was last seen 96s ago; the others go on working."
			if tc.worst == cluster.Critical {
				say = "Rank 13 of 16 has ended: PID 1013 was last seen 96s ago, and the others have waited since 18:05:33."
			}
			if len(got) == 1 && (got[0].GPU != 5 || got[0].words.Sentence != say) {
				t.Errorf("found %v\nwant %s", got[0], say)
			}
		})
	}
}

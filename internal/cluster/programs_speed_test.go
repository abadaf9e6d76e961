package cluster

import (
	"fmt"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Ranks of 1,024 nodes without a program in their environments, as in older recordings: each node has a launch of its
// own.
func BenchmarkPrograms(b *testing.B) {
	var ranks []SeenRank
	now := time.Unix(0, 0)
	for node := range 1024 {
		for local := range 8 {
			r := SeenRank{Rank: wire.Rank{Rank: 8*node + local, World: new(8192), From: "RANK"}, Began: now,
				Seen: now.Add(time.Hour)}
			r.By = Launch{node: fmt.Sprint("n", node), parent: 77}
			ranks = append(ranks, r)
		}
	}
	for b.Loop() {
		NewPrograms(func(yield func(*SeenRank) bool) {
			for i := range ranks {
				if !yield(&ranks[i]) {
					return
				}
			}
		})
	}
}

package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// lived is a rank of a program of four, from one second to another.
func lived(l Launch, rank int, began, seen float64) *SeenRank {
	at := func(sec float64) time.Time { return time.Unix(1e9, 0).Add(time.Duration(sec * float64(time.Second))) }
	return &SeenRank{Rank: wire.Rank{Rank: rank, World: new(4), From: "RANK"}, Began: at(began), Seen: at(seen), By: l}
}

// four are all ranks of a launch.
func four(l Launch, began, seen float64) []*SeenRank {
	return []*SeenRank{lived(l, 0, began, seen), lived(l, 1, began, seen), lived(l, 2, began, seen),
		lived(l, 3, began, seen)}
}

func TestPrograms(t *testing.T) {
	a, b := Launch{named: "a"}, Launch{named: "b"}
	first, second := Launch{node: "n1", parent: 10}, Launch{node: "n1", parent: 20}
	there := Launch{node: "n2", parent: 10}
	for _, test := range []struct {
		name  string
		ranks []*SeenRank
		want  string // the number of the program of each rank
	}{
		{"one", four(a, 0, 60), "0 0 0 0"},
		{"two with names", slices.Concat(four(a, 0, 60), four(b, 1, 60)), "0 0 0 0 1 1 1 1"},
		{"in the order in which they began", slices.Concat(four(a, 1, 60), four(b, 0, 60)), "1 1 1 1 0 0 0 0"},
		{"two launchers on a node", slices.Concat(four(first, 0, 60), four(second, 1, 60)), "0 0 0 0 1 1 1 1"},
		{"one of each has ended", slices.Concat(four(first, 0, 60)[:3], []*SeenRank{lived(first, 3, 0, 30)},
			four(second, 1, 60)[1:], []*SeenRank{lived(second, 0, 1, 30)}), "0 0 0 0 1 1 1 1"},
		{"one over two nodes, each with a launcher", []*SeenRank{lived(first, 0, 0, 60), lived(first, 1, 0, 60),
			lived(there, 2, 2, 60), lived(there, 3, 2, 60)}, "0 0 0 0"},
		{"a shell around each rank", []*SeenRank{lived(first, 0, 0, 60), lived(second, 1, 0, 60),
			lived(there, 2, 0, 60)}, "0 0 0"},
		{"started again by another launcher", slices.Concat(four(first, 0, 30), four(second, 31, 60)),
			"0 0 0 0 0 0 0 0"},
		{"one node has, the list of the other is older", []*SeenRank{lived(a, 0, 0, 30), lived(a, 1, 0, 30),
			lived(a, 2, 0, 50), lived(a, 3, 0, 50), lived(b, 0, 31, 60), lived(b, 1, 31, 60)}, "0 0 0 0 0 0"},
		{"the second of two was started again", slices.Concat(four(a, 0, 60), four(first, 1, 30), four(second, 31, 60)),
			"0 0 0 0 1 1 1 1 1 1 1 1"},
		{"nothing is known of either", slices.Concat(four(Launch{}, 0, 60), four(Launch{}, 1, 60)), "0 0 0 0 0 0 0 0"},
	} {
		p := NewPrograms(slices.Values(test.ranks))
		var got []string
		for _, r := range test.ranks {
			got = append(got, fmt.Sprint(p.Of(r).Nth))
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

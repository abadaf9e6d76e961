package stacks

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestProcessesOfOneRank(t *testing.T) {
	rank := func(number, pid int) *Rank {
		return &Rank{Place: Place{Node: "n1", Number: number, ProcessID: wire.ProcessID{PID: pid}}}
	}
	for want, ranks := range map[string][]*Rank{
		"2 processes of rank 7": {rank(7, 10), rank(7, 11)},
		"ranks 5, 7":            {rank(7, 10), rank(7, 11), rank(5, 12)},
		"rank 7, n1 PID 12":     {rank(7, 10), rank(NoRank, 12)},
	} {
		if got := Members(ranks); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

package stacks

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
)

// OfNCCL returns what NCCL's RAS says, as evidence. If RAS cannot tell a hang from work that it does not count, the
// evidence says neither.
func OfNCCL(v *nccl.Verdict) *NCCL {
	n := &NCCL{NCCL: rankstacks.NCCL{Version: v.Version, State: v.State.String(), Coupled: v.Coupled}}
	switch v.State {
	case nccl.Moving:
		n.Moving = true
	case nccl.Failed, nccl.Disagree:
		n.Stuck = true
	case nccl.RankDead, nccl.NoAnswer:
		n.Lost = true
	case nccl.Stuck:
		n.Behind = true
	}
	head := "NCCL"
	if v.Version != "" {
		head += " " + v.Version
	}
	n.Said = []string{head + ": " + ask.VerdictHeadline(v) + "."}
	for _, line := range ask.VerdictLines(v) {
		n.Said = append(n.Said, upperFirst(line)+".")
	}
	return n
}

package stacks

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// laggingRank is the place of a rank that lags: the page takes further looks at the job for it. Without a node there is
// none.
type laggingRank struct {
	node  string
	gpu   int // its number
	looks []*stacks.Observation
}

// lagOf returns the rank on the GPU that a destination names, if it names one.
func lagOf(s *part.Scene, g nav.Go) laggingRank {
	if g.GPU == "" || g.Node == "" {
		return laggingRank{}
	}
	gpu := s.NodeOf(g.Node).GPUWith(g.GPU)
	if gpu == nil {
		return laggingRank{}
	}
	return laggingRank{node: g.Node, gpu: gpu.Number}
}

// addLook adds a look, and reports whether another one should follow.
func (l *laggingRank) addLook(look *stacks.Observation) bool {
	if l.node == "" {
		return false
	}
	l.looks = append(l.looks, look)
	return len(l.looks) < stacks.LagLooks
}

// standsOut reports whether the ranks of a group stand out. In a job that does not move, these are the few that are
// elsewhere than the others. In a job that moves, ranks are in many places, so only one that lags stands out.
func standsOut(g *rankstacks.Group, of *rankstacks.Verdict, s *cluster.Snapshot, l *laggingRank) bool {
	if of.State != rankstacks.Moving {
		return g.Outlier
	}
	return g.Outlier && slices.ContainsFunc(g.Ranks, func(r rankstacks.Rank) bool {
		return r.Node == l.node && slices.Contains(r.GPUs, l.gpu) || isLagging(s, of.Job, &r)
	})
}

// isLagging reports whether a rank of a job is known to lag.
func isLagging(s *cluster.Snapshot, job string, r *rankstacks.Rank) bool {
	j := s.JobWith(job)
	return j != nil && slices.ContainsFunc(j.Findings, func(f cluster.Finding) bool {
		return f.Kind == cluster.KindLag && f.Holds() && f.Node == r.Node && slices.Contains(r.GPUs, f.GPU)
	})
}

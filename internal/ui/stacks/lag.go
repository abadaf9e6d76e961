package stacks

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/stacks"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// lag is a rank that lags, by its place: the page looks at the job once more for it. Without a node there is none.
type lag struct {
	node  string
	gpu   int // its number
	looks []*stacks.Look
}

// lagOf returns the rank on the GPU from which the user comes.
func lagOf(s *part.Scene, g nav.Go) lag {
	if g.GPU == "" || g.Node == "" {
		return lag{}
	}
	n := s.NodeOf(g.Node)
	at := slices.IndexFunc(n.GPUs, func(gpu cluster.GPU) bool { return gpu.Key == g.GPU })
	if at < 0 {
		return lag{}
	}
	return lag{node: g.Node, gpu: n.GPUs[at].Number}
}

// wants takes a look, and reports whether another one should follow.
func (l *lag) wants(look *stacks.Look) bool {
	if l.node == "" {
		return false
	}
	l.looks = append(l.looks, look)
	return len(l.looks) < stacks.LagLooks
}

// lags reports whether a GPU, by its number, is known to lag: the user comes from it, or it has such a finding.
func (p *Page) lags(s *cluster.Snapshot, node string, gpu int) bool {
	if p.lag.node == node && p.lag.gpu == gpu {
		return true
	}
	job := slices.IndexFunc(s.Jobs, func(j cluster.JobView) bool { return j.ID == p.job })
	return job >= 0 && slices.ContainsFunc(s.Jobs[job].Findings, func(f cluster.Finding) bool {
		return f.Kind == cluster.KindLag && f.Holds() && f.Node == node && f.GPU == gpu
	})
}

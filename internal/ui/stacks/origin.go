package stacks

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// origin is the node, or the GPU, from which the user came. Without a node there is none.
type origin struct {
	node string
	gpu  int // cluster.NoNumber: any
}

// originOf returns where the user came from: the GPU or the node of a problem, or the selected node. A problem of the
// whole job has no place.
func originOf(s *part.Scene, g nav.Go) origin {
	if lag := lagOf(s, g); lag.node != "" {
		return origin{lag.node, lag.gpu}
	}
	node := g.Node
	if g.Key != nil && s.Node != nil {
		node = s.Node.Name
	}
	return origin{node, cluster.NoNumber}
}

// has reports whether a group has a rank there.
func (o origin) has(g *rankstacks.Group) bool {
	return g != nil && slices.ContainsFunc(g.Ranks, func(r rankstacks.Rank) bool {
		return r.Node == o.node && (o.gpu == cluster.NoNumber || slices.Contains(r.GPUs, o.gpu))
	})
}

// rowIn returns the row of the group with a rank there: of several, one that stands out; -1: there is none.
func (o origin) rowIn(rows []groupRow, standsOut func(*rankstacks.Group) bool) int {
	at := slices.IndexFunc(rows, func(r groupRow) bool { return o.has(r.group) && standsOut(r.group) })
	if at < 0 {
		at = slices.IndexFunc(rows, func(r groupRow) bool { return o.has(r.group) })
	}
	return at
}

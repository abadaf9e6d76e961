package process

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// rooms says where the parts of the page are.
type rooms struct {
	above int // rows of GPUs or nodes; 0: none, nor their headings
	all   int // for how many there would have to be room
	title int // the row of the processes' title
	top   int // the row of the first process, below the headings
}

const (
	firstRow  = 2 // below the header
	fewRows   = 8 // of processes that GPUs leave where they are shown by themselves
	leastRows = 3 // of processes that they always leave
)

// rooms divides the screen.
func (p *Page) rooms(s *part.Scene) rooms {
	r := rooms{title: firstRow, all: above(s, p.of(s))}
	blank := 0
	if s.H >= part.Tall {
		blank = 1
	}
	// Rows 0 and 1, a rule and headings of the GPUs, a rule and headings of the processes, and the keys.
	room := s.H - firstRow - 2 - blank - 2 - 1
	switch {
	case p.mode == modeFull:
		r.above = max(min(r.all, room-leastRows), 0)
	case p.mode == modeAuto && r.all <= room-fewRows:
		r.above = r.all
	}
	if r.above > 0 {
		r.title = firstRow + 2 + r.above + blank
	}
	r.top = r.title + 2
	return r
}

// room is for how many processes there is room.
func (r rooms) room(s *part.Scene) int { return max(s.H-1-r.top, 0) }

// above is how many GPUs or nodes a scope has to show above its processes.
func above(s *part.Scene, scope Scope) int {
	switch scope {
	case OfGPU:
		return 1
	case OfNode:
		return len(s.GPUs(s.Node))
	case OfJob:
		return len(s.Job.Nodes)
	}
	return 0
}

// worst are the nodes of the job of which n are shown: where those are not all, the ones with the worst problems, in the job's order.
func worst(s *part.Scene, n int) []string {
	nodes := slices.Clone(s.Job.Nodes)
	if n < len(nodes) {
		slices.SortStableFunc(nodes, func(a, b string) int { return s.Health.Rank(b) - s.Health.Rank(a) })
	}
	return nodes[:n]
}

// nodesOf are the nodes of a scope.
func nodesOf(s *part.Scene, scope Scope) []*cluster.Node {
	if scope <= OfNode {
		return []*cluster.Node{s.Node}
	}
	var nodes []*cluster.Node
	seen := map[string]bool{}
	for i := range s.Snap.Jobs {
		if j := &s.Snap.Jobs[i]; scope == OfJobs || j == s.Job {
			for _, name := range j.Nodes {
				if !seen[name] {
					seen[name] = true
					nodes = append(nodes, s.NodeOf(name))
				}
			}
		}
	}
	return nodes
}

package gpu

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// rooms has the number of rows of each part of the GPU page, in their order. Only the height of the terminal decides.
type rooms struct {
	head                                int // the first row
	identity, findings, title, graphs   int
	memory                              int
	engines, throttle, links, processes int
}

// newRooms distributes the rows of a terminal over the parts: it takes the steps of the list in their order, while
// there is room. The graphs get the rest, or if there are none, the problems. g is the GPU on the page; it may be nil.
func newRooms(s *part.Scene, g *cluster.GPU) rooms {
	head := 3
	if s.H < part.Small {
		head = 2
	}
	facts, hints := problemRows(s, g)
	return roomsFrom(head, s.H, facts, hints)
}

// problemRows returns the rows that the problems of a GPU need: for their facts, and for the hint of the worst one.
// There is a row for each even without a problem, so that most problems move nothing.
func problemRows(s *part.Scene, g *cluster.GPU) (facts, hints int) {
	if g == nil || tally.Absent(g) || tally.Lost(g) != "" {
		return 1, 1
	}
	f := &part.Frame{Scene: s}
	facts, hints = header.FactRows(f, findingsOf(f, g))
	return max(min(facts, s.H/4), 1), max(hints, 1)
}

// roomsFrom distributes the rows from row head on.
func roomsFrom(head, h, facts, hints int) rooms {
	r := rooms{head: head}
	left := max(h-1-r.head, 0)
	for _, step := range []struct {
		part *int
		rows int
	}{
		{&r.identity, 1}, {&r.findings, facts},
		{&r.graphs, 5},   // a line of graphs and its axis
		{&r.throttle, 3}, // with a title
		{&r.links, 3},    // PCIe and NVLink, with a title
		{&r.title, 1}, {&r.findings, hints}, {&r.graphs, 4}, {&r.links, 1 /* ECC */}, {&r.engines, 1},
		{&r.links, 1 /* Xids */}, {&r.processes, 3},
		{&r.graphs, 9}, // a third line of graphs, and an axis for each line
		{&r.memory, 1}, {&r.throttle, 2},
		{&r.graphs, 6}, {&r.identity, 1}, {&r.processes, 1}, {&r.links, 1}, {&r.throttle, 2}, {&r.findings, 1},
		{&r.links, 1}, {&r.processes, 3},
	} {
		if step.rows > left {
			break
		}
		*step.part += step.rows
		left -= step.rows
	}
	if r.graphs > 0 {
		r.graphs += left
	} else { // too few rows for a graph
		r.findings += left
	}
	return r
}

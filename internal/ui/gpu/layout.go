package gpu

import "github.com/nvnodetop/nvnodetop/internal/ui/part"

// rooms has the number of rows of each part of the GPU page, in their order. Only the height of the terminal decides.
type rooms struct {
	head                                int // the first row
	identity, findings, title, graphs   int
	memory                              int
	engines, throttle, links, processes int
}

// newRooms distributes the rows of a terminal over the parts: it takes the steps of the list in their order, while
// there is room. The graphs get the rest, or if there are none, the problems.
func newRooms(h int) rooms {
	if h < part.Small {
		return roomsFrom(2, h)
	}
	return roomsFrom(3, h)
}

// roomsFrom distributes the rows from row head on.
func roomsFrom(head, h int) rooms {
	r := rooms{head: head}
	left := max(h-1-r.head, 0)
	for _, step := range []struct {
		part *int
		rows int
	}{
		{&r.identity, 1}, {&r.findings, 1},
		{&r.graphs, 5},   // a line of graphs and its axis
		{&r.throttle, 3}, // with a title
		{&r.links, 3},    // PCIe and NVLink, with a title
		{&r.findings, 1}, {&r.graphs, 4}, {&r.links, 1 /* ECC */}, {&r.title, 1}, {&r.engines, 1},
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

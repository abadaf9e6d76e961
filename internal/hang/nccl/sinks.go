package nccl

import "slices"

// findSinks returns the groups of nodes that wait for each other and for nobody else: the strongly connected components
// without a way out. A single node counts if it waits for nobody. This is Tarjan's algorithm, without recursion,
// because a hostile answer could make it deep.
func (w *waitGraph) findSinks() [][]int {
	n := len(w.edges)
	t := tarjan{edges: w.edges, number: make([]int, n), low: make([]int, n), on: make([]bool, n), part: make([]int, n)}
	for node := range n {
		if t.number[node] == 0 {
			t.visitNodes(node)
		}
	}
	out := make([]bool, len(t.parts)) // has a way out
	for from, all := range w.edges {
		for _, to := range all {
			out[t.part[from]] = out[t.part[from]] || t.part[from] != t.part[to]
		}
	}
	var sinks [][]int
	for i, part := range t.parts {
		if !out[i] {
			sinks = append(sinks, part)
		}
	}
	return sinks
}

type tarjan struct {
	edges       [][]int
	number, low []int // from 1
	on          []bool
	stack       []int
	next        int
	part        []int // of a node
	parts       [][]int
}

func (t *tarjan) pushNode(node int) {
	t.next++
	t.number[node], t.low[node], t.on[node] = t.next, t.next, true
	t.stack = append(t.stack, node)
}

func (t *tarjan) visitNodes(root int) {
	type frame struct{ node, edge int }
	t.pushNode(root)
	path := []frame{{root, 0}}
	for len(path) > 0 {
		f := &path[len(path)-1]
		if f.edge < len(t.edges[f.node]) {
			to := t.edges[f.node][f.edge]
			f.edge++
			switch {
			case t.number[to] == 0:
				t.pushNode(to)
				path = append(path, frame{to, 0})
			case t.on[to]:
				t.low[f.node] = min(t.low[f.node], t.number[to])
			}
			continue
		}
		node := f.node
		path = path[:len(path)-1]
		if len(path) > 0 {
			over := path[len(path)-1].node
			t.low[over] = min(t.low[over], t.low[node])
		}
		if t.low[node] == t.number[node] {
			t.popComponent(node)
		}
	}
}

// popComponent takes a component off the stack.
func (t *tarjan) popComponent(root int) {
	at := len(t.stack) - 1
	for t.stack[at] != root {
		at--
	}
	part := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, node := range part {
		t.on[node], t.part[node] = false, len(t.parts)
	}
	t.parts = append(t.parts, part)
}

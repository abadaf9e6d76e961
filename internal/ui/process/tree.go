package process

import (
	"cmp"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// deepest is the length of a branch, in bytes, from which the tree is no longer indented.
const deepest = 120

// tree orders the processes of a node and their relatives, and adds their rows to those of other nodes.
type tree struct {
	rows     []table.ProcessRow
	children []int32 // indexes of rows, sorted by the parent's PID, then by the row's own
	pids     map[int]bool
	done     []bool
	ordered  []table.ProcessRow
}

// treeShape returns everything that the tree depends on; nil: there is no tree.
func (fs *families) treeShape(*part.Scene) any {
	if !fs.tree {
		return nil
	}
	return fs.heard
}

// arrangeTree puts the rows of each node in the order of a tree, with the known relatives.
func (fs *families) arrangeTree(s *part.Scene, flat []table.ProcessRow) []table.ProcessRow {
	t := &tree{ordered: make([]table.ProcessRow, 0, len(flat)), pids: map[int]bool{}}
	for from := 0; from < len(flat); {
		n, to := flat[from].Node, from
		for to < len(flat) && flat[to].Node == n {
			to++
		}
		t.addNodeTree(s, flat[from:to], fs.of[n.Name])
		from = to
	}
	return t.ordered
}

// addNodeTree adds the processes of a node as a tree, including relatives that are not listed.
func (t *tree) addNodeTree(s *part.Scene, rows []table.ProcessRow, f *family) {
	t.rows, t.children, t.done = append(t.rows[:0], rows...), t.children[:0], t.done[:0]
	clear(t.pids)
	for i := range rows {
		t.pids[rows[i].PID] = true
	}
	if f != nil {
		for _, w := range f.relativesOf(rows) {
			if !t.pids[w.PID] {
				t.pids[w.PID] = true
				t.rows = append(t.rows, kinRow(s, rows[0].Node, w))
			}
		}
	}
	for i := range t.rows {
		t.children, t.done = append(t.children, int32(i)), append(t.done, false)
	}
	slices.SortFunc(t.children, func(i, k int32) int {
		a, b := &t.rows[i], &t.rows[k]
		return cmp.Or(cmp.Compare(a.Parent, b.Parent), cmp.Compare(a.PID, b.PID), cmp.Compare(i, k))
	})
	t.orderRows()
}

func kinRow(s *part.Scene, n *cluster.Node, w *wire.Process) table.ProcessRow {
	return table.ProcessRow{Process: tally.Process{Process: w, Number: cluster.NoNumber, Own: true}, Node: n, Kin: true,
		Ghost: !tally.Mine(s.Snap, w)}
}

// orderRows orders the rows, beginning with the roots: rows whose parents are not among them. The answer of a hostile
// node may have no root at all.
func (t *tree) orderRows() {
	for _, i := range t.children {
		if !t.pids[t.rows[i].Parent] {
			t.addBranch(i, "", "")
		}
	}
	for _, i := range t.children {
		t.addBranch(i, "", "")
	}
}

// addBranch adds a row with its branch, and then its children, whose branches begin with before.
func (t *tree) addBranch(i int32, branch, before string) {
	if t.done[i] {
		return
	}
	t.done[i] = true
	t.rows[i].Branch = branch
	t.ordered = append(t.ordered, t.rows[i])
	children := t.childrenOf(t.rows[i].PID)
	for n, k := range children {
		fork, next := "├─ ", "│  "
		if n == len(children)-1 {
			fork, next = "└─ ", "   "
		}
		if len(before) >= deepest {
			next = ""
		}
		t.addBranch(k, before+fork, before+next)
	}
}

func (t *tree) childrenOf(pid int) []int32 {
	from, _ := slices.BinarySearchFunc(t.children, pid,
		func(i int32, pid int) int { return cmp.Compare(t.rows[i].Parent, pid) })
	to := from
	for to < len(t.children) && t.rows[t.children[to]].Parent == pid {
		to++
	}
	return t.children[from:to]
}

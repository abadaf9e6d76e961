package process

import (
	"cmp"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// deepest is how many bytes of branches a row has at least before its tree is no longer indented.
const deepest = 120

// tree is the processes of a node with their relatives, while their rows are put in order. It is used for one node
// after the other, for its memory.
type tree struct {
	rows     []table.ProcessRow
	children []int32 // places in rows, by PID of the parent, then by the row's own
	pids     map[int]bool
	done     []bool
}

// asTree puts the rows of each node in the order of a tree, with the relatives that are known.
func (l *listing) asTree(s *part.Scene, fs *families) {
	l.rows, l.flat = l.flat[:0], l.rows
	for from := 0; from < len(l.flat); {
		n, to := l.flat[from].Node, from
		for to < len(l.flat) && l.flat[to].Node == n {
			to++
		}
		l.tree.plant(s, l.flat[from:to], fs.of[n.Name])
		l.tree.addTo(l)
		from = to
	}
	for i := range l.rows {
		l.order = append(l.order, int32(i))
	}
}

func (t *tree) clear() {
	clear(t.rows[:cap(t.rows)])
	clear(t.pids)
	*t = tree{rows: t.rows[:0], children: t.children[:0], pids: t.pids, done: t.done[:0]}
}

// plant takes the processes of a node and adds the relatives that are not among them.
func (t *tree) plant(s *part.Scene, rows []table.ProcessRow, f *family) {
	t.clear()
	if t.pids == nil {
		t.pids = map[int]bool{}
	}
	t.rows = append(t.rows, rows...)
	for i := range rows {
		t.pids[rows[i].PID] = true
	}
	if f != nil {
		for _, w := range f.related(rows) {
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
}

func kinRow(s *part.Scene, n *cluster.Node, w *wire.Process) table.ProcessRow {
	return table.ProcessRow{Process: tally.Process{Process: w, Number: cluster.NoNumber, Own: true}, Node: n, Kin: true,
		Ghost: !tally.Mine(s.Snap, w)}
}

// addTo adds the rows from the roots on: those whose parents are not among them. What a node says may have no root at
// all.
func (t *tree) addTo(l *listing) {
	for _, i := range t.children {
		if !t.pids[t.rows[i].Parent] {
			t.add(l, i, "", "")
		}
	}
	for _, i := range t.children {
		t.add(l, i, "", "")
	}
}

// add adds a row with its branch, and its children with theirs, which begin with before.
func (t *tree) add(l *listing, i int32, branch, before string) {
	if t.done[i] {
		return
	}
	t.done[i] = true
	t.rows[i].Branch = branch
	l.rows = append(l.rows, t.rows[i])
	children := t.of(t.rows[i].PID)
	for n, k := range children {
		fork, next := "├─ ", "│  "
		if n == len(children)-1 {
			fork, next = "└─ ", "   "
		}
		if len(before) >= deepest {
			next = ""
		}
		t.add(l, k, before+fork, before+next)
	}
}

// of are the children of a process.
func (t *tree) of(pid int) []int32 {
	from, _ := slices.BinarySearchFunc(t.children, pid,
		func(i int32, pid int) int { return cmp.Compare(t.rows[i].Parent, pid) })
	to := from
	for to < len(t.children) && t.rows[t.children[to]].Parent == pid {
		to++
	}
	return t.children[from:to]
}

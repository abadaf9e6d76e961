package list

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// nodeHint is the hint of the keys that lead from node to node.
func (l *List[Row, Key]) nodeHint(s *part.Scene) []keys.Hint {
	if l.Node == nil || s.Job == nil || len(s.Job.Nodes) < 2 {
		return nil
	}
	return []keys.Hint{keys.HintOf(keys.PrevNode, keys.NextNode)}
}

// nodes returns the nodes of the rows in the order of the job, then the nodes of other jobs by name.
func (l *List[Row, Key]) nodes(s *part.Scene, v *View[Row]) []string {
	if l.Node == nil {
		return nil
	}
	there := map[string]bool{}
	for i := range v.Len() {
		there[l.Node(v.At(i))] = true
	}
	var list []string
	for _, name := range s.Job.Nodes {
		if there[name] {
			list = append(list, name)
			delete(there, name)
		}
	}
	delete(there, "")
	first := len(list)
	for name := range there {
		list = append(list, name)
	}
	slices.Sort(list[first:])
	return list
}

// hasNodes reports whether rows are about several nodes. Those of one node leave the keys to the selection.
func (l *List[Row, Key]) hasNodes(s *part.Scene, v *View[Row]) bool { return len(l.nodes(s, v)) > 1 }

// beyond returns the place of the first row of the next node, or of the previous one, with a wrap at the ends.
func (l *List[Row, Key]) beyond(s *part.Scene, v *View[Row], at, by int) int {
	list := l.nodes(s, v)
	from := slices.Index(list, l.Node(v.At(at)))
	if from < 0 && by < 0 {
		from = 0
	}
	to := list[(from+by+len(list))%len(list)]
	return v.Find(func(r *Row) bool { return l.Node(r) == to })
}

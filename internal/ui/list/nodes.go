package list

import (
	"maps"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// nodeOf returns the node of a row, "" if the row has none. A nil nodeOf means that no row has one.
type nodeOf[Row any] func(r *Row) string

// nodeHints is the hint of the keys that lead from node to node.
func (of nodeOf[Row]) nodeHints(s *part.Scene) []keys.Hint {
	if of == nil || s.Job == nil || len(s.Job.Nodes) < 2 {
		return nil
	}
	return []keys.Hint{keys.HintOf(keys.PrevNode, keys.NextNode)}
}

// listNodes returns the nodes of the rows in the order of the job, then the nodes of other jobs by name.
func (of nodeOf[Row]) listNodes(s *part.Scene, v *View[Row]) []string {
	if of == nil {
		return nil
	}
	there := map[string]bool{}
	for i := range v.Len() {
		there[of(v.At(i))] = true
	}
	var list []string
	for _, name := range s.Job.Nodes {
		if there[name] {
			list = append(list, name)
			delete(there, name)
		}
	}
	delete(there, "")
	return append(list, slices.Sorted(maps.Keys(there))...)
}

// hasSeveralNodes reports whether the rows are about several nodes. Otherwise the keys from node to node change the
// selection.
func (of nodeOf[Row]) hasSeveralNodes(s *part.Scene, v *View[Row]) bool {
	return len(of.listNodes(s, v)) > 1
}

// nextNodeRow returns the index of the first row of the next node, or of the previous one, with a wrap at the ends.
func (of nodeOf[Row]) nextNodeRow(s *part.Scene, v *View[Row], at, by int) int {
	list := of.listNodes(s, v)
	from := slices.Index(list, of(v.At(at)))
	if from < 0 && by < 0 {
		from = 0
	}
	to := list[(from+by+len(list))%len(list)]
	return v.Find(func(r *Row) bool { return of(r) == to })
}

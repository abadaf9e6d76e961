package list

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// View has the rows that match the filter, in their order. It must not be changed.
type View[Row any] struct {
	All int // number of all rows, including those that do not match

	rows   []Row
	places []int32
}

// Len returns the number of matching rows.
func (v *View[Row]) Len() int { return len(v.places) }

// At returns the row at an index.
func (v *View[Row]) At(i int) *Row { return &v.rows[v.places[i]] }

// Find returns the index of the first row for which is returns true; -1: there is none.
func (v *View[Row]) Find(is func(r *Row) bool) int {
	return slices.IndexFunc(v.places, func(i int32) bool { return is(&v.rows[i]) })
}

// memo keeps the results for a Snapshot, because each key draws a frame and there may be thousands of rows.
type memo[Row any] struct {
	rows    []Row
	sorted  map[Sorting][]int32
	matched map[matching]*View[Row]
}

// memoKey and matching have everything that a memo and a View depend on.
type (
	memoKey struct{ list, job, version any }

	matching struct {
		Sorting
		filter string
		shape  any
	}
)

func (l *List[Row, Key]) sceneMemo(s *part.Scene) *memo[Row] {
	key := memoKey{list: l, job: l.filterJob(s)}
	if l.Version != nil {
		key.version = l.Version(s)
	}
	return part.OfSnapshot(s, key, func() *memo[Row] {
		return &memo[Row]{l.Rows(s), map[Sorting][]int32{}, map[matching]*View[Row]{}}
	})
}

// Unfiltered returns all rows in their first order. They must not be changed.
func (l *List[Row, Key]) Unfiltered(s *part.Scene) []Row { return l.sceneMemo(s).rows }

// View returns the rows that the list shows.
func (l *List[Row, Key]) View(s *part.Scene) *View[Row] {
	m, of := l.sceneMemo(s), matching{Sorting: l.Sorted}
	if expr := l.Filter.Expr(l.filterJob(s)); expr != nil {
		of.filter = expr.String()
	}
	if l.Shape != nil {
		of.shape = l.Shape(s)
	}
	if m.matched[of] == nil {
		m.matched[of] = l.buildView(s, m, of.shape != nil)
	}
	return m.matched[of]
}

// buildView makes a View. Shaped rows are not sorted.
func (l *List[Row, Key]) buildView(s *part.Scene, m *memo[Row], shaped bool) *View[Row] {
	v := &View[Row]{All: len(m.rows), rows: m.rows}
	if shaped {
		v.places = indicesBelow(len(m.rows))
	} else {
		if m.sorted[l.Sorted] == nil {
			m.sorted[l.Sorted] = l.inOrder(s, l.Sorted, m.rows)
		}
		v.places = m.sorted[l.Sorted]
	}
	rows := m.rows
	if expr := l.Filter.Expr(l.filterJob(s)); expr != nil {
		v.places = l.Reads.keep(s, expr, m.rows, v.places)
		rows = nil
	}
	if shaped {
		if rows == nil {
			rows = make([]Row, v.Len())
			for i := range rows {
				rows[i] = *v.At(i)
			}
		}
		v.rows = l.Arrange(s, rows)
		v.places = indicesBelow(len(v.rows))
	}
	return v
}

// indicesBelow returns the numbers below n.
func indicesBelow(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// At returns the index of the row under the cursor; 0 in an empty list.
func (l *List[Row, Key]) At(s *part.Scene) int { return l.cursor.At(l.cursorList(s, l.View(s))) }

// Window returns the rows on the screen.
func (l *List[Row, Key]) Window(s *part.Scene) nav.Window {
	return l.cursor.Window(l.cursorList(s, l.View(s)))
}

package list

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// View is the rows that match the filter, in their order. It must not be changed.
type View[Row any] struct {
	All int // how many there are, also those that do not match

	rows   []Row
	places []int32
}

// Len is how many rows match.
func (v *View[Row]) Len() int { return len(v.places) }

// At is the row at a place.
func (v *View[Row]) At(i int) *Row { return &v.rows[v.places[i]] }

// Find is the place of the first row of which something is true; -1: there is none.
func (v *View[Row]) Find(is func(r *Row) bool) int {
	return slices.IndexFunc(v.places, func(i int32) bool { return is(&v.rows[i]) })
}

// memo is what was worked out of a Snapshot: with each key there is a frame, and there may be thousands of rows.
type memo[Row any] struct {
	rows    []Row
	sorted  map[Sorting][]int32
	matched map[matching]*View[Row]
}

// memoKey and matching are what a memo and a View depend on.
type (
	memoKey struct{ list, job, version any }

	matching struct {
		Sorting
		filter string
		shape  any
	}
)

// memo is that of the scene.
func (l *List[Row, Key]) memo(s *part.Scene) *memo[Row] {
	key := memoKey{list: l, job: l.job(s)}
	if l.Version != nil {
		key.version = l.Version(s)
	}
	return part.OfSnapshot(s, key, func() *memo[Row] {
		return &memo[Row]{l.Rows(s), map[Sorting][]int32{}, map[matching]*View[Row]{}}
	})
}

// Unfiltered are all rows in their first order. They must not be changed.
func (l *List[Row, Key]) Unfiltered(s *part.Scene) []Row { return l.memo(s).rows }

// View is what the list shows.
func (l *List[Row, Key]) View(s *part.Scene) *View[Row] {
	m, of := l.memo(s), matching{Sorting: l.Sorted}
	if expr := l.Filter.Expr(l.job(s)); expr != nil {
		of.filter = expr.String()
	}
	if l.Shape != nil {
		of.shape = l.Shape(s)
	}
	if m.matched[of] == nil {
		m.matched[of] = l.view(s, m, of.shape != nil)
	}
	return m.matched[of]
}

// view makes a View. Rows that are shaped are in no order.
func (l *List[Row, Key]) view(s *part.Scene, m *memo[Row], shaped bool) *View[Row] {
	v := &View[Row]{All: len(m.rows), rows: m.rows}
	if shaped {
		v.places = numbers(len(m.rows))
	} else {
		if m.sorted[l.Sorted] == nil {
			m.sorted[l.Sorted] = l.inOrder(s, l.Sorted, m.rows)
		}
		v.places = m.sorted[l.Sorted]
	}
	rows := m.rows
	if expr := l.Filter.Expr(l.job(s)); expr != nil {
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
		v.places = numbers(len(v.rows))
	}
	return v
}

// numbers are the numbers below n.
func numbers(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// At is the place of the row of the cursor; 0 in an empty list.
func (l *List[Row, Key]) At(s *part.Scene) int { return l.cursor.At(l.list(s, l.View(s))) }

// Window is which rows are on the screen.
func (l *List[Row, Key]) Window(s *part.Scene) nav.Window {
	return l.cursor.Window(l.list(s, l.View(s)))
}

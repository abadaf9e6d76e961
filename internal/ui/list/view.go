package list

import (
	"cmp"
	"math"
	"slices"

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
	m, expr := l.memo(s), l.Filter.Expr(l.job(s))
	of := matching{Sorting: l.Sorted}
	if expr != nil {
		of.filter = expr.String()
	}
	if v := m.matched[of]; v != nil {
		return v
	}
	v := &View[Row]{All: len(m.rows), rows: m.rows, places: l.inOrder(m)}
	if expr != nil {
		v.places = l.Reads.keep(s, expr, m.rows, v.places)
	}
	m.matched[of] = v
	return v
}

// weighed is a row with what it is sorted by. Rows are large: these are what is sorted.
type weighed struct {
	class  int
	weight float64
	at     int32
}

// inOrder are the places of all rows, in order. What is not known comes last whatever the direction; equals stay in
// their place.
func (l *List[Row, Key]) inOrder(m *memo[Row]) []int32 {
	if places, made := m.sorted[l.Sorted]; made {
		return places
	}
	order := l.order()
	weight, classed := order.weight(m.rows), l.Class != nil && !order.asTheyCome()
	all := make([]weighed, len(m.rows))
	for i := range m.rows {
		w, known := weight(i)
		switch {
		case !known || w != w:
			w = math.Inf(1)
		case l.Sorted.Down:
			w = -w
		}
		all[i] = weighed{weight: w, at: int32(i)}
		if classed {
			all[i].class = l.Class(&m.rows[i])
		}
	}
	slices.SortFunc(all, compareWeighed)
	places := make([]int32, len(all))
	for i := range all {
		places[i] = all[i].at
	}
	m.sorted[l.Sorted] = places
	return places
}

// compareWeighed compares without a thought of NaN: ten thousand rows are sorted within the time of a frame.
func compareWeighed(a, b weighed) int {
	switch {
	case a.class != b.class:
		return cmp.Compare(a.class, b.class)
	case a.weight < b.weight:
		return -1
	case a.weight > b.weight:
		return 1
	}
	return int(a.at - b.at)
}

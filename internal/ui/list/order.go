package list

import (
	"maps"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Order is an order of rows, by one of the columns.
type Order[Row any] struct {
	Column   string // key of the column, which is also that of its field
	Words    string // in the footer; "": the title of the field
	LowFirst bool   // it begins with the lowest value, even if the field's usual order does not
	AsListed bool   // the rows stay in their first order

	Number func(r *Row) (v float64, known bool) // in place of a field; begins with the highest value
}

// Sorting is the order that the user has chosen.
type Sorting struct {
	By   string // the column
	Down bool   // from the highest to the lowest
}

// orderIndex returns the index of the order by a column; -1: there is none.
func (of *Of[Row, Key]) orderIndex(column string) int {
	return slices.IndexFunc(of.Orders, func(o Order[Row]) bool { return o.Column == column })
}

// Words returns the words of the order by a column.
func (of *Of[Row, Key]) Words(column string) string {
	o := &of.Orders[of.orderIndex(column)]
	if o.Words != "" {
		return o.Words
	}
	title, _ := of.Reads.about(o.Column)
	return title
}

// DownFirst reports whether the order by a column begins with the highest value.
func (of *Of[Row, Key]) DownFirst(column string) bool {
	switch o := &of.Orders[of.orderIndex(column)]; {
	case o.LowFirst, o.AsListed:
		return false
	case o.Number != nil:
		return true
	default:
		_, down := of.Reads.about(o.Column)
		return down
	}
}

// By sorts by a column in its own direction, or in the opposite one.
func (of *Of[Row, Key]) By(column string, reversed bool) Sorting {
	return Sorting{column, of.DownFirst(column) != reversed}
}

// shiftOrder returns the order by a column that many places after another, with a wrap at the ends.
func (of *Of[Row, Key]) shiftOrder(now Sorting, places int) Sorting {
	n := len(of.Orders)
	return of.By(of.Orders[(of.orderIndex(now.By)+n+places)%n].Column, false)
}

// nextUsual returns the usual order that follows another.
func (of *Of[Row, Key]) nextUsual(now Sorting) Sorting {
	next := slices.Index(of.Usual, now.By) + 1
	return of.By(of.Usual[next%len(of.Usual)], false)
}

// clickHeading returns the order after a click on a heading. A second click reverses it.
func (of *Of[Row, Key]) clickHeading(now Sorting, column string) Sorting {
	if column == now.By {
		return Sorting{column, !now.Down}
	}
	return of.By(column, false)
}

// inOrder returns the indexes of rows in an order. Unknown values come last in both directions; equal rows keep their
// order.
func (of *Of[Row, Key]) inOrder(s *part.Scene, by Sorting, rows []Row) (places []int32) {
	o, down := &of.Orders[of.orderIndex(by.By)], by.Down
	switch {
	case o.AsListed:
		if places = indicesBelow(len(rows)); down {
			slices.Reverse(places)
		}
		return places
	case o.Number != nil:
		f := &field.Field[Row]{Number: o.Number}
		places = field.Sort(&field.Order{}, f, down, len(rows), func(i int) *Row { return &rows[i] }, nil)
	default:
		places = of.Reads.sort(s, o.Column, down, rows)
	}
	if of.Class == nil {
		return places
	}
	classes := map[int][]int32{}
	for _, i := range places {
		c := of.Class(&rows[i])
		classes[c] = append(classes[c], i)
	}
	places = places[:0]
	for _, c := range slices.Sorted(maps.Keys(classes)) {
		places = append(places, classes[c]...)
	}
	return places
}

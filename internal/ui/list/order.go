package list

import (
	"maps"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/field"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Order is an order of rows, by one of the columns.
type Order[Row any] struct {
	Column   string // its key, which is that of the field
	Words    string // in the footer; "": the title of the field
	LowFirst bool   // it begins with the lowest, although people look for the highest first elsewhere
	AsListed bool   // the rows stay as they come

	Number func(r *Row) (v float64, known bool) // in place of a field; it begins with the highest
}

// Sorting is the order that the user has chosen.
type Sorting struct {
	By   string // the column
	Down bool   // from the highest to the lowest
}

// at is the place of the order by a column; -1: there is none.
func (l *List[Row, Key]) at(column string) int {
	return slices.IndexFunc(l.Orders, func(o Order[Row]) bool { return o.Column == column })
}

// order is the order by which the rows are sorted.
func (l *List[Row, Key]) order() *Order[Row] { return &l.Orders[l.at(l.Sorted.By)] }

// Words are those of the order by a column.
func (l *List[Row, Key]) Words(column string) string {
	o := &l.Orders[l.at(column)]
	if o.Words != "" {
		return o.Words
	}
	title, _ := l.Reads.about(o.Column)
	return title
}

// DownFirst says that the order by a column begins with the highest.
func (l *List[Row, Key]) DownFirst(column string) bool {
	switch o := &l.Orders[l.at(column)]; {
	case o.LowFirst, o.AsListed:
		return false
	case o.Number != nil:
		return true
	default:
		_, down := l.Reads.about(o.Column)
		return down
	}
}

// By sorts by a column in its own direction, or in the other one.
func (l *List[Row, Key]) By(column string, reversed bool) Sorting {
	return Sorting{column, l.DownFirst(column) != reversed}
}

// beside is the order by the column that many places further on, round the end.
func (l *List[Row, Key]) beside(places int) Sorting {
	n := len(l.Orders)
	return l.By(l.Orders[(l.at(l.Sorted.By)+n+places)%n].Column, false)
}

// usual is the next of the usual orders.
func (l *List[Row, Key]) usual() Sorting {
	next := slices.Index(l.Usual, l.Sorted.By) + 1
	return l.By(l.Usual[next%len(l.Usual)], false)
}

// heading is the order that a click on a heading asks for: once more, and it is reversed.
func (l *List[Row, Key]) heading(column string) Sorting {
	if column == l.Sorted.By {
		return Sorting{column, !l.Sorted.Down}
	}
	return l.By(column, false)
}

// inOrder are the places of rows, in the order that is chosen. What is not known comes last whatever the direction;
// equals stay in their place.
func (l *List[Row, Key]) inOrder(s *part.Scene, rows []Row) (places []int32) {
	o, down := l.order(), l.Sorted.Down
	switch {
	case o.AsListed:
		if places = numbers(len(rows)); down {
			slices.Reverse(places)
		}
		return places
	case o.Number != nil:
		f := &field.Field[Row]{Number: o.Number}
		places = field.Sort(&field.Order{}, f, down, len(rows), func(i int) *Row { return &rows[i] }, nil)
	default:
		places = l.Reads.sort(s, o.Column, down, rows)
	}
	if l.Class == nil {
		return places
	}
	classes := map[int][]int32{}
	for _, i := range places {
		c := l.Class(&rows[i])
		classes[c] = append(classes[c], i)
	}
	places = places[:0]
	for _, c := range slices.Sorted(maps.Keys(classes)) {
		places = append(places, classes[c]...)
	}
	return places
}

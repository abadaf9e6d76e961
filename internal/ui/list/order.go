package list

import "slices"

// Order is an order of rows, by one of the columns.
type Order[Row any] struct {
	Column    string // its name
	Words     string // in the footer
	DownFirst bool   // it begins with the highest

	Number func(r *Row) (v float64, known bool)
	Text   func(r *Row) string // "": not known; nil, like Number: the rows stay as they come
}

// Sorting is the order that the user has chosen.
type Sorting struct {
	By   string // the column
	Down bool   // from the highest to the lowest
}

// asTheyCome reports whether the rows stay as they come.
func (o *Order[Row]) asTheyCome() bool { return o.Number == nil && o.Text == nil }

// weight returns what reads the weight of the row at a place: that of a text is its place among all texts.
func (o *Order[Row]) weight(rows []Row) func(i int) (float64, bool) {
	switch {
	case o.Number != nil:
		return func(i int) (float64, bool) { return o.Number(&rows[i]) }
	case o.asTheyCome():
		return func(i int) (float64, bool) { return float64(i), true }
	}
	places := map[string]float64{}
	var texts []string
	for i := range rows {
		text := o.Text(&rows[i])
		if _, seen := places[text]; !seen {
			places[text] = 0
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	for i, text := range texts {
		places[text] = float64(i)
	}
	return func(i int) (float64, bool) {
		text := o.Text(&rows[i])
		return places[text], text != ""
	}
}

// at is the place of the order by a column; -1: there is none.
func (l *List[Row, Key]) at(column string) int {
	return slices.IndexFunc(l.Orders, func(o Order[Row]) bool { return o.Column == column })
}

// order is the order by which the rows are sorted.
func (l *List[Row, Key]) order() *Order[Row] { return &l.Orders[l.at(l.Sorted.By)] }

// by sorts by a column in its own direction, or in the other one.
func (l *List[Row, Key]) by(column string, reversed bool) Sorting {
	return Sorting{column, l.Orders[l.at(column)].DownFirst != reversed}
}

// beside is the order by the column that many places further on, round the end.
func (l *List[Row, Key]) beside(places int) Sorting {
	n := len(l.Orders)
	return l.by(l.Orders[(l.at(l.Sorted.By)+n+places)%n].Column, false)
}

// usual is the next of the usual orders.
func (l *List[Row, Key]) usual() Sorting {
	next := slices.Index(l.Usual, l.Sorted.By) + 1
	return l.by(l.Usual[next%len(l.Usual)], false)
}

// heading is the order that a click on a heading asks for: once more, and it is reversed.
func (l *List[Row, Key]) heading(column string) Sorting {
	if column == l.Sorted.By {
		return Sorting{column, !l.Sorted.Down}
	}
	return l.by(column, false)
}

// Known is a number that may be absent.
func Known[T int | int64 | uint64 | float64](v *T) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return float64(*v), true
}

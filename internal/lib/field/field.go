// Package field describes the fields of the rows of a list. A Field is one number or one text: its name, its unit, its
// heading, and the way to read it from a row. A Table of fields defines the columns of a list and which of them users
// can choose, its orders, the fields of filters, the columns of documents and of the web page, and the help pages about
// all of these.
//
// The tables are in package rows. They never change, so any goroutine may read them.
package field

import (
	"slices"
	"strings"
)

// Unit is the unit of a field's numbers.
type Unit uint8

// The units.
const (
	Text    Unit = iota // not a number
	Count               // a whole number
	Percent             // 100 is all
	Bytes
	BytesPerSecond
	Watts
	Celsius
	Seconds
)

// Value is one value of a field. A number is in the unit of the field; NaN is unknown.
type Value struct {
	Number float64
	Text   string
}

// Field is one property of the rows of a list. Number, Text or Each reads it; a picture, such as a bar, has none of
// these.
type Field[Row any] struct {
	Key      string   // its one name, also in JSON, with the unit; stable
	Also     []string // other names that users may type
	Unit     Unit
	Decimals int    // decimals on the screen, if there is room for them
	Title    string // title of its column: the heading may be in capitals; "": no column
	Width    int    // the least width of that column
	Place    int    // order in which columns are added as the terminal gets wider; 0: only if chosen
	Help     string // description, as part of a sentence
	Example  string // a value in the form of filters

	Number func(*Row) (v float64, known bool)
	Text   func(*Row) string                // "": unknown
	Each   func(r *Row, to []Value) []Value // appends the values of a row that is about several things

	DownFirst bool // sorted from the highest first
	Letter    rune // the key that sorts by it, as in nvitop; 0: none
	OnGPU     bool // only processes on a GPU have it
	Pace      bool // it shows the speed of a GPU's work: marked if the GPU is slow
	AtRank    int  // place among the numbers in a list of ranks, from 1; 0: none

	Chart  Chart
	Series Series
}

// Series is the time series of a number for Prometheus; zero: none.
type Series struct {
	Place      int // place among the series, from 1
	Name, Help string
}

// Chart is the chart of a number over time; zero: none.
type Chart struct {
	Place int // place among the charts, from 1
	Title string
	Rare  bool   // shown only once the number has had a value
	OfGPU string // key of the GPU metric that equals this number for a process that is alone on the GPU; "": none
}

// Sortable reports whether rows can be sorted by the field.
func (f *Field[Row]) Sortable() bool { return f.Number != nil || f.Text != nil }

// Filterable reports whether filters can compare the field.
func (f *Field[Row]) Filterable() bool { return f.Sortable() || f.Each != nil }

// Right reports whether the column is flush right, as numbers are.
func (f *Field[Row]) Right() bool { return f.Unit != Text }

// Names returns the name and the alternative names.
func (f *Field[Row]) Names() []string { return append([]string{f.Key}, f.Also...) }

// Values appends the values of a row; unknown values are left out.
func (f *Field[Row]) Values(r *Row, to []Value) []Value {
	if f.Each != nil {
		return f.Each(r, to)
	}
	if f.Number != nil {
		if v, known := f.Number(r); known && v == v {
			return append(to, Value{Number: v})
		}
		return to
	}
	if f.Text != nil {
		return Word(to, f.Text(r))
	}
	return to
}

// Word appends a text unless it is empty.
func Word(to []Value, s string) []Value {
	if s == "" {
		return to
	}
	return append(to, Value{Text: s})
}

// Known returns a number that may be absent, in the form in which readers return numbers.
func Known[T int | int64 | uint64 | float64](v *T) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return float64(*v), true
}

// Table has the fields of a list's rows.
type Table[Row any] struct {
	Name   string // what the rows are: "processes"
	Fields []Field[Row]
	Words  func(r *Row, to []string) []string // appends the texts in which the words of a filter are searched
}

// Find returns the index of the field with a name, in upper or lower case; -1: there is none.
func (t *Table[Row]) Find(name string) int {
	return slices.IndexFunc(t.Fields, func(f Field[Row]) bool {
		return slices.ContainsFunc(f.Names(), func(s string) bool { return strings.EqualFold(s, name) })
	})
}

// Field returns the field with a key, which must exist.
func (t *Table[Row]) Field(key string) *Field[Row] {
	i := slices.IndexFunc(t.Fields, func(f Field[Row]) bool { return f.Key == key })
	if i < 0 {
		panic("no field " + key + " of " + t.Name)
	}
	return &t.Fields[i]
}

// Keys returns the names of fields.
func Keys[Row any](fields []*Field[Row]) (keys []string) {
	for _, f := range fields {
		keys = append(keys, f.Key)
	}
	return keys
}

// Of returns fields for rows that contain one other thing; inner returns that thing, nil if it is unknown.
func Of[Outer, Inner any](fields []Field[Inner], inner func(*Outer) *Inner) []Field[Outer] {
	outer := make([]Field[Outer], len(fields))
	for i, f := range fields {
		outer[i] = withoutReader[Outer](&f)
		if f.Number != nil {
			outer[i].Number = func(r *Outer) (v float64, known bool) {
				if in := inner(r); in != nil {
					return f.Number(in)
				}
				return 0, false
			}
		}
		if f.Text != nil {
			outer[i].Text = func(r *Outer) string {
				if in := inner(r); in != nil {
					return f.Text(in)
				}
				return ""
			}
		}
	}
	return outer
}

// Each returns fields for rows that contain several things.
func Each[Outer, Inner any](fields []Field[Inner], inner func(*Outer) []*Inner) []Field[Outer] {
	outer := make([]Field[Outer], len(fields))
	for i, f := range fields {
		outer[i] = withoutReader[Outer](&f)
		outer[i].Each = func(r *Outer, to []Value) []Value {
			for _, in := range inner(r) {
				to = f.Values(in, to)
			}
			return to
		}
	}
	return outer
}

// withoutReader returns a field for other rows with the description of f, but no reader.
func withoutReader[Outer, Inner any](f *Field[Inner]) Field[Outer] {
	return Field[Outer]{Key: f.Key, Also: f.Also, Unit: f.Unit, Decimals: f.Decimals, Title: f.Title, Width: f.Width,
		Place: f.Place, Help: f.Help, Example: f.Example, DownFirst: f.DownFirst, Letter: f.Letter, OnGPU: f.OnGPU,
		Pace: f.Pace, AtRank: f.AtRank, Chart: f.Chart, Series: f.Series}
}

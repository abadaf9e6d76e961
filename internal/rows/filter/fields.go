package filter

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// Field is a field of some rows, as filters see it.
type Field struct {
	Name    string
	Also    []string // other names
	Unit    field.Unit
	Example string // a value
	Help    string
	at      int // its place in the table of the rows
}

// Fields are the fields of a kind of row, in the order in which they are named.
type Fields []Field

// Of returns the fields of a table.
func Of[Row any](t *field.Table[Row]) (fields Fields) {
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Filterable() {
			fields = append(fields, Field{f.Key, f.Also, f.Unit, f.Example, f.Help, i})
		}
	}
	return fields
}

// Names returns the names of the fields, without their other names.
func (f Fields) Names() []string {
	var names []string
	for i := range f {
		names = append(names, f[i].Name)
	}
	return names
}

// everyName returns the names of the fields and their other names.
func (f Fields) everyName() []string {
	names := f.Names()
	for i := range f {
		names = append(names, f[i].Also...)
	}
	return names
}

// findField returns the field of that name, in upper or lower case, nil if there is none.
func (f Fields) findField(name string) *Field {
	is := func(s string) bool { return strings.EqualFold(s, name) }
	for i := range f {
		if is(f[i].Name) || slices.ContainsFunc(f[i].Also, is) {
			return &f[i]
		}
	}
	return nil
}

// Ops returns the operators that a field accepts.
func (f *Field) Ops() []string {
	if f.Unit == field.Text {
		return []string{"=", "!=", "~"}
	}
	return []string{"<", "<=", ">", ">=", "=", "!="}
}

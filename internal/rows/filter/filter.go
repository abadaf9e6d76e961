// Package filter is the language that chooses rows: words that a row shows, and comparisons of its fields, as in
//
//	train util<50 and node~n0[1-4]
//
// Parse reads a filter for the rows of a table of package field, and checks it completely, so that Keep cannot fail. A
// filter has at most MostText characters, and every expression runs in time linear in the text of a row.
//
// An Expr never changes: any number of goroutines may use it. It works only on rows of the table for which it was
// parsed.
package filter

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// Expr is a filter.
type Expr struct {
	root node
	text string
}

// String is the text of the filter.
func (e *Expr) String() string { return e.text }

// Keep returns the rows that match, in their order. A nil Expr keeps all. of may return the same pointer each time, set
// to another row.
func Keep[T, Row any](e *Expr, t *field.Table[Row], rows []T, of func(*T) *Row) []T {
	if e == nil {
		return rows
	}
	s := &tableRow[Row]{table: t}
	r := &cachedRow{valueSource: s}
	kept := []T{} // not nil, which could mean that all match
	for i := range rows {
		if s.row = of(&rows[i]); e.root.match(r) {
			kept = append(kept, rows[i])
		}
	}
	return kept
}

// valueSource is a row of any table. It appends its values to a slice, so that thousands of rows need no memory of
// their own.
type valueSource interface {
	// appendValues appends the values of the field at an index of the table: none if unknown, several for a row about
	// several things.
	appendValues(at int, to []field.Value) []field.Value
	// appendTexts appends the texts in which words are searched.
	appendTexts(to []string) []string
}

// tableRow is a row of a table.
type tableRow[Row any] struct {
	table *field.Table[Row]
	row   *Row
}

func (s *tableRow[Row]) appendValues(at int, to []field.Value) []field.Value {
	return s.table.Fields[at].Values(s.row, to)
}

func (s *tableRow[Row]) appendTexts(to []string) []string { return s.table.Words(s.row, to) }

// cachedRow is a row with memory for its values.
type cachedRow struct {
	valueSource
	values []field.Value
	texts  []string
}

// node is a part of an Expr.
type node interface{ match(r *cachedRow) bool }

type (
	anyOf []node
	allOf []node
	no    struct{ node }
	word  string // in folded case
)

func (n anyOf) match(r *cachedRow) bool {
	return slices.ContainsFunc(n, func(n node) bool { return n.match(r) })
}

func (n allOf) match(r *cachedRow) bool {
	return !slices.ContainsFunc(n, func(n node) bool { return !n.match(r) })
}

func (n no) match(r *cachedRow) bool { return !n.node.match(r) }

func (n word) match(r *cachedRow) bool {
	r.texts = r.appendTexts(r.texts[:0])
	return slices.ContainsFunc(r.texts, func(s string) bool { return containsFolded(s, string(n)) })
}

// containsFolded reports whether s contains the folded text, in upper or lower case.
func containsFolded(s, folded string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.Contains(strings.ToLower(s), folded)
		}
	}
	for at := 0; at+len(folded) <= len(s); at++ {
		if (folded == "" || s[at]|0x20 == folded[0]|0x20) && hasFolded(s[at:], folded) {
			return true
		}
	}
	return false
}

// hasFolded reports whether s, which is ASCII, begins with the folded text.
func hasFolded(s, folded string) bool {
	for i := range len(folded) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != folded[i] {
			return false
		}
	}
	return true
}

// comparison compares a field. No comparison is true for a row without a value, not even "!=". With several values, one
// match is enough; "!=" is true if no value is equal.
type comparison struct {
	at      int // index of the field in the table
	op      string
	numbers []float64 // for a field of numbers: one, or several for equality
	texts   []string  // for a field of text, in folded case
	pattern *regexp.Regexp
}

func (c *comparison) match(r *cachedRow) bool {
	r.values = r.appendValues(c.at, r.values[:0])
	if c.numbers != nil {
		r.values = slices.DeleteFunc(r.values, func(v field.Value) bool { return math.IsNaN(v.Number) })
	}
	if c.op == "!=" {
		return len(r.values) > 0 && !slices.ContainsFunc(r.values, c.equalsAny)
	}
	return slices.ContainsFunc(r.values, c.holdsFor)
}

func (c *comparison) holdsFor(v field.Value) bool {
	switch c.op {
	case "=":
		return c.equalsAny(v)
	case "~":
		return c.pattern.MatchString(v.Text)
	case "<":
		return v.Number < c.numbers[0]
	case "<=":
		return v.Number <= c.numbers[0]
	case ">":
		return v.Number > c.numbers[0]
	}
	return v.Number >= c.numbers[0]
}

func (c *comparison) equalsAny(v field.Value) bool {
	if c.numbers != nil {
		return slices.Contains(c.numbers, v.Number)
	}
	return slices.ContainsFunc(c.texts, func(s string) bool { return strings.EqualFold(v.Text, s) })
}

// Package rows holds the rows of the lists, and the table of fields of each kind: GPUs, nodes, processes and ranks,
// jobs, users, problems. It also has the columns that tables can show.
//
// A new number is one line in one of these tables: columns, orders, filters, documents and their help pages follow from
// it. Its key is its name in JSON. A row is reused for one thing after another, so it belongs to one goroutine; the
// tables never change. Values that a node has not reported are absent. All other values are those on the pages, so a
// node that does not respond has old numbers.
package rows

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// problemFields returns the fields of rows with findings.
func problemFields[Row any](of func(*Row) []*cluster.Finding) []field.Field[Row] {
	return field.Each([]field.Field[cluster.Finding]{
		{Key: "problem", Also: []string{"kind"}, Example: "lag", Help: "kind of a problem, or its name",
			Each: func(f *cluster.Finding, to []field.Value) []field.Value {
				return field.Word(field.Word(to, string(f.Kind)), say.LabelOf(f).One)
			}},
		{Key: "letter", Example: "T", Help: "letter of a problem: X E T P N L I", Text: problemLetter},
		{Key: "severity", Example: "critical", Help: "critical, warning, waiting, note",
			Text: func(f *cluster.Finding) string { return f.Severity.String() }},
	}, of)
}

func problemLetter(f *cluster.Finding) string {
	if letter := say.LabelOf(f).Letter; letter != 0 {
		return string(rune(letter))
	}
	return ""
}

// knownNumber returns a number that is always known.
func knownNumber(n int) (float64, bool) { return float64(n), true }

// measuredNumber returns a measured number; NaN means unknown.
func measuredNumber(v float64) (float64, bool) { return v, v == v }

// gpuNumber returns the number of a GPU, if it is known.
func gpuNumber(n int) (float64, bool) { return float64(n), n != cluster.NoNumber }

package filter_test

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
)

// A table says once what its rows have. Filters, columns and orders follow from it.
func Example() {
	type process struct {
		name   string
		memory float64
	}
	table := &field.Table[process]{
		Name: "processes",
		Fields: []field.Field[process]{
			{Key: "name", Text: func(p *process) string { return p.name }},
			{Key: "memory", Unit: field.Bytes, Number: func(p *process) (float64, bool) { return p.memory, true }},
		},
		Words: func(p *process, to []string) []string { return append(to, p.name) },
	}
	rows := []process{{"python", 40 << 30}, {"python", 1 << 30}, {"nvidia-smi", 0}}

	expr, fault := filter.Parse("python memory>2G", filter.Of(table))
	if fault != nil {
		fmt.Println(fault)
		return
	}
	for _, p := range filter.Keep(expr, table, rows, func(p *process) *process { return p }) {
		fmt.Println(p.name, p.memory/(1<<30))
	}
	// Output: python 40
}

package list

import (
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Reads reads the fields of rows.
type Reads[Row any] struct {
	filter.Fields

	about func(name string) (title string, downFirst bool)
	keep  func(s *part.Scene, e *filter.Expr, rows []Row, places []int32) []int32
	sort  func(s *part.Scene, name string, down bool, rows []Row) []int32
}

// By reads the fields of a table. of converts each row.
func By[Row, Fields any](t *field.Table[Fields], of func(s *part.Scene) func(r *Row) *Fields) Reads[Row] {
	named := t.Field
	return Reads[Row]{filter.Of(t),
		func(name string) (string, bool) { return named(name).Title, named(name).DownFirst },
		func(s *part.Scene, e *filter.Expr, rows []Row, places []int32) []int32 {
			fields := of(s)
			return filter.Keep(e, t, places, func(i *int32) *Fields { return fields(&rows[*i]) })
		},
		func(s *part.Scene, name string, down bool, rows []Row) []int32 {
			fields := of(s)
			row := func(i int) *Fields { return fields(&rows[i]) }
			return field.Sort(&field.Order{}, named(name), down, len(rows), row, nil)
		},
	}
}

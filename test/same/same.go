// Package same compares Snapshots, for tests of Stores.
package same

import (
	"reflect"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// State compares everything in a Snapshot, with unexported fields. Times may differ in their clock.
var State = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }), cmpopts.EquateNaNs(),
	cmp.Comparer(func(a, b metric.Values) bool { return a == b }), cmpopts.EquateEmpty(),
	cmp.Comparer(bins),
}

// bins compares histories by what they have, whatever their room. Bit by bit cmp would look for the shortest difference
// of each, which took minutes with the race detector.
func bins(a, b history.History) bool {
	newest, has := a.Newest()
	oldest, _ := a.Oldest()
	if other, had := b.Newest(); other != newest || had != has {
		return false
	}
	if other, _ := b.Oldest(); other != oldest {
		return false
	}
	equal := func(a, b float32) bool { return a == b || a != a && b != b }
	n := int(newest-oldest) + 1
	return !slices.ContainsFunc(metric.Kept, func(id metric.ID) bool {
		return a.Has(id) != b.Has(id) ||
			!slices.EqualFunc(a.Tail(nil, id, newest, n), b.Tail(nil, id, newest, n), equal)
	})
}

// Package same compares Snapshots, for tests of Stores.
package same

import (
	"reflect"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// State compares everything in a Snapshot, with unexported fields. Times may differ in their clock.
var State = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }), cmpopts.EquateNaNs(),
	cmp.Comparer(func(a, b metric.Values) bool { return a == b }), cmpopts.EquateEmpty(),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".closed" },
		cmp.FilterValues(some, cmp.Comparer(bins))),
}

// some tells whether EquateEmpty leaves two slices to others.
func some(a, b any) bool { return reflect.ValueOf(a).Len()+reflect.ValueOf(b).Len() > 0 }

// bins compares histories. Without it cmp looks for the shortest difference of each, which took minutes with the race
// detector.
func bins(a, b any) bool { return reflect.DeepEqual(a, b) }

package uitest

import (
	"reflect"
	"testing"

	"charm.land/bubbles/v2/cursor"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Everything compares what is not exported too. The cursor of an input has a number of its own. Functions, which say
// what a list is of, cannot be compared.
var Everything = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.IgnoreTypes(cursor.Model{}), cmpopts.EquateNaNs(),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type().Kind() == reflect.Func }, cmp.Ignore()),
}

// DiffPages compares a page with one that was never drawn.
func DiffPages(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, Everything, theSame[cluster.Snapshot](), seenAlike(),
		theSame[cluster.GPU]()); diff != "" {
		t.Errorf("the page has changed:\n%s", diff)
	}
}

// DiffScenes compares a scene with one that was never drawn.
func DiffScenes(t *testing.T, want, got *part.Scene) {
	t.Helper()
	if diff := cmp.Diff(want, got, Everything, theSame[cluster.JobView](), seenAlike(),
		cmpopts.IgnoreTypes(&cluster.Snapshot{}, &part.Memory{})); diff != "" {
		t.Errorf("the scene has changed:\n%s", diff)
	}
}

// seenAlike takes nodes with the same past for the same node, although each scene makes its own.
func seenAlike() cmp.Option {
	return cmp.Comparer(func(a, b *cluster.Node) bool { return a == b || a.Past != nil && a.Past == b.Past })
}

// theSame compares what belongs to the Snapshot, which both scenes share, by its place.
func theSame[T any]() cmp.Option { return cmp.Comparer(func(a, b *T) bool { return a == b }) }

package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// The number of an instance of a two-digit GPU is whole in each table.
func TestNumbersOfInstances(t *testing.T) {
	for _, w := range []int{60, 80, 120, 200} {
		for typed, want := range map[string]int{"": 3, "m": 1} {
			view := func(v *view) { v.chooseNode("gpu-n01", 0); v.node().Processes = node.ShowOn }
			d := newDesk(t, shot{snap: uitest.TenthFixture, view: view, typed: typed}, w, 50)
			text := strings.Join(d.lines(), "\n")
			if got := strings.Count(text, "10:0 ") + strings.Count(text, "10:1 "); got < want {
				t.Errorf("%q in %d columns shows %d numbers of instances, want %d:\n%s", typed, w, got, want, text)
			}
		}
	}
}

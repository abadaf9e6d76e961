package ui

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// readsStacks lets the page of the stacks ask so many times: the third rank of a node waits for data, the fifth must
// not be read, and a node is silent. With none it asks, and nobody has answered yet.
func readsStacks(looks int) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		uitest.ReadStacks(v.stacks, s, looks)
		v.resolveSelection(s)
	}
}

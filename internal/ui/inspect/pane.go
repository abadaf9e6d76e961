package inspect

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Draw draws the facts about a process that its node has listed, for the pane beside a list, and returns the row below.
// It asks the node for nothing.
func Draw(f *part.Frame, y int, t tally.Target) int {
	m := &Metrics{target: t}
	m.Settle(f.Scene)
	return m.drawFacts(f, y, max(f.H/10, 1))
}

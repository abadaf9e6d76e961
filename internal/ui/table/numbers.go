package table

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// numberWidth is the width of the longest number of a MIG instance on these nodes, such as "10:1".
func numberWidth(nodes ...*cluster.Node) int {
	longest := 0
	for _, n := range nodes {
		for i := range n.GPUs {
			if g := &n.GPUs[i]; g.Instance() {
				longest = max(longest, draw.Width(part.Number(g)))
			}
		}
	}
	return longest
}

// widenGPUColumn returns the columns with a GPU number column of at least this width.
func widenGPUColumn(columns []Column, number int) []Column {
	columns = slices.Clone(columns)
	for i := range columns {
		if c := &columns[i]; c.Key == colGPU {
			c.Least = max(c.Least, number)
		}
	}
	return columns
}

// sizeText is "71.2GiB", or "4MiB".
func sizeText(bytes uint64) string {
	size, unit := draw.Size(bytes)
	return size + unit
}

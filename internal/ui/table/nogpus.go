package table

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// NoGPUs explains, in place of the GPUs, why there are none.
func NoGPUs(f *part.Frame, y int) int {
	text, role := "no NVIDIA GPUs on this node", draw.Dim
	switch {
	case len(f.Node.GPUs) == 0:
	case len(f.Only) > 0:
		text = "no GPU of --only on this node: " + strings.Join(f.Only, ", ")
	default:
		text = "this job has no GPUs on this node"
	}
	if h := f.Node.Hello; h != nil && h.Fault != "" {
		text, role = "✗ no GPU metrics: "+h.Fault, draw.CritFill
	}
	f.Put(1, y, draw.Clip(" "+text+" ", f.W-2), role)
	return y + 1
}

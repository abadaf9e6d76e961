package list

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/gpu"
	"github.com/nvnodetop/nvnodetop/internal/ui/inspect"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// The detail pane draws the row under the cursor of a list in full, on the pane beside the list. The pane has parts of
// the page that Enter opens: of a node, of a GPU, or of a process with its GPU.
//
// Everything here is drawn from the Snapshot; no node is asked. It changes only the canvas and the scene of the pane.

// DrawNode draws a node of the job.
func DrawNode(f *part.Frame, name string) {
	selectNode(f, name)
	node.Draw(f, 0)
}

func selectNode(f *part.Frame, name string) {
	f.Node = f.NodeOf(name)
	f.Recall()
}

// DrawGPU draws a GPU of a node, or the node if it has no numbers.
func DrawGPU(f *part.Frame, name string, g *cluster.GPU) {
	selectNode(f, name)
	if !tally.Shows(f.Node) {
		node.Draw(f, 0)
		return
	}
	ofGPU(f, 0, g)
}

// ofGPU draws a GPU of the selected node from row y on, below its name.
func ofGPU(f *part.Frame, y int, g *cluster.GPU) {
	f.Left(1, y, f.W-2, f.Node.Name+"  "+part.GPUNumber(g), draw.Strong)
	gpu.Draw(f, y+1, g)
}

// DrawProcess draws a process, and its first GPU.
func DrawProcess(f *part.Frame, t tally.Target, g *cluster.GPU) {
	selectNode(f, t.Node)
	y := inspect.Draw(f, 0, t)
	if g == nil || !tally.Shows(f.Node) || y+leastOfGPU >= f.H {
		return
	}
	if f.H >= part.Tall {
		y++
	}
	f.Section(y, f.Node.Name+"  "+part.GPUNumber(g), "")
	gpu.Draw(f, y+1, g)
}

// leastOfGPU is the least number of rows in which a GPU is shown below its process.
const leastOfGPU = 8

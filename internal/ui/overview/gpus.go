package overview

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// rowCursor is the cursor inside the row of a node: on a GPU, or on the node itself. It stays in its column when the
// cursor goes to another node.
type rowCursor struct {
	on     bool // it is on a GPU
	number int
}

// gpusWithCell returns the GPUs of a node that have a cell.
func gpusWithCell(s *part.Scene, n *cluster.Node) []*cluster.GPU {
	if n = n.AsSeen(); !tally.Shows(n) {
		return nil
	}
	return slices.DeleteFunc(s.GPUs(n), (*cluster.GPU).Instance)
}

// cursorGPU returns the GPU of a node under the cursor; nil: the cursor is on the node.
func (o *Page) cursorGPU(s *part.Scene, n *cluster.Node) *cluster.GPU {
	if !o.inRow.on || o.Times {
		return nil
	}
	list := gpusWithCell(s, n)
	if at := o.inRow.indexOfGPU(list); at >= 0 {
		return list[at]
	}
	return nil
}

// indexOfGPU returns the index of the GPU in a list; -1: the node has none with that number.
func (r rowCursor) indexOfGPU(list []*cluster.GPU) int {
	return slices.IndexFunc(list, func(g *cluster.GPU) bool { return g.Number == r.number })
}

// moveAlongRow moves the cursor by some GPUs; before the first GPU comes the node itself.
func (r *rowCursor) moveAlongRow(by int, list []*cluster.GPU) {
	at := -1
	if r.on {
		at = r.indexOfGPU(list)
	}
	if at = min(at+by, len(list)-1); at < 0 {
		*r = rowCursor{}
	} else {
		*r = rowCursor{on: true, number: list[at].Number}
	}
}

// openUnderCursor opens the GPU under the cursor, or the node.
func (o *Page) openUnderCursor(s *part.Scene, name *string) nav.Answer {
	if g := o.cursorGPU(s, s.NodeOf(*name)); g != nil {
		return nav.To(nav.Go{Page: keys.OnGPU, Node: *name, GPU: g.Key})
	}
	return nav.To(nav.Go{Page: keys.OnNode, Node: *name})
}

// drawDetail draws the GPU under the cursor, or the node, in full.
func (o *Page) drawDetail(f *part.Frame, name *string) {
	if g := o.cursorGPU(f.Scene, f.NodeOf(*name)); g != nil {
		list.DrawGPU(f, *name, g)
		return
	}
	list.DrawNode(f, *name)
}

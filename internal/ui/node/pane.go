package node

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Draw draws parts of the node view for the selected node, from row y on, for the pane beside a list. The problems come
// first.
func Draw(f *part.Frame, y int) {
	if !tally.Shows(f.Node) {
		DrawConnection(f, y, f.H)
		return
	}
	y = hostLines(f, y)
	y = drawProblems(f, y, y+max((f.H-y)/3, 0))
	if f.H >= part.Tall {
		y++
	}
	gpus := f.GPUs(f.Node)
	n := min(len(gpus), max(f.H-1-y-3, 0)) // the headings, a rule and the sum
	y = gpuTable(f, &sectionRows{head: y, rule: true, gpus: nav.Window{All: n, Shown: n}, rows: gpus})
	p := New(nil)
	if list, _, _ := p.matchingProcesses(f.Scene); len(list) > 0 {
		room := max(f.H-1-y-3, 0) // a blank line, the title and the headings
		n := min(len(list), max(room-graphRows, room/3))
		y = p.processSection(f, y, &sectionRows{list: nav.Window{All: n, Shown: n}, end: f.H - 1})
	}
	graph.NodeGraphs(f, y, "")
}

// graphRows is the number of rows that the processes leave to the graphs, if there are enough rows.
const graphRows = 9

package gpu

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Draw draws parts of the GPU page for a GPU of the selected node, from row y on, for the pane beside a list.
func Draw(f *part.Frame, y int, g *cluster.GPU) {
	if tally.Absent(g) {
		f.Put(1, y, draw.Clip(" ✗ "+g.Lost+" ", f.W-2), draw.CritFill)
		return
	}
	p := &Page{chosen: true, gpu: idOf(g), pane: true}
	r := roomsFrom(y, f.H, 1, 1)
	need := 0
	for _, finding := range findingsOf(f, g) {
		need += header.SentenceRows(f, &finding)
	}
	more := max(min(need-r.findings, r.graphs/4), 0) // for the evidence, and for what to do
	r.findings, r.graphs = r.findings+more, r.graphs-more
	p.drawBody(f, g, r)
}

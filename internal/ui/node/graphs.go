package node

import (
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// drawGraphs draws the past of the GPUs or of the node itself, below row y, and reports whether there was room. The
// title names the key that switches between them.
func (p *Page) drawGraphs(f *part.Frame, y int) (drawn bool) {
	view := keys.Name(keys.Grid)
	if p.host {
		return graph.HostGraphs(f, y, view+"  GPUs")
	}
	return graph.NodeGraphs(f, y, view+"  host")
}

// switchGraphs switches between the graphs of the GPUs and those of the node itself. If they have no room, it hides the
// processes, and if that is not enough, it says where there are graphs.
func (p *Page) switchGraphs(s *part.Scene) nav.Answer {
	other, without := *p, *p
	other.host = !p.host
	without.Processes = ShowOff
	a := nav.Taken
	switch {
	case other.hasGraphs(s):
		p.host = !p.host
	case p.hasGraphs(s):
		a.Notice = "nothing is known yet of the host's past"
	case without.hasGraphs(s):
		p.Processes = ShowOff
		a.Notice = "processes hidden, to make room for graphs: " + keys.Name(keys.Processes) + " brings them back"
	default:
		a.Notice = "no room for graphs here: the page " + keys.PageName(keys.ToGPU) + " has those of one GPU"
	}
	return a
}

// hasGraphs reports whether graphs are on the screen.
func (p *Page) hasGraphs(s *part.Scene) bool {
	return p.drawBody(&part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}) // a canvas to measure on
}

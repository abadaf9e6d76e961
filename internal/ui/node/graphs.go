package node

import (
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// graphKind is what the graphs are of.
type graphKind uint8

const (
	ofGPUs  graphKind = iota
	ofHost            // the node itself
	ofSteps           // what the log of the job says
	graphKinds
)

// graphNames are their names.
var graphNames = [graphKinds]string{"GPUs", "host", "steps"}

// Steps is the Choice of a nav.Go that shows the graphs of the steps.
const Steps = "steps"

// nextGraphs returns what the key shows next.
func (p *Page) nextGraphs(s *part.Scene) graphKind {
	next := (p.shows + 1) % graphKinds
	if next == ofSteps && !graph.HasSteps(s) {
		next = ofGPUs
	}
	return next
}

// drawGraphs draws the past of the GPUs, of the node itself or of the steps, below row y, and reports whether there was
// room. The title names the key that switches between them.
func (p *Page) drawGraphs(f *part.Frame, y int) (drawn bool) {
	view := keys.Name(keys.Grid) + "  " + graphNames[p.nextGraphs(f.Scene)]
	switch {
	case p.shows == ofHost:
		return graph.HostGraphs(f, y, view)
	case p.shows == ofSteps && graph.HasSteps(f.Scene):
		return graph.StepGraphs(f, y, view)
	}
	return graph.NodeGraphs(f, y, view)
}

// switchGraphs shows the next graphs. If they have no room, it hides the processes, and if that is not enough, it says
// where there are graphs.
func (p *Page) switchGraphs(s *part.Scene) nav.Answer {
	other, without := *p, *p
	other.shows = p.nextGraphs(s)
	if other.shows == ofHost && !other.hasGraphs(s) && graph.HasSteps(s) {
		other.shows = ofSteps
	}
	without.Processes = ShowOff
	a := nav.Taken
	switch {
	case other.hasGraphs(s):
		p.shows = other.shows
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

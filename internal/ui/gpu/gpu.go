// Package gpu is the page of one GPU: its model and features, problems, past, links and errors, and processes.
package gpu

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Page shows one GPU of the selected node: its model and features, problems, past, reduced clocks, links and errors,
// and processes. For a node without values it shows the connection to the node.
type Page struct {
	node   string // the node of the other fields
	chosen bool
	gpu    gpuID
	at     int  // its place among the node's GPUs; if it is gone, the place of the next one
	from   int  // number of rows of processes scrolled away
	pane   bool // it is drawn beside a list, where no key scrolls

	connection node.ConnectionPage
}

// gpuID identifies a GPU of a node: by its key, or by its number if the driver does not list it.
type gpuID struct {
	key    string
	number int
}

func idOf(g *cluster.GPU) gpuID {
	if g.Key != "" {
		return gpuID{key: g.Key, number: g.Number}
	}
	return gpuID{number: g.Number}
}

// gpusOf returns the GPUs of the selected node that the page visits: the job's first, then the others if they are
// shown.
func gpusOf(s *part.Scene) []*cluster.GPU {
	var own, others []*cluster.GPU
	for _, g := range s.GPUs(s.Node) {
		if tally.Absent(g) || s.Job.Owns(s.Node, g) {
			own = append(own, g)
		} else {
			others = append(others, g)
		}
	}
	return append(own, others...)
}

// indexOfChosen returns the place of the chosen GPU in a list, or -1 if it is gone.
func (p *Page) indexOfChosen(list []*cluster.GPU) int {
	return slices.IndexFunc(list, func(g *cluster.GPU) bool {
		id := idOf(g)
		return p.chosen && id.key == p.gpu.key && (id.key != "" || id.number == p.gpu.number)
	})
}

// chosenGPU returns the chosen GPU; nil: it is gone.
func (p *Page) chosenGPU(s *part.Scene) *cluster.GPU {
	if s.Node == nil {
		return nil
	}
	list := gpusOf(s)
	if at := p.indexOfChosen(list); at >= 0 {
		return list[at]
	}
	return nil
}

// chooseByKey chooses a GPU of a node by its key; "" leaves the choice to Settle.
func (p *Page) chooseByKey(node, key string) {
	*p = Page{node: node, chosen: key != "", gpu: gpuID{key: key, number: cluster.NoNumber}}
}

// Arrive shows a GPU of the selected node, or of another one.
func (p *Page) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	if to.Node == "" {
		to.Node = s.Node.Name
	}
	p.chooseByKey(to.Node, to.GPU)
	return nav.Answer{}
}

// Settle chooses a GPU of the selected node if none is chosen: the GPU with the same number as the last one on the
// previous node, otherwise the GPU with the worst problem, otherwise the first. It is called before the page is drawn.
func (p *Page) Settle(s *part.Scene) {
	s.Recall()
	switch p.node {
	case s.Node.Name:
	case "":
		p.chooseByKey(s.Node.Name, "")
	default:
		p.turnTo(s.Node.Name, p.gpu)
	}
	list := gpusOf(s)
	switch at := p.indexOfChosen(list); {
	case at >= 0:
		p.chooseGPU(list, at)
	case p.indexOfChosen(tally.All(s.Node)) >= 0: // it belongs to another job, and such GPUs are hidden now
		p.chosen = false
	}
	if p.chosen || len(list) == 0 {
		return
	}
	at := slices.IndexFunc(list, func(g *cluster.GPU) bool {
		return p.gpu.number != cluster.NoNumber &&
			g.Number == p.gpu.number
	})
	if at < 0 {
		at = worstIndex(s, list)
	}
	p.chooseGPU(list, at)
}

// turnTo goes to a node. of is the GPU to look for there.
func (p *Page) turnTo(node string, of gpuID) {
	p.node, p.chosen, p.gpu, p.from = node, false, gpuID{number: of.number}, 0
}

// worstIndex returns the place of the GPU with the worst problem among the job's; without problems, the first. Among
// equal problems, one that slows the job comes first.
func worstIndex(s *part.Scene, list []*cluster.GPU) int {
	at, rank := 0, 2*int(cluster.Note)+1
	for i, g := range list {
		r := 2 * s.Health.GPURank(s.Node.Name, g)
		if findings := s.Health.OfGPU(s.Node.Name, g); len(findings) > 0 && findings[0].Kind.SlowsJob() {
			r++
		}
		if r > rank && (tally.Absent(g) || s.Job.Owns(s.Node, g)) {
			at, rank = i, r
		}
	}
	return at
}

func (p *Page) chooseGPU(list []*cluster.GPU, at int) {
	if id := idOf(list[at]); !p.chosen || id != p.gpu {
		if id.key != p.gpu.key {
			p.from = 0
		}
		p.gpu, p.chosen = id, true
	}
	p.at = at
}

// Press changes the GPU and the node, and scrolls the processes.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if a := code.Do(p, msg, s); a.Taken {
		return a
	}
	if !tally.Shows(s.Node) {
		return p.connection.Press(msg, s)
	}
	w := p.processWindow(s, newRooms(s, p.chosenGPU(s)))
	from, moved := nav.Scroll(msg, w.From, w.Shown, w.Shown, w.Hidden())
	if !moved {
		return nav.Answer{}
	}
	p.from = from
	return nav.Taken
}

// code is the code of the page's own actions.
var code = nav.CodeTable[*Page]{
	{Of: keys.ToProcesses, Do: toProcesses},
	{Of: keys.Left, Do: toGPU(-1)},
	{Of: keys.Right, Do: toGPU(+1)},
	{Of: keys.Up, Do: func(p *Page, s *part.Scene) nav.Answer { return p.goToNextNode(s, -1) }},
	{Of: keys.Down, Do: func(p *Page, s *part.Scene) nav.Answer { return p.goToNextNode(s, +1) }},
}

// Actions returns the actions that have code.
func (p *Page) Actions() []key.Binding { return slices.Concat(code.Actions(), nav.PageMoves) }

func toProcesses(p *Page, s *part.Scene) nav.Answer {
	return nav.To(nav.Go{Page: keys.OnProcesses, Node: s.Node.Name, GPU: p.gpu.key})
}

func toGPU(by int) func(*Page, *part.Scene) nav.Answer {
	return func(p *Page, s *part.Scene) nav.Answer {
		if !tally.Shows(s.Node) {
			return nav.Answer{}
		}
		return p.goToNextGPU(s, by)
	}
}

// goToNextGPU goes to the next GPU, with a wrap at the ends. After a GPU that is gone comes the GPU in its place.
func (p *Page) goToNextGPU(s *part.Scene, by int) nav.Answer {
	list := gpusOf(s)
	if len(list) == 0 {
		return nav.Taken
	}
	at := p.indexOfChosen(list)
	if at < 0 {
		if at = min(p.at, len(list)); by > 0 {
			at--
		}
	}
	p.chooseGPU(list, (at+by+len(list))%len(list))
	return nav.Taken
}

// goToNextNode goes to the GPU with the same number on the next node, with a wrap at the ends.
func (p *Page) goToNextNode(s *part.Scene, by int) nav.Answer {
	if len(s.Order) == 0 {
		return nav.Answer{}
	}
	n := len(s.Order)
	next := s.Order[(max(slices.Index(s.Order, s.Node.Name), 0)+by+n)%n]
	if next != p.node {
		p.turnTo(next, p.gpu)
	}
	return nav.To(nav.Go{Node: next})
}

// Wants asks for the selected node with its processes.
func (p *Page) Wants(s *part.Scene) nav.Wants {
	return nav.Wants{Selected: true, Processes: newRooms(s, p.chosenGPU(s)).processes > 0}
}

// processWindow returns the part of the list of processes that is on the screen.
func (p *Page) processWindow(s *part.Scene, r rooms) nav.Window {
	w := nav.Window{}
	if list := gpusOf(s); r.processes > 0 {
		if at := p.indexOfChosen(list); at >= 0 {
			w.All = len(processesOf(s, list[at]))
		}
	}
	w.Shown = min(w.All, max(r.processes-2, 0)) // the title and the headings
	w.From = min(p.from, w.Hidden())
	return w
}

// processesOf returns the processes on a GPU of the selected node.
func processesOf(s *part.Scene, g *cluster.GPU) []tally.Process {
	list, _ := tally.Processes(s.Job, s.Node)
	list, _ = s.Processes(s.Node, list)
	return slices.DeleteFunc(list, func(p tally.Process) bool { return p.GPU != g.Index })
}

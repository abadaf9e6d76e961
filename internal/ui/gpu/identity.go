package gpu

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// facts writes labels and values into one row, the most important first. Each is drawn whole or not at all.
type facts struct {
	f    *part.Frame
	x, y int
	last int // number of columns at the right that stay free
}

// addFact draws a fact if it is known.
func (l *facts) addFact(label, value string) {
	l.addPieces(part.Dim(label+" "), part.Text(value))
}

func (l *facts) addPieces(pieces ...part.Piece) {
	if len(pieces) == 0 {
		return
	}
	if last := pieces[len(pieces)-1]; last.Text == "" || l.x+part.Width(pieces) > l.f.W-1-l.last {
		return
	}
	l.x = l.f.Pieces(l.x, l.y, pieces...) + 2
}

// uuidWide is the width from which the whole UUID is shown.
const uuidWide = 150

// drawIdentity draws the model and features of the GPU.
func drawIdentity(f *part.Frame, y int, g *cluster.GPU) {
	tag, _ := node.OldTag(f.Node)
	l := facts{f: f, x: 1, y: y, last: draw.Width(tag)}
	l.addPieces(part.Strong(tally.ShortModel(g.Card.Name)))
	if i := g.Card.Instance; i != nil {
		l.addFact("MIG instance", fmt.Sprintf("%d (GI %d, CI %d)", i.Index, i.GPU, i.Compute))
	}
	l.addFact("rank", rankOn(f, g))
	if bytes, known := f.Node.MemoryOfProcesses(g); known {
		l.addFact("memory of processes", part.Bytes(float64(bytes)))
	}
	if g.Card.MIG {
		l.addFact("MIG", migState(f.Node, g))
	}
	uuid := g.Card.UUID
	if f.W < uuidWide {
		uuid = draw.ClipMiddle(uuid, 13)
	}
	l.addFact("UUID", uuid)
	l.addFact("bus", strings.TrimPrefix(g.Card.PCIBus, "0000"))
	l.addFact("NUMA", part.Measured(g, metric.NUMANode, ""))
	l.addFact("driver", driverVersion(f.Node))
	l.addPieces(part.Text(performanceState(g)))
	l.addFact("ECC", onOff(g, metric.ECCMode))
	if !g.Card.MIG {
		l.addFact("MIG", migState(f.Node, g))
	}
}

// drawDetails draws more about the GPU, where there is room.
func drawDetails(f *part.Frame, y int, g *cluster.GPU) {
	l := facts{f: f, x: 1, y: y}
	l.addFact("memory", part.Measured(g, metric.MemoryTemperature, "°C"))
	l.addFact("memory clock", clockText(g, metric.MemClock, metric.MemClockMax, " MHz"))
	l.addFact("fan", part.Measured(g, metric.Fan, "%"))
	l.addFact("persistence", onOff(g, metric.PersistenceMode))
	l.addFact("compute mode", computeMode(g))
	l.addFact("display", displayState(g))
	l.addFact("CUDA capability", g.Card.Capability)
	l.addFact("serial", g.Card.Serial)
	l.addFact("VBIOS", g.Card.VBIOS)
	if used, known := g.Get(metric.BAR1Used); known {
		l.addFact("BAR1", part.Bytes(used))
	}
}

// rankOn is the rank of the processes on a GPU; "" if it is unknown or they have several ranks.
func rankOn(f *part.Frame, g *cluster.GPU) string {
	if r := tally.Rank(f.Node, g); r != nil {
		return strconv.Itoa(r.Rank)
	}
	return ""
}

func driverVersion(n *cluster.Node) string {
	if n.Hello == nil {
		return ""
	}
	return n.Hello.Driver
}

// performanceState is the performance state in three columns: "P0 ".
func performanceState(g *cluster.GPU) string {
	state := part.Measured(g, metric.PerformanceState, "")
	if state == "" {
		return ""
	}
	return fmt.Sprintf("%-3s", "P"+state)
}

// onOff is the state of a mode: the metric is 1 or 0.
func onOff(g *cluster.GPU, id metric.ID) string {
	switch v, known := g.Get(id); {
	case !known:
		return ""
	case v == 0:
		return "off"
	}
	return "on"
}

// migState says whether a GPU is in MIG mode, and its number of instances.
func migState(n *cluster.Node, g *cluster.GPU) string {
	switch {
	case g.Card.Instance != nil, g.Card.MIGUnknown:
		return ""
	case !g.Card.MIG:
		return "off"
	}
	instances := 0
	for i := range n.GPUs {
		if of := n.GPUs[i].Card.Instance; of != nil && of.Parent == g.Card.UUID {
			instances++
		}
	}
	if instances == 0 {
		return "on"
	}
	return "on, " + part.Plural(instances, "instance", "instances")
}

var computeModes = []string{"default", "exclusive thread", "prohibited", "exclusive process"}

func computeMode(g *cluster.GPU) string {
	mode, known := g.Get(metric.ComputeMode)
	if !known || int(mode) >= len(computeModes) {
		return ""
	}
	return computeModes[int(mode)]
}

// displayState is "off", "connected" without a program that draws, or "active".
func displayState(g *cluster.GPU) string {
	text := onOff(g, metric.DisplayMode)
	if g.Float(metric.DisplayActive) == 1 {
		return "active"
	}
	if text == "on" {
		return "connected"
	}
	return text
}

// clockText writes a clock: "1215 of 1980 MHz", or without a known maximum "1215 MHz".
func clockText(g *cluster.GPU, now, most metric.ID, unit string) string {
	text, limit := part.Measured(g, now, ""), part.Measured(g, most, "")
	switch {
	case text == "":
		return ""
	case limit != "":
		text += " of " + limit
	}
	return text + unit
}

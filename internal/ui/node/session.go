package node

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// fact is a known fact about a session, in a row like that of a stage. warn means that something is wrong with it.
type fact struct {
	name, text string
	warn       bool
}

// onTheNode lists the programs on a node and the parts of the node that they can see, and returns the row below.
func onTheNode(f *part.Frame, y, h int) int {
	facts := factsOf(f.Node)
	if len(facts) == 0 || y+2 > f.H-1 {
		return y
	}
	f.Section(y, "On the node", "")
	for _, k := range facts {
		y++
		if y >= f.H-1 {
			return y
		}
		glyph, role, text := "✓", draw.Data, draw.Text
		if k.warn {
			glyph, role, text = "▲", draw.Warn, draw.Warn
		}
		f.Put(3, y, glyph, role)
		f.Left(6, y, 9, k.name, draw.Text)
		f.Left(16, y, f.W-17, k.text, text)
	}
	if h >= part.Tall {
		y++
	}
	return y + 1
}

func factsOf(n *cluster.Node) []fact {
	if n.Hello == nil {
		return nil
	}
	facts := []fact{programOf(n)}
	if calls, known := n.Host.Get(metric.NVMLCalls); known {
		facts = append(facts, fact{name: "driver", text: strconv.Itoa(int(calls)) + " calls since the previous report"})
	}
	if n.Clocked {
		facts = append(facts, clockOf(n))
	}
	if n.Listed {
		facts = append(facts, processVisibility(n))
	}
	return facts
}

// programOf names the program that reads the GPUs.
func programOf(n *cluster.Node) fact {
	h := n.Hello
	if h.StandIn != "" {
		return fact{name: "program", text: "nvidia-smi, in place of a probe", warn: true}
	}
	words := []string{"probe " + h.Build}
	if h.System != "" {
		words = append(words, h.System)
	}
	if h.Program != "" {
		words = append(words, "in "+path.Dir(h.Program))
	}
	return fact{name: "program", text: strings.Join(words, ", ")}
}

// clockOf compares the node's clock with ours. A difference between the clocks of nodes is a separate problem.
func clockOf(n *cluster.Node) fact {
	off := -n.Offset
	switch {
	case off.Abs() < time.Second:
		return fact{name: "clock", text: "within 1 s of this host"}
	case off < 0:
		return fact{name: "clock", text: draw.Age(-off) + " behind this host"}
	}
	return fact{name: "clock", text: draw.Age(off) + " ahead of this host"}
}

// processVisibility says how much is known about the processes on the GPUs.
func processVisibility(n *cluster.Node) fact {
	all, foreign, hidden := len(n.Processes), 0, 0
	for i := range n.Processes {
		switch p := &n.Processes[i]; {
		case p.Foreign:
			foreign++
		case p.UID == nil && p.User == "" && !p.Ended:
			hidden++
		}
	}
	k := fact{name: "processes", text: strconv.Itoa(all) + " on the GPUs", warn: foreign+hidden > 0}
	switch {
	case all == 0:
		k.text = "none on the GPUs"
	case foreign > 0:
		k.text += ", " + strconv.Itoa(foreign) + " in another PID namespace"
	case hidden > 0:
		k.text += ", " + strconv.Itoa(hidden) + " hidden by /proc"
	default:
		k.text += ", all of them visible"
	}
	return k
}

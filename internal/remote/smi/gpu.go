package smi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// gpu is a GPU of the node, with what nvidia-smi said of it last. Card.Lost has the reason while it does not answer.
type gpu struct {
	wire.Card
	at      int  // its index in nvidia-smi now: it falls when a GPU before it is not listed any more
	refused bool // nvidia-smi fails when it is asked for this GPU, and says nothing about the others
	gone    bool // nvidia-smi does not list it any more

	values metric.Values // in the round so far
	seen   bool          // values are set
	missed bool          // the last report had none
	round  int           // of the last row
}

// noRound is the round of a GPU without a row.
const noRound = -1

// unlisted is the reason of a GPU that is gone.
const unlisted = "GPU not listed any more"

// say sets the reason why the GPU does not answer; "": it answers. It reports whether that is news.
func (g *gpu) say(words string) (news bool) {
	news = words != g.Lost
	g.Lost, g.LostID = words, ""
	if words != "" {
		g.LostID = lostID(words)
	}
	return news
}

// entry is the GPU in a report. A GPU that is missing from one round is waited for: a new loop may have begun.
func (g *gpu) entry() wire.GPU {
	e := wire.GPU{Index: g.Index, Lost: g.Lost, LostID: g.LostID}
	if g.Lost == "" {
		e.Values, e.Reading = g.values, !g.seen
	}
	return e
}

// settle ends a round of rows. It reports whether the GPU is gone since.
func (g *gpu) settle() (news bool) {
	if !g.seen && g.missed && g.Lost == "" {
		g.gone = true
		news = g.say(unlisted)
	}
	g.missed = !g.seen
	return news
}

// find returns the GPU of a row that begins with this index and UUID; nil if it is not known.
func (n *node) find(index int, uuid string) *gpu {
	uuid = known(uuid)
	for _, g := range n.gpus {
		if uuid != "" && g.UUID == uuid || g.at == index && (uuid == "" || g.UUID == "") {
			return g
		}
	}
	return nil
}

// anyGPU reports whether a GPU has the property.
func (n *node) anyGPU(has func(*gpu) bool) bool { return slices.ContainsFunc(n.gpus, has) }

func isLost(g *gpu) bool    { return g.Lost != "" }
func isRefused(g *gpu) bool { return g.refused }

// Which GPUs to ask for: a list of indices, or one of these.
const (
	everyGPU = "-"
	noGPU    = ""
)

// whole are the GPUs to ask for: all, unless nvidia-smi refuses all because of one.
func (n *node) whole() string {
	if !n.anyGPU(isRefused) {
		return everyGPU
	}
	var indices []string
	for _, g := range n.gpus {
		if !g.refused && !g.gone {
			indices = append(indices, strconv.Itoa(g.at))
		}
	}
	return strings.Join(indices, ",") // noGPU if there are none
}

// inRound is the number of GPUs that each round of the loop has a row of.
func (n *node) inRound() (count int) {
	for _, g := range n.gpus {
		if !g.refused && !g.gone {
			count++
		}
	}
	return count
}

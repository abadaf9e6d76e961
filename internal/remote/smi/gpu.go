package smi

import (
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// gpu is a GPU of the node, with what nvidia-smi last said about it. While it does not answer, Card.Lost has the
// reason.
type gpu struct {
	wire.Card
	at      int  // its present index in nvidia-smi: it drops when a GPU before it is no longer listed
	refused bool // nvidia-smi fails when it is asked about this GPU, and then says nothing about the others
	gone    bool // nvidia-smi no longer lists it

	values metric.Values // those of the round so far
	seen   bool          // values are set
	missed bool          // it had no values in the last report
	round  int           // of the last row
}

// noRound is the round of a GPU without a row.
const noRound = -1

// unlisted is the reason given for a GPU that is gone.
const unlisted = "GPU not listed any more"

// setReason sets the reason why the GPU does not answer; "": it answers. It reports whether the reason has changed.
func (g *gpu) setReason(words string) (news bool) {
	news = words != g.Lost
	g.Lost, g.LostID = words, ""
	if words != "" {
		g.LostID = lostID(words)
	}
	return news
}

// reportEntry returns the GPU for a report. A GPU that is missing from only one round is waited for: a new loop may
// have begun.
func (g *gpu) reportEntry() wire.GPU {
	e := wire.GPU{Index: g.Index, Lost: g.Lost, LostID: g.LostID}
	if g.Lost == "" {
		e.Values, e.Reading = g.values, !g.seen
	}
	return e
}

// endRound ends a round of rows. It reports whether the GPU is found to be gone.
func (g *gpu) endRound() (news bool) {
	if !g.seen && g.missed && g.Lost == "" {
		g.gone = true
		news = g.setReason(unlisted)
	}
	g.missed = !g.seen
	return news
}

func isLost(g *gpu) bool    { return g.Lost != "" }
func isRefused(g *gpu) bool { return g.refused }

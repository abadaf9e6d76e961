package stacks

import (
	"cmp"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// NoRank is the Number of a process whose rank is unknown.
const NoRank = -1

// Place is where a process of a job runs.
type Place struct {
	Number int    // its rank; NoRank: unknown
	NoRank string // why it is unknown, as wire.Identity.NoRank has it
	Node   string
	wire.ProcessID
	GPUs []int // their numbers
	// why there is no process to ask about, in the form of a wire.Refusal; "": there is one
	Absent, AbsentID string
}

// whyNot returns the reason why nobody can be asked about a process; nil: there is none.
func (p *Place) whyNot() *wire.Refusal {
	switch {
	case p.Absent != "":
		return &wire.Refusal{ID: p.AbsentID, Cause: p.Absent}
	case p.StartTicks == 0: // it cannot be told from another process with the same PID
		return &wire.Refusal{ID: wire.RefusedHidden, Cause: "/proc of the node does not show the process"}
	}
	return nil
}

// Rank is a process of a job on a GPU, as one look shows it.
type Rank struct {
	Place
	Process *wire.ProcessStacks  // nil: not known
	Workers []wire.ProcessStacks // its descendants
	Why     *wire.Refusal        // why there is no Process

	readMS uint64 // when it was read, on the clock of its node
}

// Observation is what the ranks of a job do at one moment, in their order.
type Observation struct {
	Job   string
	At    time.Time
	Ranks []Rank
}

// Read returns how many ranks have a known place.
func (l *Observation) Read() (n int) {
	for i := range l.Ranks {
		if l.Ranks[i].isLocated() {
			n++
		}
	}
	return n
}

// isLocated reports whether it is known where a rank is: from its Python stack, or because it runs no Python. For other
// ranks the kernel may still tell how they wait.
func (r *Rank) isLocated() bool {
	p := r.Process
	return p != nil && (p.Refusal == nil || p.Refusal.ID == wire.RefusedNoPython || isHalted(p))
}

// byPlace orders ranks by number, and those without a number by their place.
func byPlace(a, b Place) int {
	return cmp.Or(cmp.Compare(uint(a.Number), uint(b.Number)), cmp.Compare(a.Node, b.Node), cmp.Compare(a.PID, b.PID))
}

// pythonFrames returns the Python frames of a rank's main thread, innermost first.
func (r *Rank) pythonFrames() []wire.Frame {
	if t := frames.MainThread(r.Process); t != nil {
		return t.Frames
	}
	return nil
}

// isHalted reports whether somebody has stopped the process, or it has ended.
func isHalted(p *wire.ProcessStacks) bool {
	return p != nil && (p.State == "T" || p.State == "t" || p.State == "Z" || p.State == "X")
}

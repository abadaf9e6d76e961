package part

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Targets are the things in the rows above a page that the mouse can choose: the tabs and the problems that were drawn
// last.
type Targets struct{ list []Target }

// Target is a place in a row, and what is drawn there: a node, a GPU of the selected node, or problems.
type Target struct {
	Y, X, To int
	Node     string           // a node of the job; "": something else
	GPU      *cluster.GPU     // nil: something else
	Problem  *cluster.Finding // the only one drawn there; nil: several, if there is no node and no GPU either
}

// AddTarget notes a thing that was drawn.
func (f *Frame) AddTarget(t Target) {
	if f.Memory != nil {
		f.Memory.Targets.list = append(f.Memory.Targets.list, t)
	}
}

// Forget begins a new frame, in which nothing is drawn yet.
func (t *Targets) Forget() { t.list = t.list[:0] }

// At returns the thing at a place.
func (t *Targets) At(x, y int) (target Target, is bool) {
	at := slices.IndexFunc(t.list, func(t Target) bool { return t.Y == y && t.X <= x && x < t.To })
	if at < 0 {
		return Target{}, false
	}
	return t.list[at], true
}

package stacks

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// GPUs is what the GPUs of a job show.
type GPUs struct {
	// Halted says that they are known to have stopped computing: for minutes they were only seen to wait.
	Halted bool
	// Wait says that they wait now: at least one runs a kernel that does nothing, and the others do the same or stand
	// idle.
	Wait bool
}

// Limits for a GPU that only waits for others.
const (
	waitUtil    = 90  // percent of the time in which a kernel runs, at least
	waitMemory  = 2   // percent of the time in which memory is read or written, at most
	waitPower   = 0.5 // share of its power limit, at most
	standsBelow = 3   // percent of the time in which a kernel runs: below it, the GPU stands idle
)

// GPUsOf returns what the GPUs of a job's processes show.
func GPUsOf(s *cluster.Snapshot, job *cluster.JobView, places []Place) GPUs {
	g := GPUs{Halted: slices.ContainsFunc(job.Findings, func(f cluster.Finding) bool {
		return f.Kind == cluster.KindJobHang && f.Holds() && f.Severity >= cluster.Warning
	})}
	for i := range places {
		n := tally.Node(s, places[i].Node)
		for k := range n.GPUs {
			gpu := &n.GPUs[k]
			if !slices.Contains(places[i].GPUs, gpu.Number) {
				continue
			}
			switch {
			case isSpinning(gpu):
				g.Wait = true
			case !isIdle(gpu):
				g.Wait = false
				return g
			}
		}
	}
	return g
}

// isSpinning reports whether a GPU runs a kernel that does nothing but check whether others have arrived. An unknown
// number is NaN, which is neither above nor below anything.
func isSpinning(g *cluster.GPU) bool {
	limit, known := g.PowerLimit()
	return known && g.Float(metric.Util) >= waitUtil && g.Float(metric.MemUtil) <= waitMemory &&
		g.Float(metric.Power) <= waitPower*limit
}

// isIdle reports whether a GPU does nothing.
func isIdle(g *cluster.GPU) bool { return g.Float(metric.Util) < standsBelow }

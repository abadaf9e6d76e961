package stacks

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// GPUs is what the GPUs of a job show.
type GPUs struct {
	// Halted says that they are known to have stopped computing: nothing but waiting was seen for minutes.
	Halted bool
	// Wait says that they wait now: one at least runs a kernel that does nothing, the others do so too or stand.
	Wait bool
}

// Of a GPU that only waits for others.
const (
	waitUtil    = 90  // percent of the time in which a kernel runs, at least
	waitMemory  = 2   // percent of the time in which memory is read or written, at most
	waitPower   = 0.5 // of its limit of power, at most
	standsBelow = 3   // percent of the time in which a kernel runs: one that stands
)

// GPUsOf is what the GPUs of a job's processes show.
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

// isSpinning reports whether a GPU runs a kernel that does nothing but look whether others have come. An unknown number
// is NaN, which is neither above nor below anything.
func isSpinning(g *cluster.GPU) bool {
	limit, known := g.PowerLimit()
	return known && g.Float(metric.Util) >= waitUtil && g.Float(metric.MemUtil) <= waitMemory &&
		g.Float(metric.Power) <= waitPower*limit
}

// isIdle reports whether a GPU does nothing.
func isIdle(g *cluster.GPU) bool { return g.Float(metric.Util) < standsBelow }

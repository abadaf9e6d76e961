package tally

import (
	"iter"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Settled reports whether every node has reported or failed, and every GPU of a job has values or is known to be lost
// or hung. A node whose last report is old, without a failure, may just be slow.
func Settled(s *cluster.Snapshot) bool {
	if s.Discovery.Asked.IsZero() && s.Discovery.Answered.IsZero() || s.Discovery.Asking {
		return false // no job is known yet, or its own GPUs are not known yet
	}
	if waiting, _ := NodesThat(s, Pending); len(waiting) > 0 {
		return false
	}
	for range Awaited(s) {
		return false
	}
	return true
}

// Patience is how long an output waits for the rest once everything else is there. The rest is GPUs that are still
// being read, the users of processes, and the switches of nodes. It is longer than the default interval of the probes,
// which look up users again in each report.
const Patience = 4 * time.Second

// Settling finds out when a Snapshot can be printed.
type Settling struct {
	Second time.Duration // how long after the first report each node is asked for a second one; 0: one report is enough

	since time.Time // when everything except the rest was there
}

// Over reports whether a Snapshot can be printed. The Snapshot must be later than the last one.
func (w *Settling) Over(s *cluster.Snapshot) bool {
	if !Settled(s) || len(w.Early(s)) > 0 {
		return false
	}
	if w.since.IsZero() {
		w.since = s.At
	}
	return !hasNamelessProcess(s) && !hasLateGPU(s) && !s.Discovery.Topology || s.At.Sub(w.since) >= Patience
}

// Early returns the reporting nodes whose second report is awaited. A report outside the regular interval, right after
// the first, is too soon for a rate.
func (w *Settling) Early(s *cluster.Snapshot) []*cluster.Node {
	if w.Second == 0 {
		return nil
	}
	early, _ := NodesThat(s, func(n *cluster.Node) bool {
		return hasCurrentNumbers(n) && n.Watched() < w.Second/2
	})
	return early
}

// hasLateGPU reports whether a GPU of a job is still being read for new numbers, or for the list of its processes.
func hasLateGPU(s *cluster.Snapshot) bool {
	nodes, _ := NodesThat(s, hasCurrentNumbers)
	return slices.ContainsFunc(nodes, func(n *cluster.Node) bool {
		for i := range n.GPUs {
			g := &n.GPUs[i]
			if g.Reading && !g.Hung() && g.Lost == "" && (g.Repeated || g.Unlisted != "") && IsOwned(s, n, g) {
				return true
			}
		}
		return false
	})
}

// hasNamelessProcess reports whether a list has a process whose user is unknown yet. A probe waits only a moment for
// names, and looks again in its next report.
func hasNamelessProcess(s *cluster.Snapshot) bool {
	nodes, _ := NodesThat(s, hasCurrentNumbers)
	return slices.ContainsFunc(nodes, func(n *cluster.Node) bool {
		return slices.ContainsFunc(n.Processes, func(p wire.Process) bool {
			return p.StartTicks > 0 && p.User == "" && !p.Foreign && !p.Ended
		})
	})
}

// Pending reports whether a node may still report or fail: it is connecting, or late without a failure.
func Pending(n *cluster.Node) bool {
	return n.State == cluster.NodeConnecting || n.State == cluster.NodeStale && n.Failure == nil
}

// NodesThat returns the nodes of all jobs with a property, in the order of the jobs, and the number of all nodes.
func NodesThat(s *cluster.Snapshot, has func(*cluster.Node) bool) (nodes []*cluster.Node, all int) {
	seen := map[string]bool{}
	for i := range s.Jobs {
		for _, name := range s.Jobs[i].Nodes {
			if seen[name] {
				continue
			}
			seen[name] = true
			if n := s.Nodes[name]; n != nil && has(n) {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes, len(seen)
}

// Awaited yields the jobs' GPUs without any values from the driver yet, on nodes that report.
func Awaited(s *cluster.Snapshot) iter.Seq2[*cluster.Node, *cluster.GPU] {
	return func(yield func(*cluster.Node, *cluster.GPU) bool) {
		nodes, _ := NodesThat(s, hasCurrentNumbers)
		for _, n := range nodes {
			for i := range n.GPUs {
				if g := &n.GPUs[i]; g.Awaited() && IsOwned(s, n, g) && !yield(n, g) {
					return
				}
			}
		}
	}
}

// IsOwned reports whether one of the jobs on the node has the GPU.
func IsOwned(s *cluster.Snapshot, n *cluster.Node, g *cluster.GPU) bool {
	return slices.ContainsFunc(s.Jobs, func(j cluster.JobView) bool {
		return slices.Contains(j.Nodes, n.Name) && j.Owns(n, g)
	})
}

package health

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// linkDown holds if a link is down that should be up. Some boards have links that lead nowhere, so the rule needs
// evidence. Either the GPU is registered with an NVLink fabric, which uses all links; or the link has been up while
// nvnodetop was watching; or more links are up on another GPU of the model. If peers are in MIG mode, only the fabric
// proves that the other end exists.
func linkDown(s ruleSubject) bool {
	links, up, known := signs.LinksOf(s.GPU)
	switch {
	case !known || bits.OnesCount64(up) == links:
		return false
	case isRegistered(s.GPU) && up != 0:
		return true
	case signs.HasMIG(s.Node):
		return false
	case s.GPU.LinksSeen()&^up != 0:
		return true
	}
	for i := range s.Node.GPUs {
		other := &s.Node.GPUs[i]
		_, its, known := signs.LinksOf(other)
		if known && other.Card.Name == s.GPU.Card.Name && bits.OnesCount64(its) > bits.OnesCount64(up) {
			return true
		}
	}
	return false
}

// few is the largest number of GPUs for which links that are down on all of them may be links between them.
const few = 2

// switchDown holds if the same links are down on all GPUs of the node: only an NVSwitch is common to all of them.
func switchDown(s ruleSubject) bool {
	links, up, gpus := signs.SameLinks(s.Node)
	down := uint64(1)<<links - 1 - up
	if gpus < 2 || down == 0 {
		return false
	}
	fabric, seen, switched := up != 0, gpus > few && !signs.HasMIG(s.Node), up != 0 && !signs.HasMIG(s.Node)
	for i := range s.Node.GPUs {
		g := &s.Node.GPUs[i]
		if _, _, known := signs.LinksOf(g); known {
			fabric = fabric && isRegistered(g)
			seen = seen && g.LinksSeen()&down == down
			switched = switched && allSwitched(g, links, gpus)
		}
	}
	return fabric || seen || switched
}

// allSwitched reports whether all links of a GPU lead to NVSwitches. Without a fabric, this is known only for boards
// with 8 A100s; boards with 4 A100s have no switches.
func allSwitched(g *cluster.GPU, links, gpus int) bool {
	return gpus >= 8 && links == 12 && strings.Contains(g.Card.Name, "A100-SXM")
}

// fabricCompleted is the last value of metric.FabricState, as nvml.h names them (nvmlGpuFabricState_t).
const fabricCompleted = 3

// isRegistered reports whether a GPU is registered with its NVLink fabric.
func isRegistered(g *cluster.GPU) bool {
	return g.Float(metric.FabricState) == fabricCompleted && !(g.Float(metric.FabricStatus) > 0)
}

// mayFail holds if a GPU has an NVLink fabric and is not registered with the fabric.
func mayFail(s ruleSubject) bool {
	return !signs.Partitioned(s.GPU) && s.GPU.Float(metric.FabricState) > 0 && !isRegistered(s.GPU)
}

// fabricIll holds if the driver finds a fault of the GPU's NVLink fabric; fabricRecovers holds if the fabric is about
// to recover.
func fabricIll(s ruleSubject) bool      { return len(signs.FabricFaults(s.GPU)) > 0 }
func fabricRecovers(s ruleSubject) bool { return len(signs.FabricRecoveries(s.GPU)) > 0 }

// otherClique holds if NVLink connects most GPUs of the node, and not this one.
func otherClique(s ruleSubject) bool {
	most, _, known := signs.Clique(s.Node)
	own, its := signs.CliqueOf(s.GPU)
	return known && its && own != most
}

// isUnregistered holds if mayFail does and nothing computes on the GPU. A program that computes found the fabric when
// it started.
func isUnregistered(s ruleSubject) bool { return mayFail(s) && !hasComputeProcess(s.Node, s.GPU) }

// hasComputeProcess reports whether a program has the GPU open for computing.
func hasComputeProcess(n *cluster.Node, g *cluster.GPU) bool {
	return g.Float(metric.Util) > 0 || slices.ContainsFunc(n.Processes, func(p wire.Process) bool {
		return p.GPU == g.Card.Index && p.Type != "G"
	})
}

// everyGPU returns a rule that holds if another rule holds for all GPUs of the node that have the metric, and there are
// several such GPUs.
func everyGPU(with metric.ID, holds func(ruleSubject) bool) func(ruleSubject) bool {
	return func(s ruleSubject) bool {
		all := signs.WithMetric(s.Node, with)
		for _, s.GPU = range all {
			if !holds(s) {
				return false
			}
		}
		return len(all) > 1
	}
}

package signs

import (
	"cmp"
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// LinksOf returns the number of NVLinks of a GPU, and the mask of the links that are up. In MIG mode a GPU has no
// peers: all its links are down, which is not a fault.
func LinksOf(g *cluster.GPU) (links int, up uint64, known bool) {
	count, counted := g.Get(metric.NVLinks)
	mask, masked := g.Get(metric.NVLinkUp)
	if !counted || !masked || count < 1 || count > 52 || Partitioned(g) {
		return 0, 0, false
	}
	return int(count), uint64(mask) & (1<<int(count) - 1), true
}

// SameLinks returns the number of NVLinks that each GPU of the node has, the mask of those that are up, and the number
// of GPUs. That number is 0 if the GPUs differ.
func SameLinks(n *cluster.Node) (links int, up uint64, gpus int) {
	for i := range n.GPUs {
		its, mask, known := LinksOf(&n.GPUs[i])
		switch {
		case !known:
			continue
		case gpus > 0 && (its != links || mask != up):
			return 0, 0, 0
		}
		links, up, gpus = its, mask, gpus+1
	}
	return links, up, gpus
}

// WithMetric returns the GPUs of a node that have a metric and are not in MIG mode.
func WithMetric(n *cluster.Node, id metric.ID) []*cluster.GPU {
	var out []*cluster.GPU
	for i := range n.GPUs {
		if g := &n.GPUs[i]; g.Values.Has(id) && !Partitioned(g) {
			out = append(out, g)
		}
	}
	return out
}

// Parts of metric.FabricHealth, as defined in nvml.h (NVML_GPU_FABRIC_HEALTH_MASK).
const (
	bandwidthShift, routeRecoveryShift, routeShift, timeoutRecoveryShift = 0, 2, 4, 6

	configurationShift = 8
	isTrue             = 1 // for a part of two bits
	isRight            = 1 // for the configuration, whose four bits say what is wrong
)

// configurations are the values of the configuration that nvml.h names.
var configurations = map[uint64]string{2: "wrong system GUID", 3: "wrong serial number of the chassis",
	4: "no partition", 5: "too few NVLinks", 6: "incompatible firmware of the GPU", 7: "wrong location"}

// FabricFaults names what the driver finds wrong with the NVLink fabric of a GPU.
func FabricFaults(g *cluster.GPU) (faults []string) {
	mask := fabricHealth(g)
	if mask>>bandwidthShift&3 == isTrue {
		faults = append(faults, "degraded bandwidth")
	}
	if mask>>routeShift&3 == isTrue {
		faults = append(faults, "unhealthy route")
	}
	if what := mask >> configurationShift & 0xF; what > isRight {
		faults = append(faults, cmp.Or(configurations[what], fmt.Sprintf("wrong configuration %d", what)))
	}
	return faults
}

// FabricRecoveries names what the NVLink fabric of a GPU is recovering from.
func FabricRecoveries(g *cluster.GPU) (from []string) {
	mask := fabricHealth(g)
	if mask>>routeRecoveryShift&3 == isTrue {
		from = append(from, "a lost route")
	}
	if mask>>timeoutRecoveryShift&3 == isTrue {
		from = append(from, "a timeout")
	}
	return from
}

func fabricHealth(g *cluster.GPU) uint64 {
	mask, _ := g.Get(metric.FabricHealth)
	return uint64(mask)
}

// NVLinkClique is a set of GPUs that NVLink connects, on any number of nodes.
type NVLinkClique struct {
	Domain string // UUID
	ID     float64
}

// CliqueOf returns the clique of a GPU.
func CliqueOf(g *cluster.GPU) (c NVLinkClique, known bool) {
	id, known := g.Get(metric.FabricClique)
	return NVLinkClique{g.Card.FabricDomain, id}, known && !Partitioned(g)
}

// Clique returns the clique of more than half of a node's GPUs, and their number.
func Clique(n *cluster.Node) (most NVLinkClique, gpus int, known bool) {
	members, all := map[NVLinkClique]int{}, 0
	for i := range n.GPUs {
		if c, known := CliqueOf(&n.GPUs[i]); known {
			members[c]++
			all++
		}
	}
	for c, count := range members {
		if 2*count > all {
			return c, count, true
		}
	}
	return most, 0, false
}

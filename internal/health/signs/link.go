package signs

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// LinksOf returns the number of NVLinks of a GPU, and the mask of the links that are up. In MIG mode a GPU has no
// peers: its links are all down, which is no fault.
func LinksOf(g *cluster.GPU) (links int, up uint64, known bool) {
	count, counted := g.Get(metric.NVLinks)
	mask, masked := g.Get(metric.NVLinkUp)
	if !counted || !masked || count < 1 || count > 52 || Partitioned(g) {
		return 0, 0, false
	}
	return int(count), uint64(mask) & (1<<int(count) - 1), true
}

// SameLinks returns the number of NVLinks of each GPU of the node, the mask of those that are up, and the number of
// GPUs; no GPUs if they differ.
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

package check

import (
	"fmt"
	"math/bits"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// narrow finds GPUs whose PCIe link has fewer lanes than it could. The rules of package health wait until a GPU is
// busy: an idle one lowers its generation, and a few models their lanes too. So it is a warning if another idle GPU of
// the model has all of its lanes.
func (e *examination) narrow() (found []Finding) {
	for _, gpus := range e.models() {
		severity := cluster.Note
		for _, p := range gpus {
			if p.gpu.Float(metric.PCIeWidth) >= p.gpu.Float(metric.PCIeWidthMax) {
				severity = cluster.Warning
			}
		}
		for _, p := range gpus {
			width, most := p.gpu.Float(metric.PCIeWidth), p.gpu.Float(metric.PCIeWidthMax)
			if !(width < most) || e.holds(p.node, p.gpu, cluster.KindPCIe) {
				continue
			}
			found = append(found, ofGPU(p.node, p.gpu, Finding{Kind: cluster.KindPCIe, severity: severity,
				excludes: severity >= cluster.Warning, Text: fmt.Sprintf("PCIe runs with %.0f of %.0f lanes.", width, most),
				Hint: "transfers to and from this GPU are slower: report it to your admins"}))
		}
	}
	return found
}

// fewerLinks finds GPUs of which fewer NVLinks are up than of the job's others, on other nodes: where all GPUs of a
// node lack the same link, the node alone does not show it. No NVLink at all may be how the node is built.
func (e *examination) fewerLinks() (found []Finding) {
	for _, gpus := range e.models() {
		counts := make([]float64, len(gpus))
		for i, p := range gpus {
			_, up, known := signs.LinksOf(p.gpu)
			if counts[i] = float64(bits.OnesCount64(up)); !known || up == 0 {
				counts[i] = unknown
			}
		}
		most := mostFrequent(counts)
		for i, p := range gpus {
			if !isLess(counts[i], most) || e.holds(p.node, p.gpu, cluster.KindNVLinkDown) {
				continue
			}
			found = append(found, ofGPU(p.node, p.gpu, Finding{Kind: cluster.KindNVLinkDown, severity: cluster.Warning,
				excludes: true, Text: fmt.Sprintf("%.0f NVLinks are up, and %.0f on most of the job's GPUs of this model.",
					counts[i], most),
				Hint: "collectives over this GPU are slower: report it to your admins"}))
		}
	}
	return found
}

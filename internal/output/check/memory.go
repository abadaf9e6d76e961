package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// unknown stands for a value that is not known.
var unknown = math.NaN()

// Memory of a GPU without a process is held by something if there is at least heldBytes more of it than the driver
// keeps for itself: that is as much as on another GPU of the model without a process, and at most the share ofDriver.
const heldBytes, ofDriver = 1 << 30, 0.05

// memoryHeld finds GPUs whose memory is in use though no process is listed: something holds it that has ended, or that
// the driver does not show.
func (e *examination) memoryHeld() (found []Finding) {
	for _, gpus := range e.models() {
		kept := math.Inf(1) // by the driver
		for _, p := range gpus {
			if total, known := p.gpu.Get(metric.MemoryTotal); known {
				kept = min(kept, total*ofDriver)
			}
		}
		for _, p := range gpus {
			if isEmpty(p) && len(gpus) > 1 {
				kept = min(kept, p.gpu.Float(metric.MemoryUsed))
			}
		}
		for _, p := range gpus {
			used := p.gpu.Float(metric.MemoryUsed)
			if !isEmpty(p) || used < kept+heldBytes {
				continue
			}
			found = append(found, ofGPU(p.node, p.gpu, Finding{Kind: KindMemoryHeld, severity: cluster.Warning,
				excludes: true, Text: fmt.Sprintf("%.1f GiB of its memory are in use, and the driver lists no process.",
					used/signs.GiB),
				Hint: "a program that has ended may still hold it, until a reset: report it to your admins"}))
		}
	}
	return found
}

// isEmpty reports whether the driver is known to list no process on a GPU whose used memory is known.
func isEmpty(p place) bool {
	_, known := p.gpu.Get(metric.MemoryUsed)
	return known && p.node.Listed && p.gpu.Unlisted == "" && !signs.Partitioned(p.gpu) &&
		!slices.ContainsFunc(p.node.Processes, func(o wire.Process) bool { return o.GPU == p.gpu.Card.Index })
}

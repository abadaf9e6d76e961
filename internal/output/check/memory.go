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

// Memory of a GPU without a process is held by something if there is at least heldBytes more of it than on another GPU
// of the model without one: a driver keeps some for itself, alike on all of them. heldAlone is the limit if there is no
// other GPU to compare with.
const heldBytes, heldAlone = 1 << 30, 4 << 30

// memoryHeld finds GPUs whose memory is in use though no process is listed: something holds it that has ended, or that
// the driver does not show.
func (e *examination) memoryHeld() (found []Finding) {
	for _, gpus := range e.models() {
		least, empty := math.Inf(1), 0
		for _, p := range gpus {
			if isEmpty(p) {
				least, empty = min(least, p.gpu.Float(metric.MemoryUsed)), empty+1
			}
		}
		for _, p := range gpus {
			used := p.gpu.Float(metric.MemoryUsed)
			if !isEmpty(p) || empty == 1 && used < heldAlone || empty > 1 && used < least+heldBytes {
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

package say

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// whyMemoryIsBusy is the hint for a GPU whose memory is busy for longer. Any GPU that works while others wait has the
// busier memory, so only what was compared is named: first other processes, then the memory clock.
func (e evidence) whyMemoryIsBusy() string {
	if n := e.processCount(); n > 1 {
		return fmt.Sprintf("%d processes are on this GPU: look for one that is not the rank's", n)
	}
	own, known := e.gpu.Get(metric.MemClock)
	most := e.highestMemoryClock()
	switch {
	case !known || most == 0:
		return "look for other processes on it, and compare its memory clock with that of the others"
	case own < sameClock*most:
		return fmt.Sprintf("its memory clock is low (%.0f MHz, others %.0f): report it to your admins", own, most)
	}
	return fmt.Sprintf("its memory clock is that of the others (%.0f MHz): look for more work on this rank, and for "+
		"other processes on it", own)
}

// processCount returns the number of processes that compute on the GPU.
func (e evidence) processCount() (n int) {
	for i := range e.node.Processes {
		if p := &e.node.Processes[i]; p.GPU == e.gpu.Card.Index && e.gpu.Key != "" && !p.Ended && p.Type != "G" {
			n++
		}
	}
	return n
}

// highestMemoryClock returns the highest memory clock of the other GPUs of this model on the job's nodes, in MHz; 0: it
// is unknown.
func (e evidence) highestMemoryClock() (most float64) {
	for _, name := range e.job.Nodes {
		n := e.nodes[name]
		if n == nil {
			continue
		}
		for i := range n.GPUs {
			g := &n.GPUs[i]
			if clock, known := g.Get(metric.MemClock); known && g.Key != e.gpu.Key && g.Card.Name == e.gpu.Card.Name {
				most = max(most, clock)
			}
		}
	}
	return most
}

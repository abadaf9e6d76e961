package check

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// KindShmFull is shared memory that is nearly full.
const KindShmFull cluster.Kind = "shm_full"

// Shared memory is nearly full if less than this much is free, or this share of it. Data loaders and NCCL die or fall
// back to something slower without it.
const leastShm, leastShmShare = 1 << 30, 0.05

// shmFull finds nodes with little free shared memory: others may have left files there.
func (e *examination) shmFull() (found []Finding) {
	for _, name := range e.job.Nodes {
		n := e.Nodes[name]
		if n == nil || n.State != cluster.NodeReporting {
			continue
		}
		free, total := n.Host.Float(metric.ShmFree), n.Host.Float(metric.ShmTotal)
		if !(free < leastShm) && !(free < total*leastShmShare) {
			continue
		}
		found = append(found, Finding{Kind: KindShmFull, Node: name, severity: cluster.Warning, excludes: true,
			Text: fmt.Sprintf("/dev/shm has %.1f of %.1f GiB left.", free/signs.GiB, total/signs.GiB),
			Hint: "data loaders and NCCL need it: remove files of your own there, or report it to your admins"})
	}
	return found
}

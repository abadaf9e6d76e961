package store

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// list takes the list of processes of a report. Without one the last list stays, unless it is of another session or of
// an earlier Hello, by whose indices it names the GPUs. before are the GPUs of the last report.
func (n *nodeRecord) list(at time.Time, r *wire.Report, before []cluster.GPU, another bool) {
	refused := slices.ContainsFunc(r.GPUs, func(g wire.GPU) bool { return g.Unlisted != "" })
	switch {
	case r.Listed:
		n.Listed, n.ListedAt, n.Processes = true, at, clean.Processes(r.Processes)
		n.recallRanks()
	case refused || another:
		n.Listed, n.Processes = false, nil
	case n.Listed:
		keepUnlisted(n.GPUs, before)
		n.Processes = withoutLost(n.Processes, n.GPUs)
	}
}

// keepUnlisted keeps what the last list said of the GPUs of which it has no processes.
func keepUnlisted(gpus, before []cluster.GPU) {
	for i := range before {
		if before[i].Unlisted == "" {
			continue
		}
		for k := range gpus {
			if g := &gpus[k]; g.Key == before[i].Key && g.Lost == "" {
				g.Unlisted = before[i].Unlisted
			}
		}
	}
}

// withoutLost returns the processes without those on lost GPUs. It changes nothing that Snapshots share.
func withoutLost(processes []wire.Process, gpus []cluster.GPU) []wire.Process {
	for i := range gpus {
		on := func(p wire.Process) bool { return p.GPU == gpus[i].Index }
		if gpus[i].Lost != "" && slices.ContainsFunc(processes, on) {
			processes = slices.DeleteFunc(slices.Clone(processes), on)
		}
	}
	return processes
}

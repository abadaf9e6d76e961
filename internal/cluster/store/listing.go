package store

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// updateProcesses applies the list of processes of a report. If the report has no list, the last list stays. It is
// dropped if it is from another session or from an earlier Hello, because it names the GPUs by the indices of that
// Hello. before are the GPUs of the previous report.
func (n *nodeRecord) updateProcesses(at time.Time, r *wire.Report, before []cluster.GPU, another bool) {
	refused := slices.ContainsFunc(r.GPUs, func(g wire.GPU) bool { return g.Unlisted != "" })
	switch {
	case r.Listed:
		n.Listed, n.ListedAt, n.Processes = true, at, clean.Processes(r.Processes, n.Hello.GPUs)
		n.recallRanks()
	case refused || another:
		n.Listed, n.Processes = false, nil
	case n.Listed:
		keepUnlisted(n.GPUs, before)
		n.Processes = withoutLost(n.Processes, n.GPUs)
	}
}

// keepUnlisted keeps processes from the last list for GPUs without processes in the new list.
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

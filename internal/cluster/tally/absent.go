package tally

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// absentIndex is the index of a GPU that the driver does not list.
const absentIndex = -1

// WithAbsent adds the missing GPUs of a node to its GPUs, in the order of their numbers. Lost says why they are
// missing.
func WithAbsent(job *cluster.JobView, n *cluster.Node, gpus []*cluster.GPU) []*cluster.GPU {
	m := job.Missing(n)
	if !m.Certain {
		return gpus
	}
	numbers, why := m.Numbers, "SLURM allocated it to this job, but the driver does not list it"
	switch {
	case m.Hidden:
		why = "hidden by the cgroup of job " + m.Cgroup
	case len(numbers) == 0:
		numbers, why = []int{cluster.NoNumber}, fmt.Sprintf("%d of the %d GPUs allocated to this job are missing",
			m.Count, m.Of)
	}
	for _, number := range numbers {
		gpus = append(gpus, &cluster.GPU{Number: number, Card: &wire.Card{Index: absentIndex},
			GPU: &wire.GPU{Lost: why}})
	}
	// NoNumber goes last
	slices.SortStableFunc(gpus, func(a, b *cluster.GPU) int { return cmp.Compare(uint(a.Number), uint(b.Number)) })
	return gpus
}

// Absent reports whether a GPU was added by WithAbsent.
func Absent(g *cluster.GPU) bool { return g.Card.Index == absentIndex }

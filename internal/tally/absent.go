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

// WithAbsent adds to GPUs of a node those that SLURM gave to the job there and that are not to be seen, in the order of their numbers.
// Lost says of them why.
func WithAbsent(job *cluster.JobView, n *cluster.Node, gpus []*cluster.GPU) []*cluster.GPU {
	m := job.Missing(n)
	if !m.Certain {
		return gpus
	}
	numbers, why := m.Numbers, "SLURM gave it to this job, but the driver does not list it"
	switch {
	case m.Hidden:
		why = "hidden by the cgroup of job " + m.Cgroup
	case len(numbers) == 0:
		numbers, why = []int{cluster.NoNumber}, fmt.Sprintf("%d of %d GPUs that SLURM gave to this job are not there", m.Count, m.Of)
	}
	for _, number := range numbers {
		gpus = append(gpus, &cluster.GPU{Number: number, Card: wire.Card{Index: absentIndex}, GPU: wire.GPU{Lost: why}})
	}
	slices.SortStableFunc(gpus, func(a, b *cluster.GPU) int { return cmp.Compare(uint(a.Number), uint(b.Number)) }) // NoNumber goes last
	return gpus
}

// Absent says that a GPU is one that WithAbsent has added.
func Absent(g *cluster.GPU) bool { return g.Card.Index == absentIndex }

package capacity

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// Job is a job that has nodes with GPUs. It may have no GPU itself, if it did not request GPUs per node.
type Job struct {
	ID, User, Partition string
	Nodes               []string
	GPUs                *int   // nil: its request does not say
	Elapsed, Left       *int64 // seconds; nil: unknown
	Unlimited           bool   // it may run forever
}

// Jobs returns the jobs of all users on nodes with GPUs, as far as SLURM shows them. The list must not be changed.
func (c *Cluster) Jobs() []Job { return c.jobs }

// addJobs lists the jobs.
func (c *Cluster) addJobs(s *Supply, places map[string]int) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !slices.ContainsFunc(j.Nodes, func(name string) bool { _, has := places[name]; return has }) {
			continue
		}
		out := Job{ID: safe.Line(j.ID, maxWord), User: safe.Line(j.User, maxWord),
			Partition: safe.Line(j.Partition, maxWord), Nodes: j.Nodes, Elapsed: secondsBetween(c.Time, j.Start, -1),
			Left: secondsBetween(c.Time, j.End, +1), Unlimited: j.Unlimited}
		if j.PerNode > 0 {
			out.GPUs = new(j.PerNode * len(j.Nodes))
		}
		c.jobs = append(c.jobs, out)
	}
}

// secondsBetween returns the seconds from now to then, or from then to now, by sign; nil if then is unknown.
func secondsBetween(now, then time.Time, sign int64) *int64 {
	if then.IsZero() {
		return nil
	}
	return new(max(sign*int64(then.Sub(now).Seconds()), 0))
}

// InUse reports whether SLURM says that the GPU with this number has been given to a job.
func (n *Node) InUse(number int) bool { return slices.Contains(n.inUse, number) }

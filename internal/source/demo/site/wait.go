package site

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
)

// asLong is the time limit of jobs that wait; freeAfter is when half of their nodes are free.
const asLong, freeAfter = 24 * time.Hour, 52 * time.Minute

// Wait is what SLURM says about a job that waits. nodes are those of the user's largest job, which come free at its
// end.
func Wait(j *cluster.PendingJob, nodes []string, now time.Time) *queue.Wait {
	w := &queue.Wait{Job: j.ID, Asked: now, Reason: j.Reason, Partition: j.Partition, Priority: 5414, Start: j.Start,
		Factors: []queue.Factor{{Name: "age", Value: 250}, {Name: "fair share", Value: 3100}, {Name: "size", Value: 64},
			{Name: "partition", Value: 2000}, {Name: "QOS", Value: 0}}}
	if j.Start.IsZero() { // it waits for something other than nodes, or only for a moment
		w.Ahead = &queue.Ahead{Blocked: 1}
		w.Trials = []queue.Trial{{Shape: queue.Shape{Nodes: 1, PerNode: "gpu:1", Limit: time.Hour}, Start: now,
			Nodes: nodes[len(nodes)-1]}}
		return w
	}
	w.Ahead = &queue.Ahead{Jobs: 2, Nodes: 6}
	own := queue.Shape{Nodes: j.Nodes, Limit: asLong}
	if j.GPUs != nil {
		own.PerNode = fmt.Sprintf("gpu:%d", *j.GPUs/max(j.Nodes, 1))
	}
	half, short := own, own
	half.Nodes, short.Limit = max(own.Nodes/2, 1), own.Limit/2
	some := nodes[:half.Nodes]
	w.Trials = []queue.Trial{{Shape: own, Start: j.Start, Nodes: nameRange(nodes)},
		{Shape: half, Start: now.Add(freeAfter), Nodes: nameRange(some)},
		{Shape: short, Start: j.Start, Nodes: nameRange(nodes)}}
	return w
}

// nameRange names the first and the last node, as a list of SLURM does.
func nameRange(nodes []string) string {
	first, last := nodes[0], nodes[len(nodes)-1]
	if len(nodes) == 1 {
		return first
	}
	at := 0
	for at < len(first) && at < len(last) && first[at] == last[at] {
		at++
	}
	return fmt.Sprintf("%s[%s-%s]", first[:at], first[at:], last[at:])
}

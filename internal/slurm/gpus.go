package slurm

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// gpus are the GPUs that a job was given.
type gpus struct {
	of     string           // what they depend on: the job's start and its node list
	minors map[string][]int // as in cluster.Job
}

// maxQuestions is how many jobs are asked for one by one. Beyond it one call for all jobs of the cluster is the cheaper one for SLURM.
const maxQuestions = 8

// assignGPUs fills in the Minors of jobs. Only jobs that are new, or that started anew, are asked for.
func (c *Client) assignGPUs(ctx context.Context, jobs []cluster.Job, lists []string) error {
	known := map[string]gpus{}
	var unknown []int
	for i, job := range jobs {
		of := job.Start.String() + " " + lists[i]
		if g, ok := c.gpus[job.Number]; ok && g.of == of {
			known[job.Number] = g
			jobs[i].Minors = g.minors
		} else {
			unknown = append(unknown, i)
		}
	}
	c.gpus = known
	said := map[string][]gresLine{}
	var failed error
	for _, question := range questions(jobs, unknown) {
		lines, err := c.showJob(ctx, question)
		if err != nil {
			failed = err
			break
		}
		maps.Copy(said, lines)
	}
	for _, i := range unknown {
		job := &jobs[i]
		lines, told := said[job.Number]
		job.Minors = jobMinors(job.Nodes, lines)
		if told || failed == nil {
			known[job.Number] = gpus{of: job.Start.String() + " " + lists[i], minors: job.Minors}
		}
	}
	return failed
}

// showJob runs one question and reads its answer. A job that ended since squeue named it is not in the answer.
func (c *Client) showJob(ctx context.Context, question []string) (map[string][]gresLine, error) {
	out, stderr, err := c.call(ctx, question...)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !strings.Contains(string(stderr), "Invalid job id"):
		return nil, failure("scontrol", c.deadline, stderr, err)
	}
	return parseShowJob(out), nil
}

// questions are the calls that tell the GPUs of some of the jobs: one for each, where all tasks of an array and all components of a
// heterogeneous job are one, or one for all jobs of the cluster.
func questions(jobs []cluster.Job, which []int) [][]string {
	var ids []string
	for _, i := range which {
		base := jobs[i].ID
		if cut := strings.IndexAny(base, "_+"); cut >= 0 {
			base = base[:cut]
		}
		if !slices.Contains(ids, base) {
			ids = append(ids, base)
		}
	}
	if len(ids) > maxQuestions {
		return [][]string{{"scontrol", "show", "job", "-d"}}
	}
	calls := make([][]string, len(ids))
	for i, id := range ids {
		calls[i] = []string{"scontrol", "show", "job", "-d", id}
	}
	return calls
}

// jobMinors are the GPUs of a job on nodes, as lines say; nil when there are none or when they are not about these nodes.
func jobMinors(nodes []string, lines []gresLine) map[string][]int {
	if len(lines) == 0 {
		return nil
	}
	ofJob := make(map[string]bool, len(nodes))
	for _, node := range nodes {
		ofJob[node] = true
	}
	minors := map[string][]int{}
	for _, l := range lines {
		hosts, err := ExpandHostlist(l.nodes)
		if err != nil {
			return nil
		}
		for _, host := range hosts {
			if !ofJob[host] {
				return nil
			}
			if l.known {
				minors[host] = l.minors
			}
		}
	}
	return minors
}

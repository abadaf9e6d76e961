package slurm

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// gpus holds what SLURM says about the GPUs of a job.
type gpus struct {
	of    string             // what the answer depends on: the job's start and its node list
	final bool               // SLURM has answered
	on    map[string]ownGPUs // by node

	err error // why SLURM did not answer; nil: it was not asked yet
	retry
}

// ownGPUs holds the GPUs of a job on one node.
type ownGPUs struct {
	count   int
	indices []int // in the node's list in SLURM's configuration; nil: unknown
}

// isUnasked reports whether SLURM has not been asked for them yet.
func (g *gpus) isUnasked() bool { return !g.final && g.again.IsZero() }

// expectGPUs gives a job the numbers of GPUs that it requests, until SLURM has said which ones it has.
func expectGPUs(job *cluster.Job, perNode *int) {
	job.Asking = true
	if perNode == nil {
		return
	}
	job.Counts = map[string]int{}
	for _, name := range job.Nodes {
		job.Counts[name] = *perNode
	}
}

// keepGPUs makes c.gpus hold one entry per listed job. The entry of a new or restarted job is empty.
func (c *Client) keepGPUs() {
	before := c.gpus
	c.gpus = make(map[string]gpus, len(c.jobs))
	for i := range c.jobs {
		job := &c.jobs[i]
		g := before[job.Number]
		if of := job.Start.String() + " " + job.nodelist; g.of != of {
			g = gpus{of: of}
		}
		c.gpus[job.Number] = g
	}
}

// askGPUs asks the first question and stores the answer. If the controller does not answer, the other questions are put
// off too.
func (c *Client) askGPUs(ctx context.Context, due []gpuQuestion) {
	lines, err := c.showJob(ctx, due[0].id)
	if ctx.Err() != nil {
		return
	}
	c.keepAnswer(due[0], lines, err)
	if f, ok := errors.AsType[*reach.Failure](err); ok && f.Class == reach.ClassSlurmTimeout {
		for _, q := range due[1:] {
			c.keepAnswer(q, nil, err)
		}
	}
}

// keepAnswer keeps the answer to a question, or the reason why there is none. A job missing from the answer is asked
// about again later: either it has ended, as squeue will tell, or there was no answer.
func (c *Client) keepAnswer(q gpuQuestion, lines map[string][]gresLine, err error) {
	for _, job := range q.jobs {
		g := c.gpus[job.Number]
		if told, ok := lines[job.Number]; ok {
			g = gpus{of: g.of, final: true, on: jobGPUs(c.hosts[job.nodelist].names, told)}
		} else {
			g.err = err
			g.delayRetry(time.Now())
		}
		c.gpus[job.Number] = g
	}
}

// showJob asks about one job, array or heterogeneous job. A job that has ended since squeue listed it is missing from
// the answer. A job whose number occurs twice has no lines, and would have none the next time.
func (c *Client) showJob(ctx context.Context, id string) (map[string][]gresLine, error) {
	out, stderr, err := c.run.Within(ctx, "scontrol", "show", "job", "-d", id)
	if err != nil && !command.LacksJob(out, stderr) {
		return nil, command.Failed("scontrol", stderr, err)
	}
	c.files.Note(command.ShownJobs(out))
	return parseShowJob(out), nil
}

// gpuQuestion is one call that returns the GPUs of jobs: of all tasks of an array, or of all components of a
// heterogeneous job.
type gpuQuestion struct {
	id   string
	jobs []*listedJob
}

// dueQuestions returns the calls that are due at now.
func (c *Client) dueQuestions(now time.Time) []gpuQuestion {
	var due []gpuQuestion
	at := map[string]int{} // index in due, by id
	for i := range c.jobs {
		job := &c.jobs[i]
		if g := c.gpus[job.Number]; g.final || now.Before(g.again) {
			continue
		}
		id := arrayOf(job.ID)
		n, ok := at[id]
		if !ok {
			n = len(due)
			at[id] = n
			due = append(due, gpuQuestion{id: id})
		}
		due[n].jobs = append(due[n].jobs, job)
	}
	return due
}

// jobGPUs returns the GPUs that lines give a job on nodes; nil if there are no lines or they name other nodes.
func jobGPUs(nodes []string, lines []gresLine) map[string]ownGPUs {
	if len(lines) == 0 {
		return nil
	}
	ofJob := make(map[string]bool, len(nodes))
	for _, node := range nodes {
		ofJob[node] = true
	}
	on := map[string]ownGPUs{}
	for _, l := range lines {
		hosts, err := notation.ExpandHosts(l.nodes)
		if err != nil {
			return nil
		}
		for _, host := range hosts {
			if !ofJob[host] {
				return nil
			}
			if l.counted {
				on[host] = ownGPUs{count: l.count, indices: l.minors}
			}
		}
	}
	return on
}

// addGPUs adds the known GPUs to a job. Their indices count as minor numbers only if all are below the node's number of
// GPUs in SLURM's configuration.
func (c *Client) addGPUs(job *cluster.Job, on map[string]ownGPUs) {
	if on == nil {
		return
	}
	job.Minors, job.Counts, job.Configured = map[string][]int{}, map[string]int{}, map[string]int{}
	for name, own := range on {
		node := c.nodes[name]
		if node.known {
			job.Configured[name] = node.count
		}
		beyond := func(i int) bool { return i >= node.count }
		if own.count == 0 || node.known && own.indices != nil && !slices.ContainsFunc(own.indices, beyond) {
			job.Minors[name] = own.indices
		} else {
			job.Counts[name] = own.count
		}
	}
}

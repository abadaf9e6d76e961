package slurm

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// gpus is what SLURM said about the GPUs of a job.
type gpus struct {
	of     string           // what they depend on: the job's start and its node list
	final  bool             // SLURM has answered
	minors map[string][]int // as in cluster.Job

	failed error // why SLURM has not answered; nil: not asked yet
	wait   time.Duration
	again  time.Time // when to ask again
}

// A question that failed is asked again after firstWait. The wait doubles with each failure, up to maxWait.
const (
	firstWait = time.Minute
	maxWait   = 16 * time.Minute
)

// keepGPUs makes c.gpus hold one entry per listed job. A job that is new, or that has started again, has an empty one.
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

// askGPUs asks the first question and notes the answer. If the controller does not answer it, the others are put off too.
func (c *Client) askGPUs(ctx context.Context, due []question) {
	lines, err := c.showJob(ctx, due[0].id)
	if ctx.Err() != nil {
		return
	}
	c.note(due[0], lines, err)
	if f, ok := errors.AsType[*reach.Failure](err); ok && f.Class == reach.ClassSlurmTimeout {
		for _, q := range due[1:] {
			c.note(q, nil, err)
		}
	}
}

// note keeps the answer to a question, or why there is none.
func (c *Client) note(q question, lines map[string][]gresLine, err error) {
	for _, job := range q.jobs {
		g := c.gpus[job.Number]
		if err == nil {
			g = gpus{of: g.of, final: true, minors: jobMinors(c.hosts[job.nodelist].names, lines[job.Number])}
		} else {
			g.failed = err
			g.wait = min(max(2*g.wait, firstWait), maxWait)
			g.again = time.Now().Add(g.wait)
		}
		c.gpus[job.Number] = g
	}
}

// showJob asks for one job, array or heterogeneous job. A job that has ended since squeue listed it is missing from the answer.
func (c *Client) showJob(ctx context.Context, id string) (map[string][]gresLine, error) {
	out, stderr, err := c.call(ctx, "scontrol", "show", "job", "-d", id)
	if err != nil && !strings.Contains(string(stderr), "Invalid job id") {
		return nil, failure("scontrol", stderr, err)
	}
	return parseShowJob(out), nil
}

// question is one call that gives the GPUs of jobs: of all tasks of an array, or all components of a heterogeneous job.
type question struct {
	id   string
	jobs []*listedJob
}

// questions returns the calls that are due at now.
func (c *Client) questions(now time.Time) []question {
	var due []question
	at := map[string]int{} // by id, in due
	for i := range c.jobs {
		job := &c.jobs[i]
		if g := c.gpus[job.Number]; g.final || now.Before(g.again) {
			continue
		}
		id := job.ID
		if cut := strings.IndexAny(id, "_+"); cut >= 0 {
			id = id[:cut]
		}
		n, ok := at[id]
		if !ok {
			n = len(due)
			at[id] = n
			due = append(due, question{id: id})
		}
		due[n].jobs = append(due[n].jobs, job)
	}
	return due
}

// jobMinors returns the GPUs that lines give a job on nodes; nil if there are no lines or they name other nodes.
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

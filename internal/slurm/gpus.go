package slurm

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// gpus is what is known of the GPUs that a job was given.
type gpus struct {
	of     string           // what they depend on: the job's start and its node list
	told   bool             // SLURM was asked and answered
	minors map[string][]int // as in cluster.Job

	failed error // why it did not; nil: it was not asked yet
	wait   time.Duration
	again  time.Time // when to ask again
}

const (
	// maxQuestions is how many questions one Ask puts to SLURM, one job or array each; the next Ask goes on. All jobs of the cluster
	// would be one question only, but a large one: for the controller, and for those who wait behind it.
	maxQuestions = 32

	// firstWait is how long a question that failed is not put again. The wait doubles with each failure up to maxWait.
	firstWait = time.Minute
	maxWait   = 16 * time.Minute
)

// assignGPUs fills in the Minors of jobs. Only jobs that are new, or that started anew, are asked for. The error is that of the first
// job whose GPUs could not be asked for, as long as that is so.
func (c *Client) assignGPUs(ctx context.Context, jobs []cluster.Job, lists []string) error {
	known := make(map[string]gpus, len(jobs))
	for i, job := range jobs {
		g := c.gpus[job.Number]
		if of := job.Start.String() + " " + lists[i]; g.of != of {
			g = gpus{of: of}
		}
		known[job.Number] = g
	}
	c.gpus = known
	if err := c.askGPUs(ctx, questions(jobs, known, time.Now())); err != nil {
		return err
	}
	var failed error
	for i := range jobs {
		g := known[jobs[i].Number]
		jobs[i].Minors = g.minors
		if failed == nil {
			failed = g.failed
		}
	}
	return failed
}

// askGPUs puts questions and notes the answers in c.gpus. A controller that does not answer one is not asked the others.
func (c *Client) askGPUs(ctx context.Context, questions []question) error {
	for n, q := range questions[:min(len(questions), maxQuestions)] {
		lines, err := c.showJob(ctx, q.id)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f, ok := errors.AsType[*reach.Failure](err); ok && f.Class == reach.ClassSlurmTimeout {
			for _, q := range questions[n:] {
				c.note(q, nil, err)
			}
			return nil
		}
		c.note(q, lines, err)
	}
	return nil
}

// note keeps the answer to a question.
func (c *Client) note(q question, lines map[string][]gresLine, err error) {
	for _, job := range q.jobs {
		g := c.gpus[job.Number]
		if err == nil {
			g = gpus{of: g.of, told: true, minors: jobMinors(job.Nodes, lines[job.Number])}
		} else {
			g.failed = err
			g.wait = min(max(2*g.wait, firstWait), maxWait)
			g.again = time.Now().Add(g.wait)
		}
		c.gpus[job.Number] = g
	}
}

// showJob asks for one job and reads the answer. A job that ended since squeue named it is not in it.
func (c *Client) showJob(ctx context.Context, id string) (map[string][]gresLine, error) {
	out, stderr, err := c.call(ctx, "scontrol", "show", "job", "-d", id)
	if err != nil && !strings.Contains(string(stderr), "Invalid job id") {
		return nil, failure("scontrol", stderr, err)
	}
	return parseShowJob(out), nil
}

// question is one call that tells the GPUs of jobs: all tasks of an array are one, and all components of a heterogeneous job.
type question struct {
	id   string
	jobs []*cluster.Job
}

// questions are the calls that are due now for what is not known yet.
func questions(jobs []cluster.Job, known map[string]gpus, now time.Time) []question {
	var due []question
	at := map[string]int{} // by id, in due
	for i := range jobs {
		job := &jobs[i]
		if g := known[job.Number]; g.told || now.Before(g.again) {
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

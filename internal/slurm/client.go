package slurm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// Deadline is how long one call of squeue or scontrol may take.
const Deadline = 10 * time.Second

// states are those of the jobs asked for: running, waiting, and waiting for nodes that boot.
const states = "R,PD,CF"

// Question is what Ask runs, for a person to repeat.
const Question = "squeue --me --states=" + states

// Answer is what SLURM said.
type Answer struct {
	Jobs    []cluster.Job        // running, by their ids
	Pending []cluster.PendingJob // by their ids
}

// Client asks SLURM. It is for one goroutine.
type Client struct {
	run      Runner
	deadline time.Duration
	loc      *time.Location
	marks    func() marks

	hosts map[string][]string // expanded node lists of the jobs of the last answer
	gpus  map[string]gpus     // of the jobs of the last answer, by their numbers
}

// New makes a client that runs its commands with run, each under deadline.
func New(run Runner, deadline time.Duration) *Client {
	return &Client{run: run, deadline: deadline, loc: time.Local, marks: newMarks}
}

// Ask asks which jobs run and which wait. The error is ErrNoSlurm, ctx's, or a *reach.Failure. The Answer is nil unless squeue
// answered; it comes together with a Failure when SLURM then did not say which GPUs the jobs have.
func (c *Client) Ask(ctx context.Context) (*Answer, error) {
	records, err := c.squeue(ctx)
	if err != nil {
		return nil, err
	}
	answer := &Answer{}
	var lists []string
	for i := range records {
		r := &records[i]
		if r.running() {
			answer.Jobs = append(answer.Jobs, r.job(c.loc))
			lists = append(lists, r.nodelist)
		} else {
			answer.Pending = append(answer.Pending, r.pending(c.loc))
		}
	}
	if err := c.expand(ctx, lists); err != nil {
		return nil, err
	}
	for i := range answer.Jobs {
		answer.Jobs[i].Nodes = c.hosts[lists[i]]
	}
	err = c.assignGPUs(ctx, answer.Jobs, lists)
	return answer, err
}

// squeue asks for the jobs of the user.
func (c *Client) squeue(ctx context.Context) ([]record, error) {
	m := c.marks()
	out, stderr, err := c.call(ctx, "squeue", "--me", "--noheader", "--states="+states, "--sort=i", "--format="+m.format())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) || strings.Contains(string(stderr), noConfig) {
		return nil, ErrNoSlurm
	}
	if err != nil {
		return nil, failure("squeue", c.deadline, stderr, err)
	}
	records, err := m.parse(out)
	if err != nil {
		return nil, failure("squeue", c.deadline, nil, fmt.Errorf("its output is not understood: %w", err))
	}
	if len(records) == 0 && strings.Contains(string(stderr), "error") { // an unknown user, for one: the exit status is 0
		return nil, failure("squeue", c.deadline, stderr, nil)
	}
	return records, nil
}

// call runs one command under our deadline.
func (c *Client) call(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.deadline, errLate)
	defer cancel()
	return c.run(ctx, argv...)
}

// maxArgument is below what the kernel takes as one argument (128 KiB).
const maxArgument = 100 << 10

// expand makes c.hosts hold the hosts of each list and of no other. SLURM's own expansion goes first, since a site can configure what
// its numbers mean; ours stands in where scontrol fails.
func (c *Client) expand(ctx context.Context, lists []string) error {
	hosts := map[string][]string{}
	var fresh []string
	for _, list := range lists {
		known, ok := c.hosts[list]
		if !ok {
			ours, err := ExpandHostlist(list)
			if err != nil {
				return &reach.Failure{Class: reach.ClassSlurm, Short: "squeue names nodes in a way that is not understood", Words: err.Error()}
			}
			if known = ours; strings.Contains(list, "[") {
				fresh = append(fresh, list)
			}
		}
		hosts[list] = known
	}
	c.hosts = hosts
	slices.Sort(fresh)
	for batch := range batches(slices.Compact(fresh), maxArgument) {
		maps.Copy(c.hosts, c.hostnames(ctx, batch))
	}
	return ctx.Err()
}

// hostnames asks scontrol to expand lists, in one call: a name that no host has parts them. It returns what it is sure of.
func (c *Client) hostnames(ctx context.Context, lists []string) map[string][]string {
	const part = "-" // begins no host name
	out, _, err := c.call(ctx, "scontrol", "show", "hostnames", strings.Join(lists, ","+part+","))
	if err != nil {
		return nil
	}
	groups := strings.Split(strings.TrimSpace(string(out)), "\n"+part+"\n")
	if len(groups) != len(lists) {
		return nil
	}
	hosts := map[string][]string{}
	for i, group := range groups {
		hosts[lists[i]] = strings.Fields(group)
	}
	return hosts
}

// Package slurm asks SLURM which jobs a person has: it runs squeue and scontrol and reads what they print.
//
// The commands are run by an injected Runner, so that everything else here is a pure function of their output. Command is the real
// one. Every call has a deadline of ours, since a dead controller holds squeue for up to a minute, and a cap on its output.
//
// Ask makes one call of squeue. Only when a job is new or has changed does it make more, as few as it can: `scontrol show hostnames`
// for node lists that it has not expanded yet, `scontrol show job -d` for the GPUs of the new jobs. Answers to both are kept as long
// as the job is.
//
// A Client is for one goroutine. Strings in what it returns (job names, SLURM's words) are as SLURM printed them: not fit for a screen.
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

// deadline is how long one call of squeue or scontrol may take.
const deadline = 10 * time.Second

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
	run   Runner
	loc   *time.Location
	marks func() marks

	hosts map[string][]string // expanded node lists of the jobs of the last answer
	gpus  map[string]gpus     // of the jobs of the last answer, by their numbers
}

// New makes a client that runs its commands with run.
func New(run Runner) *Client { return &Client{run: run, loc: time.Local, marks: newMarks} }

// Installed reports whether this host has SLURM's commands.
func Installed() bool {
	_, err := exec.LookPath("squeue")
	return err == nil
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
		return nil, failure("squeue", stderr, err)
	}
	records, err := m.parse(out)
	if err != nil {
		return nil, failure("squeue", nil, fmt.Errorf("its output is not understood: %w", err))
	}
	if len(records) == 0 && strings.Contains(string(stderr), "error") { // an unknown user, for one: the exit status is 0
		return nil, failure("squeue", stderr, nil)
	}
	return records, nil
}

// call runs one command under our own deadline.
func (c *Client) call(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, errLate)
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
	for _, batch := range batches(slices.Compact(fresh), maxArgument) {
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

// batches cuts items into runs whose lengths, with 3 characters between two, add up to at most limit. An item that is longer stands
// alone.
func batches(items []string, limit int) (runs [][]string) {
	size := 0
	for _, item := range items {
		if len(runs) == 0 || size+len(item) > limit {
			runs, size = append(runs, nil), 0
		}
		last := len(runs) - 1
		runs[last] = append(runs[last], item)
		size += len(item) + 3
	}
	return runs
}

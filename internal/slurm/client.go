// Package slurm asks SLURM for the user's jobs: it runs squeue and scontrol and parses their output. It runs scancel,
// too. It asks, rarely, which switch each node is under.
//
// The commands run through an injected command.Runner, so the rest of the package is a pure function of their output.
// Every call has a deadline set by us, since a dead controller holds squeue for up to a minute, and a cap on its
// output.
//
// Each step runs one command, so that a slow controller delays the GPUs of jobs but not the jobs. Ask runs squeue,
// which lists the jobs, also those that have ended, for as long as the controller remembers them. Next asks one
// question that is still open: `scontrol show hostnames` for new node lists, then `scontrol show job -d` for the GPUs
// of one new job. The answers to both are kept until the job ends. When a job has GPUs on a new node, `scontrol show
// node` says how many GPUs each new node has; that is kept for good. So most of the time squeue is the only command.
// The end state of a job is requested once: from sacct, which answers for many jobs in one call, or without accounting
// from scontrol, as long as the controller remembers the job. A second squeue tells the GPUs of jobs that wait and do
// not request them for each node. The switches of the nodes are requested last, and only for jobs of many nodes:
// `scontrol show topology`, at most once an hour.
//
// Cancel is the only command that changes anything: it cancels or signals a job at the user's request.
//
// A Client is for one goroutine. Strings in its answers (job names, error messages) are as SLURM printed them: not yet
// fit for a screen.
//
// # A good guest
//
// squeue runs after events; otherwise every 30 s while keys are pressed, every 60 s after 5 minutes without a key, and
// every 300 s after 30. scontrol show job -d runs only for jobs that are new or have changed, one job per call.
// scontrol show node runs once for each node with GPUs, many nodes per call. The second squeue runs when such a job is
// new, for all of them, and at most once a minute.
//
// The end state of a job is requested once: from sacct for all ended jobs, in one call; for jobs that sacct does not
// know, and without accounting, from scontrol show job, one job or array per call. Of jobs that failed, sacct is asked
// for the steps, too. Who opens the report of an ended job has sacct asked about that job. The last 50 ended jobs are
// kept for an hour, and requested.
//
// scontrol show topology is the last question, and only while a job has 5 nodes or more: once an hour, since a topology
// changes only with the controller's configuration, and already after 10 minutes if there was no usable answer or
// squeue has failed in between. Without a new answer the last one stays; without any answer, nodes are not grouped, and
// nothing else changes. The GPUs of jobs never wait for the topology. An output that is printed once waits up to 4 s
// for it, for GPUs that are being read and for the users of processes, when everything else is there (tally.Settling).
//
// Only one command runs at a time. After each command the controller gets a pause at least as long as its answer took,
// whatever happens, and a slow controller is asked for the jobs half as often. Repeated events (lost sessions of jobs
// that still run, time limits that pass one after another) trigger squeue less and less often. In all cases,
// slurm.min_interval passes between an answer of squeue and the next question.
//
// While the page of the cluster is open, sinfo, scontrol show node and squeue run at most as often as squeue does for
// the user's jobs. available --cluster runs sinfo once, scontrol show node once for the nodes with GPUs, and squeue
// once for all jobs with nodes. check --waiting, and a key on the page of a job that waits, run scontrol, squeue, sprio
// and sbatch --test-only (package queue).
package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/logs"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
)

// Question is the command that Ask runs, in a form for the user to repeat. It lists the jobs in all states and all
// partitions (Run sets SQUEUE_ALL), and those that have ended for as long as the controller knows them. So a job that
// begins and ends between two questions is seen. Other values of --states would compare whole states: they would leave
// out a job that is also held or signaled.
const Question = "squeue --me --all --states=all"

// Answer is the state of the user's jobs.
type Answer struct {
	Jobs    []cluster.Job        // with nodes, sorted by id
	Pending []cluster.PendingJob // sorted by id; includes jobs whose record or node list is not understood
	// jobs that were listed before, and are ending or have ended within the last hour; latest first; after some minutes
	// at most 50
	Ended []cluster.EndedJob

	Switches []cluster.Switch // of the nodes of Jobs, as far as known

	Note string // which cluster squeue was asked about; empty: nothing to say

	More     bool // Next has a question about the jobs
	Topology bool // Next has only the topology left to ask for: nothing about the jobs depends on it
}

// Client asks SLURM. It is for one goroutine.
type Client struct {
	run   command.Runner
	marks func() marks

	// These fields are about the jobs of squeue's last answer.
	jobs    []listedJob
	pending []pendingJob
	hosts   map[string]hosts // by node list
	gpus    map[string]gpus  // by job number

	ended    endedJobs
	accounts accounts
	answered bool // squeue has answered before

	nodes map[string]nodeGPUs // by name, for all nodes so far: they rarely change

	requests gpuRequests

	topology switchTopology

	scope string // the Note of the last answer
	files logs.Finder
}

// listedJob is a job as squeue lists it, without its nodes and GPUs.
type listedJob struct {
	cluster.Job
	nodelist string
	perNode  *int // the GPUs that it requests on each node; nil: squeue does not show it
}

// pendingJob is a job without nodes, as squeue lists it.
type pendingJob struct {
	cluster.PendingJob
	number string
}

// jobsWithoutGPUs returns the numbers of the jobs for which squeue has not listed GPUs.
func jobsWithoutGPUs(jobs []pendingJob) (numbers []string) {
	for i := range jobs {
		if jobs[i].GPUs == nil && jobs[i].number != "" {
			numbers = append(numbers, jobs[i].number)
		}
	}
	return numbers
}

// hosts is an expanded node list.
type hosts struct {
	names []string
	final bool // false: we expanded it, and SLURM has not been asked yet
}

// New returns a client that runs its commands with run.
func New(run command.Runner) *Client {
	return &Client{run: run, marks: newMarks, nodes: map[string]nodeGPUs{}, files: logs.Finder{Run: run}}
}

// Installed reports whether squeue is in PATH.
func Installed() bool {
	_, err := exec.LookPath("squeue")
	return err == nil
}

// Configured reports whether squeue is in PATH and knows a cluster. It does not ask the controller.
func Configured(ctx context.Context) bool {
	_, err := command.Version(ctx, command.Run, "squeue")
	return !errors.Is(err, command.ErrMissing) && !errors.Is(err, command.ErrNoSlurm)
}

// Ask runs squeue. The error is command.ErrNoSlurm, ctx's error, or a *reach.Failure. The Answer is nil unless squeue
// answered. It comes with a Failure if SLURM did not say which GPUs a job has.
func (c *Client) Ask(ctx context.Context) (*Answer, error) {
	records, note, err := runSqueue(ctx, c.run, c.marks())
	if err != nil {
		c.topology.Upset()
		return nil, err
	}
	c.scope = note
	c.keepJobs(records)
	c.keepGPUs()
	return c.newAnswer()
}

// Next asks one open question, if there is one: More or Topology. The Answer is nil only if ctx ended; otherwise the
// errors are those of Ask.
func (c *Client) Next(ctx context.Context) (*Answer, error) {
	if lists := c.unexpandedLists(); len(lists) > 0 {
		c.expandLists(ctx, notation.BatchHosts(lists)[0])
	} else if due := c.unconfiguredNodes(time.Now()); len(due) > 0 {
		c.askNodes(ctx, notation.BatchHosts(due)[0])
	} else if due := c.dueQuestions(time.Now()); len(due) > 0 {
		c.askGPUs(ctx, due)
	} else if due := c.ended.unexplainedJobs(); len(due) > 0 {
		c.askEnds(ctx, due)
	} else if due := jobsWithoutGPUs(c.pending); c.requests.Due(time.Now(), due) {
		c.requests.Ask(ctx, c.run, due)
	} else if c.topology.Due(time.Now(), c.nodesOfJobs()) {
		c.topology.Ask(ctx, c.run)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.newAnswer()
}

// Logs asks for the files of a job's output, by the ID of the job as squeue prints it, or by its number. The error is a
// *reach.Failure, command.ErrNoSlurm, or ctx's.
func (c *Client) Logs(ctx context.Context, job string) (*cluster.LogFiles, error) {
	return c.files.Find(ctx, job)
}

// KnownLogs returns the files that the controller named when it was asked for the GPUs of the job, and asks as Logs
// does only if it was not.
func (c *Client) KnownLogs(ctx context.Context, job string) (*cluster.LogFiles, error) {
	return c.files.FindKnown(ctx, job)
}

// Accounts asks sacct about a job, or about the parts of one.
func (c *Client) Accounts(ctx context.Context, job string) ([]sacct.Job, error) {
	return sacct.Ask(ctx, c.run, job)
}

// Supply runs the next command of a question about the GPUs of the cluster.
func (c *Client) Supply(ctx context.Context, q *capacity.SupplyQuestion) (*capacity.Supply, error) {
	return q.Step(ctx, c.run)
}

// Run runs a command that belongs to a question of another package.
func (c *Client) Run(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	return c.run(ctx, argv...)
}

// newAnswer returns everything known at present, with the first failure.
func (c *Client) newAnswer() (*Answer, error) {
	now := time.Now()
	answer := &Answer{
		Ended:    c.ended.listEnded(),
		Note:     c.scope,
		Switches: c.topology.Switches(c.nodesOfJobs()),
		More:     c.hasOpenQuestion(now),
		Topology: c.topology.Due(now, c.nodesOfJobs()),
	}
	for _, p := range c.pending {
		if p.GPUs == nil {
			p.GPUs = c.requests.Of(p.number)
		}
		answer.Pending = append(answer.Pending, p.PendingJob)
	}
	var failed error
	for i := range c.jobs {
		job, g := c.jobs[i].Job, c.gpus[c.jobs[i].Number]
		job.Nodes = c.hosts[c.jobs[i].nodelist].names
		if g.isUnasked() {
			expectGPUs(&job, c.jobs[i].perNode)
		}
		c.addGPUs(&job, g.on)
		answer.Jobs = append(answer.Jobs, job)
		if failed == nil {
			failed = g.err
		}
	}
	return answer, failed
}

// hasOpenQuestion reports whether a question about the jobs is open.
func (c *Client) hasOpenQuestion(now time.Time) bool {
	return len(c.unexpandedLists()) > 0 || len(c.unconfiguredNodes(now)) > 0 || len(c.dueQuestions(now)) > 0 ||
		len(c.ended.unexplainedJobs()) > 0 || c.requests.Due(now, jobsWithoutGPUs(c.pending))
}

// nodesOfJobs yields the nodes of each job.
func (c *Client) nodesOfJobs() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for i := range c.jobs {
			if !yield(c.hosts[c.jobs[i].nodelist].names) {
				return
			}
		}
	}
}

// keepJobs stores the jobs of squeue's answer.
func (c *Client) keepJobs(records []record) {
	now := time.Now()
	c.keepEnded(records, now)
	c.answered = true
	before := c.hosts
	c.jobs, c.pending, c.hosts = nil, nil, map[string]hosts{}
	for i := range records {
		r := &records[i]
		if r.isEnding() || r.isOver(now) {
			continue
		}
		var unread error
		if r.mayRun() {
			if unread = c.keepHosts(r.nodelist, before); unread == nil {
				c.jobs = append(c.jobs, listedJob{r.newJob(), r.nodelist, notation.RequestedGPUs(r.gres, 1)})
				continue
			}
		}
		c.pending = append(c.pending, pendingJob{r.newPendingJob(unread), r.number})
	}
}

// keepHosts keeps the expansion of a node list, or makes one. The error says why the list is not understood.
func (c *Client) keepHosts(list string, before map[string]hosts) error {
	h, known := before[list]
	if !known {
		names, err := notation.ExpandHosts(list)
		if err == nil {
			err = notation.CheckHosts(names)
		}
		if err != nil {
			cause := cmp.Or(errors.Unwrap(err), err) // without the list
			return fmt.Errorf("nodes unknown: node list %.40q not understood: %w", list, cause)
		}
		h = hosts{names: names, final: !strings.Contains(list, "[")}
	}
	c.hosts[list] = h
	return nil
}

// runSqueue lists the jobs of the user. The note says which cluster they are from, if the user named several.
func runSqueue(ctx context.Context, run command.Runner, m marks) (records []record, note string, err error) {
	out, stderr, err := run.Within(ctx, "squeue", "--me", "--states=all", "--sort=i", "--format="+m.squeueFormat())
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if command.NoSlurm(stderr, err) {
		return nil, "", command.ErrNoSlurm
	}
	if err != nil {
		return nil, "", command.Failed("squeue", stderr, err)
	}
	records, err = m.parseSqueue(out)
	if err != nil {
		return nil, "", command.Failed("squeue", nil, fmt.Errorf("unexpected output: %w", err))
	}
	if len(records) == 0 && strings.Contains(string(stderr), unknownUser) {
		return nil, "", command.Failed("squeue", stderr, nil)
	}
	return records, command.Note(stderr), nil
}

// unexpandedLists returns the node lists that SLURM has not been asked about, sorted. SLURM's expansion takes
// precedence over ours, since a site can configure what its numbers mean.
func (c *Client) unexpandedLists() []string {
	var lists []string
	for list, h := range c.hosts {
		if !h.final {
			lists = append(lists, list)
		}
	}
	slices.Sort(lists)
	return lists
}

// expandLists asks SLURM to expand lists. If it fails, our expansion stays.
func (c *Client) expandLists(ctx context.Context, lists []string) {
	expanded := askHostnames(ctx, c.run, lists)
	for _, list := range lists {
		h := hosts{names: c.hosts[list].names, final: true}
		if names, ok := expanded[list]; ok {
			h.names = names
		}
		c.hosts[list] = h
	}
}

// askHostnames asks scontrol to expand lists in one call, separated by a name that no host has. It returns nil if the
// output does not match the lists. It leaves out lists that have no names, or names that are not host names.
func askHostnames(ctx context.Context, run command.Runner, lists []string) map[string][]string {
	const part = "-" // no host name begins with it
	out, _, err := run.Within(ctx, "scontrol", "show", "hostnames", strings.Join(lists, ","+part+","))
	if err != nil {
		return nil
	}
	groups := strings.Split(strings.TrimSpace(string(out)), "\n"+part+"\n")
	if len(groups) != len(lists) {
		return nil
	}
	hosts := map[string][]string{}
	for i, group := range groups {
		if names := strings.Fields(
			group,
		); len(names) > 0 && len(names) <= notation.MaxHosts &&
			notation.CheckHosts(names) == nil {
			hosts[lists[i]] = names
		}
	}
	return hosts
}

// unknownUser is the error of squeue, with exit status 0, for a user whom the controller does not know.
const unknownUser = "error: Invalid user"

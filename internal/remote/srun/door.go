// Package srun is the Door through SLURM itself, for clusters where nobody may log in to compute nodes. One step of a
// job, started by one srun, runs the probes of all nodes of the job that ask at the same moment.
//
// Nodes that ask for the same script at nearly the same time are gathered into one step. srun labels the lines of its
// tasks, and gives its input to all tasks: a step sorts the lines by task, and addresses the requests (wire.Address).
// All probes share one sign of life (link.Pulse). srun cuts lines of more than 1,023 bytes, so the probes fold their
// lines (wire.Fold). A script with input has a step of its own, and so has a node that asks later. The end of one task
// does not disturb the other tasks; the end of the last task ends the step.
//
// SLURM may give no GPUs to a second step of a job: each node of a job has a ladder of options to try, and stays on the
// best rung.
//
// A Door may be used by any number of goroutines. It owns goroutines for each step, until its srun has ended. It
// guarantees that few steps start at the same time, that a job whose steps fail is left alone for longer and longer,
// and that a step ends with this process, even after a kill -9 (in a suspended job: once the job goes on). A task that
// does not read its input does not block the other tasks for long.
//
// # Steps
//
// internal/remote/srun reaches the nodes of a job by one step, since each srun asks slurmctld. Nodes that ask for the
// same script within 0.2 s share it. source.Live tells the Door which jobs there are.
//
//   - Lines. srun --label names the task of each line. slurmstepd sends at most 1,024 bytes at a time, and srun then
//     begins a new line with a new label; so one long line looks like two. So the probes fold their lines (wire.Fold),
//     and the Door unfolds them.
//   - Input goes to all tasks. A request is addressed to the name of one node (wire.Address), and so is the end of its
//     input (wire.Farewell). A script with input, which copies the probe, has a step of its own.
//   - Signs of life are one request for all probes of a step (link.Pulse), every 20 s while one of its sessions lives:
//     with a separate request for each probe, every probe would read all of them, and 10,000 nodes would get 140 MB/s.
//     Each probe answers the pulse: with a report every 10 minutes, a session has no other sign that its node lives. A
//     probe may answer before its Hello; each session counts the pulses sent to all, and takes no more answers than
//     that. The ID of a pulse is 0, which no question has. A probe that still lives on a node given up by SLURM gets a
//     farewell: the pulse of the other sessions would keep it alive.
//   - Ends. srun says nothing about a task that ends well, so the script is wrapped in another script that prints the
//     status. A probe ends with its input, a step with its last task. When nvnodetop quits, every srun that still runs
//     after 0.25 s gets SIGTERM, and 0.25 s later SIGKILL. srun gets SIGTERM when nvnodetop dies.
//   - Deaf tasks. srun and slurmstepd buffer the input that a task leaves unread, until their buffers are full: then no
//     task gets input. SLURM 22.05 buffered 11,000 requests for a stopped probe: signs of life take days to fill that,
//     but a new pace for each of 512 nodes is 512 requests. So when a task whose session has ended does not end and
//     more than 1,024 requests are unread, the nodes of its step move to another one. The old step is not canceled:
//     SLURM might fail to kill the task, and drain the node.
//   - Suspended jobs. The probes are frozen with the job, and srun ignores SIGTERM. Once squeue says that the job is
//     suspended, or when nvnodetop quits, srun gets SIGKILL. The probes end when the job goes on. After a kill -9 of
//     nvnodetop, srun also ends then.
//   - Heterogeneous jobs. srun accepts a component by the number of the first component plus --het-group, not by its
//     own number.
//   - GPUs. A second step does not always get the job's GPUs. Each node of a job goes down a ladder of options:
//     inherited, --gpus, --gres=gpu:N, --gres=none. It takes the next rung when SLURM refuses the step, holds it back
//     for 5 s, or the Hello lists fewer GPUs than the job has on the node. It stays on the rung with the most visible
//     GPUs. If no rung shows any GPU, the Door writes the reason into the Hello.
//   - Dead nodes. One node that does not respond makes SLURM abort the start of the whole step, after about 10 s. After
//     2 s the other nodes get another step without the dead node. From then on the dead node gets steps of its own, in
//     separate turns: many dead nodes delay no other step.
//   - Which job. A step sees the GPUs of its job only, so a node is reached through the job with the most GPUs there.
package srun

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// StageJob is the stage of this door: finding the job on the node.
const StageJob reach.Stage = "job"

// Job is a running job of the user.
type Job struct {
	ID    string         // SLURM's number
	Nodes []string       // SLURM's names
	GPUs  map[string]int // how many the job has, by node; no entry: not known

	Suspended bool // no step of it can start, and running steps are stopped

	// For a component of a heterogeneous job: the number of the first component, and the index of this one. Empty for
	// any other job.
	Leader, Group string
}

// stepDeadlines are the time limits of a Door.
type stepDeadlines struct {
	gpus    time.Duration // to wait for the number of GPUs of a job
	gather  time.Duration // to wait for other nodes that want the same
	hello   time.Duration // from a probe's start to its Hello, which tells how many GPUs the probe sees
	held    time.Duration // how long SLURM may hold back a step before other options are tried
	partial time.Duration // from the first task of a step to the last, in addition to startsEach
	closing time.Duration // for a step to end by itself
	// for srun to end a step after it was asked to cancel it: srun waits for the nodes, up to KillWait (30 s) and 2 s
	aborting time.Duration
	waiting  time.Duration // after which an attempt reports that SLURM makes it wait
	words    time.Duration // to wait for srun's messages after a deadline has passed
	parting  time.Duration // for a step to end when this process ends, before each signal
	retry    time.Duration // the first wait after a failed step
	unread   int64         // maxUnread
}

var defaultLimits = stepDeadlines{
	gpus: 3 * time.Second, gather: 200 * time.Millisecond, hello: 5 * time.Second, held: 5 * time.Second,
	partial: 2 * time.Second, closing: 2 * time.Second,
	aborting: 40 * time.Second, waiting: 2 * time.Second, words: 100 * time.Millisecond,
	parting: 250 * time.Millisecond,
	retry:   time.Second, unread: maxUnread,
}

// startsEach is how much longer a step may take to start for each additional node. SLURM's guide for large clusters
// expects 30 s for 15,000 nodes.
const startsEach = 2 * time.Millisecond

const (
	// startLimit and uploadLimit are the deadlines for a script. SLURM may let a step wait.
	startLimit  = 60 * time.Second
	uploadLimit = 120 * time.Second
	// maxStarting is how many sruns may be starting at once: each of them talks to slurmctld. As many more may start
	// for outcasts.
	maxStarting = 4
)

// Door reaches nodes through steps of their jobs. It implements remote.Door.
type Door struct {
	program  string // srun
	limits   stepDeadlines
	starting chan struct{} // holds one per srun that starts
	doubtful chan struct{} // the same for nodes that may be dead, so that they delay no others

	mu      sync.Mutex // protects the following, and the fields of all crews
	crews   []*jobSteps
	chosen  map[string]*jobSteps   // by node
	batches map[stepOptions]*batch // those that wait for other nodes
	open    map[*step]bool         // the steps that have not ended
	news    chan struct{}          // closed when Know is called
}

var _ remote.Door = (*Door)(nil)

// New returns a Door. It knows no jobs yet.
func New() *Door {
	return &Door{
		program: "srun", limits: defaultLimits, starting: make(chan struct{}, maxStarting),
		doubtful: make(chan struct{}, maxStarting),
		chosen:   map[string]*jobSteps{}, batches: map[stepOptions]*batch{}, open: map[*step]bool{},
		news: make(chan struct{}),
	}
}

// Opener returns an Opener for the Door.
func (d *Door) Opener() *remote.Opener {
	o := remote.New(d)
	o.Installer.Limits.Start, o.Installer.Limits.Upload = startLimit, uploadLimit
	return o
}

// jobSteps is a job, with what its steps have shown of it.
type jobSteps struct {
	id string // Job.ID, which needs no lock
	Job
	on       map[string]bool    // Job.Nodes as a set: each of thousands of nodes asks
	ladders  map[string]*ladder // by node
	outcasts map[string]bool    // nodes on which SLURM could not start a step for several nodes: they get their own
	failures int                // steps that failed in a row
	rest     time.Time          // when the next step may start
}

// Know tells the Door which jobs run now.
func (d *Door) Know(jobs []Job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.news)
	d.news = make(chan struct{})
	before := d.crews
	d.crews = nil
	for _, j := range jobs {
		i := slices.IndexFunc(before, func(c *jobSteps) bool { return c.ID == j.ID })
		if i < 0 {
			before, i = append(before, &jobSteps{id: j.ID, ladders: map[string]*ladder{}, outcasts: map[string]bool{}}),
				len(before)
		}
		before[i].take(j)
		d.crews = append(d.crews, before[i])
	}
	for node, c := range d.chosen {
		if !slices.Contains(d.crews, c) || !c.servesNode(node) {
			delete(d.chosen, node)
		}
	}
	for s := range d.open {
		if s.crew.Suspended {
			crash.Go(s.endSuspended)
		}
	}
}

// take adopts what is now known about the job. d.mu is held.
func (c *jobSteps) take(j Job) {
	c.Job, c.on = j, make(map[string]bool, len(j.Nodes))
	for _, node := range j.Nodes {
		c.on[node] = true
	}
}

// servesNode reports whether the node can be reached through the job. d.mu is held.
func (c *jobSteps) servesNode(node string) bool { return !c.Suspended && c.on[node] }

// crewOf returns the job through which a node is reached: the one with the most GPUs there, as a step sees no others.
// Among equal jobs it always returns the same one. nil: no job is known on the node.
func (d *Door) crewOf(node string) *jobSteps {
	d.mu.Lock()
	defer d.mu.Unlock()
	best := d.chosen[node]
	for _, c := range d.crews {
		if c.servesNode(node) && (best == nil || c.GPUs[node] > best.GPUs[node]) {
			best = c
		}
	}
	if best != nil {
		d.chosen[node] = best
	}
	return best
}

// gpuCount returns how many GPUs of a node the job has. d.mu is held.
func (c *jobSteps) gpuCount(node string) (n int, known bool) {
	n, known = c.GPUs[node]
	return n, known
}

// ladderOf returns the ladder of a node. d.mu is held.
func (c *jobSteps) ladderOf(node string) *ladder {
	l := c.ladders[node]
	if l == nil {
		l = &ladder{}
		c.ladders[node] = l
	}
	return l
}

// Fits returns why the Door does not apply to a node now; empty: it applies.
func (d *Door) Fits(_ context.Context, node string) (why string) {
	if _, err := exec.LookPath(d.program); err != nil {
		return "srun is not in PATH on this host"
	}
	if d.crewOf(node) != nil {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.IndexFunc(d.crews, func(c *jobSteps) bool { return c.on[node] }); i >= 0 {
		return "job " + d.crews[i].ID + " is suspended"
	}
	return "no running job of yours is known on the node"
}

// Stages implements remote.Door.
func (d *Door) Stages() []reach.Stage { return []reach.Stage{StageJob} }

// errNoJob is the error of Dial for a node without a job.
var errNoJob = errors.New("no running job on the node")

// Dial implements remote.Door. It only finds the job, and waits a moment until its GPUs are known: the step starts with
// the first script.
func (d *Door) Dial(ctx context.Context, node string, log *remote.Log) (remote.Shell, error) {
	log.Begin(StageJob, "")
	s := &shell{d: d, node: node, log: log, crew: d.crewOf(node)}
	if s.crew == nil {
		return nil, log.Case().Settle(errNoJob, s.Explain)
	}
	if err := d.awaitGPUs(ctx, node); err != nil {
		return nil, err
	}
	if c := d.crewOf(node); c != nil { // now it is known which one has the most
		s.crew = c
	}
	log.Done("job " + s.crew.id)
	return s, nil
}

// awaitGPUs waits until the number of GPUs of each job on a node is known, or until it has waited long enough. SLURM
// reports these numbers later than the jobs.
func (d *Door) awaitGPUs(ctx context.Context, node string) error {
	late := time.After(d.limits.gpus)
	for {
		d.mu.Lock()
		unknown := slices.ContainsFunc(d.crews, func(c *jobSteps) bool {
			_, known := c.gpuCount(node)
			return !known && c.servesNode(node)
		})
		news := d.news
		d.mu.Unlock()
		if !unknown {
			return nil
		}
		select {
		case <-news:
		case <-late:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

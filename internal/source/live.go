// Package source produces the Events from which all outputs are made. A Session runs a Source. Controls has the
// requests that a user can make to it: what to ask SLURM and the nodes.
//
// Live is the real cluster: a discoverer asks SLURM for the jobs, a poller watches their nodes. Hosts watches the nodes
// of --nodes.
//
// Both are cluster.Sources with methods for the user's requests: Touch (a key was pressed), Refresh (ask SLURM and
// retry nodes now), Cancel (end or signal a job), Log (a piece of a job's log), Accounts (what SLURM has counted of a
// job), Cluster (the GPUs that SLURM can give to jobs), and the poller's Look (list the processes of a node) and Ask
// (send a request to the probe of a node and wait for its reply). They may be called from any goroutine, also before
// Run; only Ask, Cancel, Log, Accounts and Cluster block.
package source

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Live is the real cluster: the user's jobs and their nodes. A node that several jobs share is watched only once. The
// nodes of a job are watched until it ends.
type Live struct {
	*poller.Manager
	Heard *EarlyAnswer // a first answer of squeue, if it is Kept or younger than Floor; nil: none. Likewise
	// the least time from one answer of squeue to the next question; it must not change once Run is called
	Floor time.Duration
	Pace  time.Duration // time between two questions while somebody presses keys; 0: the usual one. Likewise

	Answers *command.KeptAnswers // where SLURM's answers are kept for other programs; nil: nowhere. Likewise
	MaxAge  time.Duration        // how old such an answer may be. Likewise

	Job string // only jobs that are PartOf this one are discovered; "": all of the user's. Likewise

	Causes bool // read the logs of jobs that fail, to find out why. Likewise

	Progress bool   // follow the logs of running jobs, for how far their programs are. Likewise
	Runs     string // file of what is kept of jobs, to compare later ones with them; "": nothing is kept. Likewise

	// OnLogin reads logs on another host, if SLURM is asked there; nil: it is asked here. Likewise
	OnLogin func(wire.ReadLog) (*wire.LogPiece, error)

	discoverer *discoverer
	logs       func() *joblog.Reader
	counter    counter
	waits      waits
	causes     *causes
	progress   *progress

	// Jobs is called with the jobs of each Discovery before their nodes are watched. It must not block. nil: no call.
	// It must not change once Run is called.
	Jobs func([]cluster.Job)

	mu       sync.Mutex      // protects the following
	reported map[string]bool // nodes whose session has delivered a report
}

// NewLive returns the source for user on host. Nothing else may use client and nodes.
func NewLive(client *slurm.Client, nodes *poller.Manager, user, host string) *Live {
	l := &Live{discoverer: newDiscoverer(client, user, host), Manager: nodes, reported: map[string]bool{}}
	l.counter = counter{step: l.discoverer.runSupplyCommand, pace: l.discoverer.currentInterval,
		floor: func() time.Duration { return l.Floor }}
	l.waits = waits{run: l.discoverer.runInTurn, floor: l.counter.floor}
	l.logs = sync.OnceValue(func() *joblog.Reader {
		return joblog.NewReader(joblog.Sources{Find: l.discoverer.findLogs, Known: l.findKnownLogs, Ask: l.Ask,
			Login: l.OnLogin, User: user, Host: host})
	})
	l.causes, l.progress = newCauses(l.Log), newProgress(l.Log)
	l.progress.runs.user = user
	return l
}

// Run emits Events until ctx ends. It returns command.ErrNoSlurm at once if there is no SLURM here.
func (l *Live) Run(ctx context.Context, emit func(cluster.Event)) error {
	l.discoverer.floor, l.discoverer.first = l.Floor, l.Heard
	l.discoverer.schedule.own = l.Pace
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer crash.End()
		l.Manager.Run(ctx, func(e cluster.Event) {
			emit(e)
			l.noteLoss(e)
			if l.Progress {
				l.progress.runs.noteModel(e)
			}
		})
	})
	tell := l.discoveryEmitter(emit)
	if l.Causes {
		wg.Go(func() {
			defer crash.End()
			l.causes.readLogs(ctx, func() { tell(nil) })
		})
	}
	if l.Progress {
		l.progress.isFar, l.progress.runs.path = l.OnLogin != nil, l.Runs
		wg.Go(func() {
			defer crash.End()
			l.progress.followLogs(ctx, emit)
		})
	}
	return l.discoverer.runDiscovery(ctx, func(d cluster.Discovery) {
		all := d
		defer l.keepAnswer(&all) // last, because a home directory may be slow
		if l.Job != "" {
			d.Jobs, d.Others = jobsNamed(l.Job, d.Jobs), otherJobs(l.Job, d.Jobs)
		}
		tell(&d)
		if l.Progress {
			l.progress.follow(d.Jobs)
		}
		if l.Jobs != nil {
			l.Jobs(d.Jobs)
		}
		l.SetNodes(nodesOf(d.Jobs))
	})
}

// discoveryEmitter returns a function that emits a Discovery with the causes that are known; nil: the last Discovery
// again. It may be called from any goroutine.
func (l *Live) discoveryEmitter(emit func(cluster.Event)) func(*cluster.Discovery) {
	var mu sync.Mutex
	var last cluster.Discovery
	return func(d *cluster.Discovery) {
		mu.Lock()
		defer mu.Unlock()
		if d != nil {
			last = *d
		}
		told := last
		if l.Causes {
			told.Ended = l.causes.addCauses(last.Ended, l.Job)
		}
		emit(cluster.Event{At: time.Now(), Discovery: &told})
	}
}

// jobsNamed returns the jobs that a user's name for a job stands for.
func jobsNamed(name string, jobs []cluster.Job) []cluster.Job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j cluster.Job) bool { return !j.PartOf(name) })
}

// otherJobs returns the numbers of the jobs that jobsNamed leaves out.
func otherJobs(name string, jobs []cluster.Job) []string {
	var numbers []string
	for i := range jobs {
		if j := &jobs[i]; !j.PartOf(name) {
			numbers = append(numbers, j.Number)
		}
	}
	return numbers
}

// noteLoss asks SLURM again when the session of a reporting node ends: its job may have ended.
func (l *Live) noteLoss(e cluster.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.Report != nil:
		l.reported[e.Node] = true
	case e.Down != nil && l.reported[e.Node]:
		l.discoverer.lost.Ring()
		delete(l.reported, e.Node)
	case e.Gone:
		delete(l.reported, e.Node)
	}
}

// nodesOf returns the nodes of jobs, each once.
func nodesOf(jobs []cluster.Job) []string {
	var nodes []string
	seen := map[string]bool{}
	for i := range jobs {
		for _, node := range jobs[i].Nodes {
			if !seen[node] {
				seen[node] = true
				nodes = append(nodes, node)
			}
		}
	}
	return nodes
}

// Touch notes that a key was pressed.
func (l *Live) Touch() {
	l.Manager.Touch()
	l.discoverer.noteKey()
}

// ListJobs notes whether the list of jobs is on the screen.
func (l *Live) ListJobs(shown bool) { l.discoverer.noteList(shown) }

// Leave notes that the user has gone, until the next Touch.
func (l *Live) Leave() {
	l.Manager.Leave()
	l.discoverer.noteAbsence()
}

// Cancel ends a job, or sends it a signal. It waits for the command that is running, and then for SLURM's answer.
func (l *Live) Cancel(ctx context.Context, job, signal string) error {
	return l.discoverer.cancelJob(ctx, job, signal)
}

// Log reads a piece of a job's log.
func (l *Live) Log(ctx context.Context, q joblog.Query) (joblog.Piece, error) {
	return l.logs().Read(ctx, q)
}

// Accounts asks SLURM's accounting about a job, or the parts of one.
func (l *Live) Accounts(ctx context.Context, job string) ([]sacct.Job, error) {
	return l.discoverer.askAccounting(ctx, job)
}

// Cluster returns the GPUs of the cluster. If SLURM was just asked, this is a recent answer.
func (l *Live) Cluster(ctx context.Context, fresh bool) (*capacity.Cluster, error) {
	return l.counter.askCapacity(ctx, fresh)
}

// Waiting asks SLURM why a job waits. If SLURM was just asked, this is the last answer.
func (l *Live) Waiting(ctx context.Context, job string) (*queue.Wait, error) {
	array, _, _ := strings.Cut(job, "_[") // as squeue prints the tasks that wait
	return l.waits.askWhy(ctx, array)
}

// KeepsRuns names the file of what is kept of jobs, and the user whose jobs these are; "": nothing is kept.
func (l *Live) KeepsRuns() (path, user string) {
	if !l.Progress {
		return "", ""
	}
	return l.Runs, l.progress.runs.user
}

// Refresh asks SLURM and retries failed nodes now.
func (l *Live) Refresh() {
	l.discoverer.refresh.Ring()
	l.Retry()
}

package export

import (
	"iter"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Document returns the Snapshot in the form for programs. It shares unchanging data with s.
func Document(s *cluster.Snapshot) *schema.Snapshot {
	d := newHead(s)
	d.addAllJobs(s, true)
	d.addNodes(s, everything, func(string) bool { return true })
	d.addQueue(s)
	d.NotChecked = notChecked(s)
	return d.Snapshot
}

// notChecked returns the kinds of problems that cannot have been found yet. If a kind needs less than a second, it
// needs a second report.
func notChecked(s *cluster.Snapshot) []schema.NotChecked {
	all := []schema.NotChecked{}
	for _, c := range s.NotChecked {
		one := schema.NotChecked{Kind: string(c.Kind), Seconds: c.Takes.Seconds()}
		switch one.Job = c.Job; {
		case c.Why != cluster.TooEarly:
			one.Why = say.Unchecked(c.Why)
		case c.Takes < time.Second:
			one.Reports, one.Seconds = 2, 0
		}
		all = append(all, one)
	}
	return all
}

// document is a document, or a part of one, under construction.
type document struct{ *schema.Snapshot }

// newHead returns a document with the fields that every part has.
func newHead(s *cluster.Snapshot) document {
	d := &schema.Snapshot{Version: schema.Version, Time: s.At, PollSeconds: s.Poll.Seconds()}
	if disc := &s.Discovery; disc.Command != "" {
		d.Discovery = &schema.Discovery{
			Command: disc.Command, User: disc.User, Host: disc.Host,
			Answered: disc.Answered, TookSeconds: disc.Took.Seconds(), Failure: newFailure(disc.Failure),
			Note: disc.Note,
		}
	}
	return document{d}
}

// addJobs adds these jobs, with the GPUs and ranks of each if requested.
func (d document) addJobs(s *cluster.Snapshot, whole bool, wanted func(*cluster.JobView) bool) {
	d.Jobs = []schema.Job{}
	for i := range s.Jobs {
		if v := &s.Jobs[i]; wanted(v) {
			j := newJob(s, v)
			if whole {
				j.GPUMinors, j.Ranks = gpuNumbers(s, v), newRanks(s, v)
			}
			d.Jobs = append(d.Jobs, j)
		}
	}
}

// addAllJobs adds all jobs, and the values over all of them.
func (d document) addAllJobs(s *cluster.Snapshot, whole bool) {
	d.addJobs(s, whole, func(*cluster.JobView) bool { return true })
	c := schema.Overall(tally.Covered(s))
	d.Overall = &c
}

// addNodes adds these nodes.
func (d document) addNodes(s *cluster.Snapshot, c contents, wanted func(name string) bool) {
	d.Nodes = []schema.Node{}
	names, jobs := jobsByNode(s)
	for _, name := range names {
		if wanted(name) {
			d.Nodes = append(d.Nodes, newNode(s.Nodes[name], jobs[name], c))
		}
	}
}

// addQueue adds the waiting jobs and the ended jobs.
func (d document) addQueue(s *cluster.Snapshot) {
	for _, p := range s.Discovery.Pending {
		d.Pending = append(d.Pending, schema.PendingJob(p))
	}
	for i := range s.Discovery.Ended {
		d.Ended = append(d.Ended, newEnded(&s.Discovery.Ended[i]))
	}
}

// contents selects which data of a node a document has.
type contents struct {
	// the constant facts about GPUs, and all metrics; otherwise only those by which GPUs are compared
	whole     bool
	processes func(*cluster.GPU) bool // on which GPUs processes are included
}

var everything = contents{true, func(*cluster.GPU) bool { return true }}

// compared are the metrics by which GPUs are compared.
var compared = []metric.ID{
	metric.Util, metric.MemoryUsed, metric.MemoryTotal, metric.Power, metric.PowerLimit, metric.Temperature,
	metric.Slowdown, metric.SMClock, metric.SMClockMax,
	metric.Throttle,
}

func (c *contents) metricIDs() iter.Seq[metric.ID] {
	if c.whole {
		return metric.All(metric.GPU)
	}
	return slices.Values(compared)
}

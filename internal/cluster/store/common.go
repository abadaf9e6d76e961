package store

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// jobCommon is a job with the common values of its nodes, as of a time.
type jobCommon struct {
	cluster.Job
	disc     *cluster.Discovery
	progress *cluster.JobProgress // how far its program is; nil: its log has not said it
	common   cluster.Common
	at       time.Time
	met      bool // a node has sent a Hello since
}

// renew is the time after which a team's Common is computed again. After a node's Hello it is computed sooner, but not
// at once: thousands of nodes send a Hello at the same time.
const (
	renew = 10 * time.Second
	soon  = time.Second
)

// renewTeams computes the common values of the jobs' nodes again, if they are old.
func (s *Store) renewTeams(teams []*jobCommon, at time.Time) {
	for _, t := range teams {
		age := at.Sub(t.at)
		if len(t.Nodes) > 1 && (t.at.IsZero() || age >= renew || t.met && age >= soon) {
			t.common, t.at, t.met = s.commonOf(&t.Job), at, false
		}
	}
}

// commonOf compares the nodes of a job.
func (s *Store) commonOf(job *cluster.Job) cluster.Common {
	var drivers, models []string
	var offsets []time.Duration
	for _, name := range job.Nodes {
		n := s.nodes[name]
		if n == nil || n.Hello == nil {
			continue
		}
		drivers, models = append(drivers, n.Hello.Driver), append(models, job.Model(&n.Node))
		if n.Clocked {
			offsets = append(offsets, n.Offset)
		}
	}
	c := cluster.Common{Driver: mostFrequent(drivers), Model: mostFrequent(models), Clocks: len(offsets)}
	if len(offsets)%2 == 0 { // our own clock decides which of two nodes is wrong
		offsets = append(offsets, 0)
	}
	slices.Sort(offsets)
	c.Offset = offsets[len(offsets)/2]
	return c
}

// mostFrequent returns the most frequent word that is not empty. If several are equally frequent, it returns the first.
func mostFrequent(words []string) string {
	count := map[string]int{}
	for _, w := range words {
		count[w]++
	}
	delete(count, "")
	first, best := "", 0
	for _, w := range words {
		if count[w] > best {
			first, best = w, count[w]
		}
	}
	return first
}

// offsets has the smallest difference between the arrival of a report and its time by the node's clock, in this minute
// and in the last. A delayed report has a larger difference, so it does not count.
type offsets struct {
	began       time.Time // of this minute
	this, last  time.Duration
	known, both bool
}

// farthest limits the difference of two clocks, whatever time a node sends.
const farthest = 100 * 365 * 24 * time.Hour

// noteReportTime stores the time of a report by the node's clock.
func (n *nodeRecord) noteReportTime(at time.Time, r *wire.Report) {
	if r.WallMS > 0 {
		n.Clocked, n.Offset = true, n.offsets.addOffset(at, min(max(at.Sub(time.UnixMilli(r.WallMS)), -farthest), farthest))
	}
}

// addOffset adds the difference of a report, and returns the smallest difference of the last one to two minutes.
func (o *offsets) addOffset(at time.Time, off time.Duration) time.Duration {
	switch passed := at.Sub(o.began); {
	case !o.known, passed >= 2*time.Minute:
		*o = offsets{began: at, this: off, known: true}
	case passed >= time.Minute:
		*o = offsets{began: at, this: off, last: o.this, known: true, both: true}
	default:
		o.this = min(o.this, off)
	}
	if o.both {
		return min(o.this, o.last)
	}
	return o.this
}

// teamsOf returns a team for each job, in the same order.
func teamsOf(d *cluster.Discovery) []*jobCommon {
	teams := make([]*jobCommon, len(d.Jobs))
	for i := range d.Jobs {
		teams[i] = &jobCommon{Job: d.Jobs[i], disc: d}
	}
	return teams
}

package store

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// nodeRecord is the Store's state of one node. Data in Snapshots never changes: slices are replaced, not modified, and
// histories grow only beyond the shared part.
type nodeRecord struct {
	cluster.Node // as of the last Event; viewAt adds what depends on the time

	// The fields that each Snapshot reads come first, so that those of a thousand nodes fit into the processor's cache.
	out       int       // GPUs that are lost or hung
	instances int       // of GPUs in MIG mode
	reporting time.Time // when the first report of this session arrived; zero: none yet
	// the same for a session that was left for another door, until a report arrives again; zero: none was left
	moved     time.Time
	troubles  nodeTracks
	began     time.Time // the current attempt; zero: there is none
	downSince time.Time // of the first failure in a row

	poll   time.Duration
	room   int          // of histories
	jobs   []*jobCommon // on the node, as of the last Event or Discovery
	hello  *wire.Hello  // the Hello with the cards of the GPUs
	seen   time.Time    // the first Event
	failed struct {     // the attempt of Failure
		route reach.Route
		steps []reach.Step
	}
	span    time.Duration // that graphs show
	clock   history.Clock
	known   map[string]history.History // histories to continue, by GPU.Key
	work    map[string]*pace.GPU       // likewise, their work
	paces   []*pace.GPU                // of GPUs, in their order
	memory  cardMemory
	offsets offsets
	past    *cluster.Past // of the last reports; set once a view had no numbers
	judged  cluster.Node  // the node that asOf returns
}

const maxAttempts = 8

// keepNumbers is how long after the last report a node without a session still shows its data, dimmed, in case the
// connection comes back soon. After that the failure replaces the data.
const keepNumbers = 20 * time.Second

func newNodeRecord(name string, at time.Time, poll time.Duration) *nodeRecord {
	return &nodeRecord{Node: cluster.Node{Name: name, Interval: 3 * time.Second}, poll: poll, seen: at,
		known: map[string]history.History{}, work: map[string]*pace.GPU{},
		troubles: nodeTracks{whole: nodeOrGPU{node: name, number: cluster.NoNumber}}}
}

// take applies an Event, and steps the conditions that held before the Event and those that hold after it.
func (n *nodeRecord) take(e cluster.Event, rules cluster.Rules) {
	n.troubles.stepReach(rules, n.asOf(e.At), e.At)
	n.applyEvent(e)
	after := n.asOf(e.At)
	n.troubles.stepReach(rules, after, e.At)
	if e.Report != nil && n.Hello != nil {
		n.troubles.stepReport(rules, after, n.jobs, e.At)
	}
}

// compareWithJobs numbers the GPUs of the last report and steps the conditions of the jobs. It waits for the next
// report if the last one is old or belongs to an earlier Hello.
func (n *nodeRecord) compareWithJobs(at time.Time, rules cluster.Rules) {
	if state, _ := n.stateAt(at); state != cluster.NodeReporting || n.hello != n.Hello {
		return
	}
	if n.AnyGPU(func(g *cluster.GPU) bool { return g.Card.Minor == nil }) { // others need no job for that
		n.GPUs = slices.Clone(n.GPUs)
		n.newNumbering().numberGPUs(n.GPUs)
		sortGPUs(n.GPUs)
		n.addSamples(at, false)
	}
	n.troubles.stepJobs(rules, n.asOf(at), n.jobs, at)
}

func (n *nodeRecord) applyEvent(e cluster.Event) {
	switch {
	case e.Try != nil:
		n.applyTry(e.At, e.Try)
	case e.Step != nil:
		n.applyStep(e.At, *e.Step)
	case e.Hello != nil:
		n.applyHello(clean.Hello(e.Hello))
	case e.Report != nil && n.Hello != nil:
		n.applyReport(e.At, e.Report)
	case e.Pace != nil:
		n.Interval = max(e.Pace.Interval, time.Millisecond)
	case e.Down != nil:
		n.applyDown(e.At, e.Down)
	}
}

func (n *nodeRecord) applyTry(at time.Time, t *cluster.Try) {
	n.began, n.Tries, n.Steps, n.RetryAt = at, n.Tries+1, nil, time.Time{}
	n.Route = clean.Route(t.Route)
	n.Interval = max(t.Interval, time.Millisecond)
}

func (n *nodeRecord) applyStep(at time.Time, s reach.Step) {
	s.At, s.Text = at, safe.Line(s.Text, clean.MaxName)
	n.Steps = slices.Clone(n.Steps)
	if i := slices.IndexFunc(n.Steps, func(o reach.Step) bool { return o.Stage == s.Stage }); i >= 0 {
		n.Steps[i] = s
	} else {
		n.Steps = append(n.Steps, s)
	}
}

func (n *nodeRecord) applyDown(at time.Time, d *cluster.Down) {
	failure, took := clean.Failure(&d.Failure), time.Duration(0)
	if !n.began.IsZero() {
		took = at.Sub(n.began)
	}
	n.Attempts = append([]cluster.Attempt{{At: at, Door: n.Route.Door, Summary: failure.Summary(), Took: took}},
		n.Attempts[:min(len(n.Attempts), maxAttempts-1)]...)
	before := n.reporting
	n.began, n.reporting = time.Time{}, time.Time{}
	if failure.Next { // the node has failed only when its last door has
		n.keepPassed(failure)
		if !before.IsZero() {
			n.moved = before
		}
		return
	}
	n.moved, n.Passed = time.Time{}, nil
	if n.Failure == nil {
		n.downSince = at
	}
	n.Failure, n.RetryAt = failure, d.Retry
	n.failed.route, n.failed.steps = n.Route, n.Steps
}

// keepPassed stores the failure of a door that is given up, if it came farther than the doors before.
func (n *nodeRecord) keepPassed(failure *reach.Failure) {
	if left := n.StagesLeft(); n.Passed == nil || left < n.Passed.Left {
		n.Passed = &cluster.Passed{Door: n.Route.Door, Left: left, Failure: failure}
	}
}

func (n *nodeRecord) applyReport(at time.Time, r *wire.Report) {
	before, another := n.GPUs, n.reporting.IsZero() || n.hello != n.Hello
	if n.reporting.IsZero() {
		n.reporting, n.moved, n.Failure, n.Passed, n.Tries, n.Attempts = at, time.Time{}, nil, nil, 0, nil
		n.clock = history.Clock{}
	}
	n.Arrived, n.Host, n.GPUs, n.hello, n.past = at, r.Host, n.mergeGPUs(at, r), n.Hello, nil
	n.LayOut()
	n.addSamples(at, !r.OffBeat)
	n.out, n.instances = 0, 0
	for i := range n.GPUs {
		if !n.GPUs[i].Reports() {
			n.out++
		}
		if n.GPUs[i].Instance() {
			n.instances++
		}
	}
	n.Took = time.Duration(clean.Span(r.TookMS)) * time.Millisecond
	n.Faults, n.Memory = clean.Faults(r.Faults), n.jobMemories(at, r)
	n.updateProcesses(at, r, before, another)
	n.addXids(at, r)
	n.noteReportTime(at, r)
}

// asOf returns the node as of a moment, for the rules. The result is valid until the next call.
func (n *nodeRecord) asOf(at time.Time) *cluster.Node {
	n.viewAt(&n.judged, at)
	return &n.judged
}

// viewAt sets v to the node as of now. A Node is large, so it is copied only once.
func (n *nodeRecord) viewAt(v *cluster.Node, now time.Time) {
	*v = n.Node
	v.State, v.Since = n.stateAt(now)
	if v.State == cluster.NodeFailed {
		v.Route, v.Steps = n.failed.route, n.failed.steps
	}
	if !n.Arrived.IsZero() {
		v.Age = max(now.Sub(n.Arrived), 0)
	}
	if !v.HasNumbers() {
		v.Past = n.makePast()
		v.Host, v.GPUs, v.Listed, v.Processes, v.Faults, v.Memory = wire.Host{}, nil, false, nil, nil, nil
	}
	if now.Sub(v.ListedAt) > cluster.KeepList {
		v.Listed, v.Processes = false, nil
	}
}

func (n *nodeRecord) stateAt(now time.Time) (cluster.NodeState, time.Time) {
	age, reporting := now.Sub(n.Arrived), n.reporting
	if reporting.IsZero() {
		reporting = n.moved
	}
	switch {
	case !reporting.IsZero() && age <= n.Patience():
		return cluster.NodeReporting, reporting
	case !n.reporting.IsZero(), !n.Arrived.IsZero() && age <= max(keepNumbers, 3*n.Interval):
		return cluster.NodeStale, n.Arrived
	case n.Failure != nil:
		if !n.Arrived.IsZero() {
			return cluster.NodeFailed, n.Arrived
		}
		return cluster.NodeFailed, n.downSince
	case !n.began.IsZero():
		return cluster.NodeConnecting, n.began
	}
	return cluster.NodeConnecting, n.seen
}

package cluster

import (
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Store keeps what the Events of a Source add up to.
type Store struct {
	poll  time.Duration
	rules Rules

	mu    sync.Mutex // protects the following
	rev   uint64
	disc  Discovery
	nodes map[string]*nodeRecord // by the name that is fit for a screen
}

// NewStore returns a Store that knows nothing yet. poll is the pace asked of the nodes, told to those who draw; rules say what is wrong.
func NewStore(poll time.Duration, rules Rules) *Store {
	return &Store{poll: poll, rules: rules, nodes: map[string]*nodeRecord{}}
}

// Apply takes one Event in. An Event that makes no sense (a report of a node that never said hello) is dropped.
func (s *Store) Apply(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Node = cleanNode(e.Node)
	switch {
	case e.Discovery != nil:
		s.disc = cleanDiscovery(e.Discovery)
	case e.Node == "":
		return
	case e.Gone:
		delete(s.nodes, e.Node)
	default:
		n := s.nodes[e.Node]
		if n == nil {
			n = newNodeRecord(e.Node, e.At, s.poll)
			s.nodes[e.Node] = n
		}
		if !n.take(e, s.rules) {
			return
		}
		n.rev = s.rev + 1
	}
	s.rev++
}

// Snapshot is all that is known, with ages counted to now.
func (s *Store) Snapshot(now time.Time) *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := &Snapshot{Rev: s.rev, At: now, Poll: s.poll, Discovery: s.disc, Nodes: make(map[string]*Node, len(s.nodes))}
	notices := make(map[string][]notice)
	add := func(name string, n *nodeRecord) {
		snap.Nodes[name] = n.view(now)
		if list := n.troubles.notices(s.rules, snap.Nodes[name], now); len(list) > 0 {
			notices[name] = list
		}
	}
	for name, n := range s.nodes {
		add(name, n)
	}
	for i := range s.disc.Jobs {
		for _, name := range s.disc.Jobs[i].Nodes {
			if snap.Nodes[name] == nil {
				add(name, newNodeRecord(name, s.disc.Answered, s.poll))
			}
		}
		snap.Jobs = append(snap.Jobs, jobView(&s.disc.Jobs[i], snap.Nodes, notices))
	}
	return snap
}

func jobView(job *Job, nodes map[string]*Node, notices map[string][]notice) JobView {
	v := JobView{Job: *job}
	for _, name := range job.Nodes {
		n := nodes[name]
		own := 0
		for i := range n.GPUs {
			if job.Owns(n, &n.GPUs[i]) {
				own++
			}
		}
		if minors, known := job.Minors[name]; known {
			v.GPUs += len(minors)
		} else {
			v.GPUs += own
		}
		if n.State == NodeStreaming {
			v.Streaming++
			v.GPUsSeen += own
		}
	}
	v.tell(nodes, notices)
	return v
}

// nodeRecord is what the Store keeps of one node. What it hands out is never changed afterwards: slices are replaced, not written to,
// and histories only grow behind what was handed out.
type nodeRecord struct {
	name string
	poll time.Duration
	rev  uint64

	seen      time.Time // when it was first heard of
	began     time.Time // of the current attempt; zero: none is under way
	tries     int
	stages    []reach.Stage
	steps     []reach.Step // of the current attempt
	lastSteps []reach.Step // of the attempt that failed last
	attempts  []Attempt    // newest first
	failure   *reach.Failure
	downSince time.Time // of the first failure in a row
	retry     time.Time

	hello     *wire.Hello
	interval  time.Duration
	streaming time.Time // since when reports come in this session; zero: they do not
	arrived   time.Time
	clock     binClock
	load      wire.Host
	gpus      []GPU
	known     map[string]*GPU // by Key: what histories go on from
	listed    bool
	processes []wire.Process
	faults    []wire.Fault
	troubles  troubles
}

const maxAttempts = 8

// keepNumbers is how long after the last report a node that lost its session still shows its numbers, dimmed: a connection that comes
// back soon does not take the screen away. Later the failure takes their place.
const keepNumbers = 20 * time.Second

func newNodeRecord(name string, at time.Time, poll time.Duration) *nodeRecord {
	return &nodeRecord{name: name, poll: poll, seen: at, interval: 3 * time.Second}
}

// take applies an Event, and keeps the time of what held until it and of what holds from then on.
func (n *nodeRecord) take(e Event, rules Rules) bool {
	n.troubles.reached(rules, n.view(e.At), e.At)
	if !n.apply(e) {
		return false
	}
	after := n.view(e.At)
	n.troubles.reached(rules, after, e.At)
	if e.Report != nil {
		n.troubles.reported(rules, after, e.At)
	}
	return true
}

func (n *nodeRecord) apply(e Event) bool {
	switch {
	case e.Try != nil:
		n.try(e.At, e.Try)
	case e.Step != nil:
		n.step(e.At, *e.Step)
	case e.Hello != nil:
		n.hello = cleanHello(e.Hello)
	case e.Report != nil && n.hello != nil:
		n.sample(e.At, e.Report)
	case e.Down != nil:
		n.down(e.At, e.Down)
	default:
		return false
	}
	return true
}

func (n *nodeRecord) try(at time.Time, t *Try) {
	n.began, n.tries, n.steps, n.retry = at, n.tries+1, nil, time.Time{}
	n.stages = t.Stages
	n.interval = max(t.Interval, time.Millisecond)
}

func (n *nodeRecord) step(at time.Time, s reach.Step) {
	s.At, s.Text = at, clean(s.Text, maxName)
	steps := slices.Clone(n.steps)
	if i := slices.IndexFunc(steps, func(o reach.Step) bool { return o.Stage == s.Stage }); i >= 0 {
		steps[i] = s
	} else {
		steps = append(steps, s)
	}
	n.steps = steps
}

func (n *nodeRecord) down(at time.Time, d *Down) {
	if n.failure == nil || !n.streaming.IsZero() {
		n.downSince = at
	}
	n.failure, n.retry = cleanFailure(&d.Failure), d.Retry
	took := time.Duration(0)
	if !n.began.IsZero() {
		took = at.Sub(n.began)
	}
	n.attempts = append([]Attempt{{At: at, Summary: n.failure.Summary(), Took: took}}, n.attempts[:min(len(n.attempts), maxAttempts-1)]...)
	n.lastSteps, n.began, n.streaming = n.steps, time.Time{}, time.Time{}
}

func (n *nodeRecord) sample(at time.Time, r *wire.Report) {
	if n.streaming.IsZero() {
		n.streaming, n.failure, n.tries, n.attempts = at, nil, 0, nil
		n.clock = binClock{}
	}
	n.gpus = n.mergeGPUs(at, r)
	n.load = r.Host
	n.arrived = at
	n.listed = r.Listed
	n.processes = cleanProcesses(r.Processes)
	n.faults = cleanFaults(r.Faults)
}

// view is the node as it is at now.
func (n *nodeRecord) view(now time.Time) *Node {
	v := &Node{
		Name: n.name, Rev: n.rev, Tries: n.tries, Attempts: n.attempts, Failure: n.failure, RetryAt: n.retry,
		Hello: n.hello, Interval: n.interval, Arrived: n.arrived, Stages: n.stages, Steps: n.steps,
	}
	v.State, v.Since = n.state(now)
	if v.State == NodeFailed {
		v.Steps = n.lastSteps
	}
	if !n.arrived.IsZero() {
		v.Age = max(now.Sub(n.arrived), 0)
	}
	if v.State == NodeStreaming || v.State == NodeStale {
		v.Host, v.GPUs = n.load, n.gpus
		v.Listed, v.Processes, v.Faults = n.listed, n.processes, n.faults
	}
	return v
}

func (n *nodeRecord) state(now time.Time) (NodeState, time.Time) {
	age := now.Sub(n.arrived)
	switch {
	case !n.streaming.IsZero() && age <= 3*n.interval:
		return NodeStreaming, n.streaming
	case !n.streaming.IsZero(), !n.arrived.IsZero() && age <= max(keepNumbers, 3*n.interval):
		return NodeStale, n.arrived
	case n.failure != nil:
		return NodeFailed, n.downSince
	case !n.began.IsZero():
		return NodeConnecting, n.began
	}
	return NodeConnecting, n.seen
}

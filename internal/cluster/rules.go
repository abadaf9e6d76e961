package cluster

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Rules return the conditions that hold for a subject at one moment, worst first. The Store keeps the time. A Subject
// is valid only during the call.
type Rules func(Subject) []Condition

// Subject is the thing that Rules examine.
type Subject struct {
	Scope Scope
	Node  *Node
	GPU   *GPU // in ScopeGPU
	Job   *Job // in ScopeJob and ScopePeers
	// in ScopeJob and ScopePeers: how far the program of the job is; nil: its log has not said it
	Progress *JobProgress
	Peers    *Peers // in ScopePeers; in ScopeJobWatch only Pace is set

	Watched time.Duration // in ScopeWatch
	Poll    time.Duration // likewise: the time between two reports of a node

	Silence *Silence // in ScopeReach: of all nodes, instead of one; Node is then empty

	Common    *Common    // in ScopeJob: of the job's nodes
	Discovery *Discovery // in ScopeJob and ScopePeers: the Discovery that lists the job
}

// Scope is the kind of a Subject. It decides when Rules are asked.
type Scope int

// Scopes.
const (
	ScopeReach  Scope = iota // how the node is reached: asked at each of its Events and for each Snapshot
	ScopeReport              // the node's last report: asked with each report
	ScopeGPU                 // one GPU in that report
	ScopeJob                 // one job on the node, in that report: asked with each report and each Discovery
	ScopePeers               // all GPUs of a job together: asked once per interval while they report
	// no problem: the kinds for which Subject.Watched is too short, each with the time it needs in After. Asked for
	// each Snapshot
	ScopeWatch
	ScopeJobWatch // likewise, for one job
)

// Unchecked is why a problem cannot have been found.
type Unchecked uint8

// Reasons.
const (
	TooEarly   Unchecked = iota // a node has not reported for long enough
	TooSeldom                   // nodes report too rarely
	BriefLags                   // nodes report too rarely for lags that come and go
	NodesApart                  // the nodes of the job are not compared: no traffic between them is visible
)

// Condition is a problem at one moment.
type Condition struct {
	Kind     Kind
	Class    reach.Class
	Severity Severity
	Since    time.Time     // when it began; zero: when Rules first find it
	After    time.Duration // how long it must hold before it is reported
	OfGPUs   bool          // it matters only to jobs with GPUs on the node
	// in ScopeReport: it holds for every GPU of the node, and replaces the GPUs' conditions of this Kind
	Every bool
	Mild  bool // it matters only if it lasts: After counts four times
	// its state is unknown now: a condition that held a moment ago stays but does not grow older, and none begins
	Unclear bool

	Unchecked Unchecked // in ScopeWatch and ScopeJobWatch

	Of       *Peer       // in ScopePeers: the GPU; nil: the job
	Compared *Comparison // likewise: the evidence
	Silence  *Silence    // the silence, for KindSilence
}

// Slowness is the factor by which the condition must hold longer than After.
func (c *Condition) Slowness() time.Duration {
	if c.Mild {
		return mildly
	}
	return 1
}

const (
	// mildly is the factor by which a mild condition must hold longer before it is reported.
	mildly = 4

	// Linger is the time for which a cleared Finding stays in its place. If it comes back in this time, it keeps its
	// age.
	Linger = time.Minute

	// Remember is the time for which cleared Findings are kept.
	Remember = time.Hour
)

// Common holds the values that most nodes of a job share. Each node is compared with them. It is zero for a job of one
// node.
type Common struct {
	Driver string        // of most nodes; empty if unknown
	Model  string        // of the GPUs of most nodes; empty if unknown
	Offset time.Duration // the median of Node.Offset
	Clocks int           // number of nodes with an Offset
}

// Silence is a time without a report from any node. Its cause is this host or the network, not the single nodes, so it
// counts as one problem.
type Silence struct {
	From  time.Time // the last report
	Over  time.Time // the first report after it; zero: none yet
	Nodes int       // number of nodes that fell silent with it and have not reported since
}

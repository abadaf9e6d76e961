package cluster

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// Peers are the reporting GPUs of one job, to be compared with each other.
type Peers struct {
	At   time.Time
	Pace *pace.Job
	GPUs []Peer
	Away int // at least this many of the job's GPUs do not report
}

// On returns the Peers of a node. They come node by node.
func (p *Peers) On(n *Node) []Peer {
	from := slices.IndexFunc(p.GPUs, func(o Peer) bool { return o.Node == n })
	if from < 0 {
		return nil
	}
	to := from
	for to < len(p.GPUs) && p.GPUs[to].Node == n {
		to++
	}
	return p.GPUs[from:to]
}

// Peer is one GPU among Peers.
type Peer struct {
	*pace.GPU
	Node *Node
	Own  *GPU
}

// Comparison is the evidence of a Condition in ScopePeers: the compared GPUs, and when the Condition last held.
type Comparison struct {
	How    Difference
	By     pace.Evidence // proof that the GPUs work together
	Own    pace.Numbers  // averages of the GPU
	Median pace.Numbers  // averages of the other GPUs in its group
	Lanes  pace.Lanes    // of the GPU, for KindLinkUnused
	Slower *pace.Slower  // of the job, for KindStepSlower; nil: only its log says so
	// of the job, for the kinds that its log proves, and for KindJobHang; nil: its log says nothing of it
	Progress *JobProgress
	Forecast *progress.Forecast // for KindTooLong
	Stall    pace.Stall         // of the job, for KindStalled
	Rhythm   *pace.Rhythm       // of a GPU that lags again and again; nil: it lags all the time
	Bout     Bout               // whether the GPU lags at this moment
	Used     [2]float64         // memory in use: of the GPU, and the median
	Count    int                // number of GPUs with the Condition
	Of       int                // number of GPUs compared
	Seen     bool               // the GPU has worked since the watch began
	Rank     *SeenRank          // the rank that has ended
	Waiting  time.Time          // when the rest of its program began to wait for it; zero: it does not wait
	Allowed  time.Duration      // how long the job may be idle; 0: unknown
	Longest  time.Duration      // the longest earlier pause of the job
	First    Standing           // the GPUs that stopped first, of a job that stands still
	AtWork   bool               // the host side of the only one is at work, or may be
	Places   []Differing        // GPUs that differ, the first to differ first, at most maxPlaces
}

// Bout says whether a GPU lags at a moment while the others go on.
type Bout uint8

// Kinds of moments.
const (
	NoBout  Bout = iota
	Lagging      // the GPU lags
	Noted        // the GPU lags at a moment when lags are not judged: the Condition is no finding
)

// Differing is a GPU that differs, and the time since when it does. With NoNumber it stands for several GPUs of a node.
type Differing struct {
	Node   string
	Number int
	Key    string
	Since  time.Time
}

// Standing are GPUs that stopped together.
type Standing struct {
	GPUs, Nodes int
	Whole       bool      // they are all of the job's GPUs on these nodes
	Since       time.Time // zero: nobody has seen them work
}

// Difference is the way in which a GPU differs from the others.
type Difference uint8

// The ways in which GPUs differ.
const (
	Starved Difference = iota // it has less to do
	Slowed                    // it works at a lower clock
	Awaited                   // it works, and the others wait part of the time
	Alone                     // it works, and the others only wait
	Reads                     // its memory is busy for longer
	Less                      // it takes less power, or reads less memory, at the same utilization
)

// maxPlaces limits Comparison.Places.
const maxPlaces = 3

// NewPlaces returns the first of these peers, each with the time since when it differs.
func NewPlaces(peers []Peer, since func(Peer) time.Time) []Differing {
	slices.SortStableFunc(peers, func(a, b Peer) int { return since(a).Compare(since(b)) })
	var places []Differing
	for _, p := range peers[:min(len(peers), maxPlaces)] {
		places = append(places, Differing{Node: p.Node.Name, Number: p.Own.Number, Key: p.Own.Key, Since: since(p)})
	}
	return places
}

// SetFirst sets First and Places: the standing GPUs that stopped within some time of the first one.
func (c *Comparison) SetFirst(peers *Peers, stand []Peer, within time.Duration) {
	if len(stand) == 0 {
		return
	}
	c.First.Since = slices.MinFunc(stand, func(a, b Peer) int { return a.Worked.Compare(b.Worked) }).Worked
	on := map[string]bool{}
	for _, p := range stand {
		if p.Worked.Sub(c.First.Since) > within {
			continue
		}
		switch c.First.GPUs++; {
		case on[p.Node.Name]:
			if i := len(on) - 1; i < len(c.Places) { // they come node by node
				c.Places[i].Number, c.Places[i].Key = NoNumber, ""
			}
		case len(c.Places) < maxPlaces:
			c.Places = append(c.Places, Differing{Node: p.Node.Name, Number: p.Own.Number, Key: p.Own.Key,
				Since: c.First.Since})
		}
		on[p.Node.Name] = true
	}
	all := 0
	for _, p := range peers.GPUs {
		if on[p.Node.Name] {
			all++
		}
	}
	c.First.Nodes, c.First.Whole = len(on), c.First.GPUs == all
}

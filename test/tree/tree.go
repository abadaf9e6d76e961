// Package tree simulates aggregation on the way: some nodes read the reports of others, and pass on what the overview
// shows of each. nvnodetop does not do this; the simulation says what it would cost (docs/SCALE.md).
//
// The nodes of a tree are in a fixed order. A Gatherer is a node that reads the reports of others, as they are today.
// It makes a Summary of each node and packs them, once a tick. A Joint reads what Gatherers or other Joints have
// packed, and packs it again; at the root only Read is called.
//
// Nothing here may be used by two goroutines at a time.
package tree

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/dense"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Job is the ID of the job that is watched.
const Job = "7"

// columns are the numbers of some nodes, as both ends of a connection remember them.
type columns struct {
	kinds [fields]*dense.Kind
	slots [fields][]dense.Slot
	row   []int64
}

func newColumns(nodes int) columns {
	c := columns{row: make([]int64, nodes)}
	for f := range c.kinds {
		c.kinds[f], c.slots[f] = dense.NewKind(false), make([]dense.Slot, nodes)
	}
	return c
}

// packer packs the Summaries of the same nodes again and again.
type packer struct {
	columns
	to dense.Encoder
}

// pack returns a text, valid until the next call.
func (p *packer) pack(of []Summary) []byte {
	p.to.Begin()
	for f := range p.kinds {
		for i := range of {
			p.row[i] = of[i][f]
		}
		p.to.Put(p.kinds[f], p.slots[f], p.row)
	}
	return p.to.Text()
}

// unpacker undoes packer.
type unpacker struct {
	columns
	from dense.Decoder
}

func (u *unpacker) unpack(text []byte, of []Summary) error {
	u.from.Begin(text)
	for f := range u.kinds {
		u.from.Get(u.kinds[f], u.slots[f], u.row)
		for i := range of {
			of[i][f] = u.row[i]
		}
	}
	return u.from.End()
}

// Joint joins what several nodes pass on.
type Joint struct {
	below []unpacker
	all   []Summary
	up    packer
}

// NewJoint returns a Joint above nodes that each pass on so many Summaries.
func NewJoint(sizes []int) *Joint {
	j := &Joint{}
	sum := 0
	for _, n := range sizes {
		j.below = append(j.below, unpacker{columns: newColumns(n)})
		sum += n
	}
	j.all, j.up = make([]Summary, sum), packer{columns: newColumns(sum)}
	return j
}

// Read returns the Summaries of all nodes below, valid until the next call: a text of a tick from each, in the order of
// the sizes.
func (j *Joint) Read(texts [][]byte) ([]Summary, error) {
	at := 0
	for i, text := range texts {
		u := &j.below[i]
		if err := u.unpack(text, j.all[at:at+len(u.row)]); err != nil {
			return nil, fmt.Errorf("the text of node %d: %w", i, err)
		}
		at += len(u.row)
	}
	return j.all, nil
}

// Pass returns the text for the node above, valid until the next call.
func (j *Joint) Pass(texts [][]byte) ([]byte, error) {
	all, err := j.Read(texts)
	if err != nil {
		return nil, err
	}
	return j.up.pack(all), nil
}

// Gatherer reads the reports of nodes, and judges them by the rules of health.
type Gatherer struct {
	names []string
	store *cluster.Store
	all   []Summary
	up    packer
}

// NewGatherer returns a Gatherer for nodes of the Job, which has all their GPUs.
func NewGatherer(names []string, gpus int, interval time.Duration, at time.Time) *Gatherer {
	g := &Gatherer{names: names, store: cluster.NewStore(interval, health.Rules(health.Defaults())),
		all: make([]Summary, len(names))}
	g.up = packer{columns: newColumns(len(names))}
	g.store.Apply(discovery(names, gpus, at))
	return g
}

// discovery is what SLURM says of the Job.
func discovery(names []string, gpus int, at time.Time) cluster.Event {
	j := cluster.Job{ID: Job, Number: Job, Nodes: names, Minors: map[string][]int{}}
	for _, name := range names {
		for minor := range gpus {
			j.Minors[name] = append(j.Minors[name], minor)
		}
	}
	return cluster.Event{At: at, Discovery: &cluster.Discovery{Answered: at, Jobs: []cluster.Job{j}}}
}

// Apply applies what has happened to one of the nodes.
func (g *Gatherer) Apply(e cluster.Event) { g.store.Apply(e) }

// Take applies a message of the probe of a node.
func (g *Gatherer) Take(name string, m wire.Message, at time.Time) {
	g.Apply(cluster.Event{At: at, Node: name, Hello: m.Hello, Report: m.Report})
}

// Look returns the Summaries of the nodes, valid until the next call.
func (g *Gatherer) Look(at time.Time) []Summary {
	summarize(g.store.Snapshot(at), Job, g.names, g.all)
	return g.all
}

// Pass returns the text for the node above, valid until the next call.
func (g *Gatherer) Pass(at time.Time) []byte { return g.up.pack(g.Look(at)) }

// Levels returns the Joints above Gatherers that pass on so many Summaries, level by level up to the root, which stands
// alone. A Joint is the sizes of what it reads.
func Levels(sizes []int, fan int) (levels [][][]int) {
	for {
		var level [][]int
		var sums []int
		for part := range slices.Chunk(sizes, fan) {
			sum := 0
			for _, n := range part {
				sum += n
			}
			level, sums = append(level, part), append(sums, sum)
		}
		levels = append(levels, level)
		if len(level) == 1 {
			return levels
		}
		sizes = sums
	}
}

// Feed packs Summaries as a Gatherer does that has made them.
type Feed struct{ up packer }

// NewFeed returns a Feed of so many nodes.
func NewFeed(nodes int) *Feed { return &Feed{packer{columns: newColumns(nodes)}} }

// Pass returns the text for the node above, valid until the next call.
func (f *Feed) Pass(of []Summary) []byte { return f.up.pack(of) }

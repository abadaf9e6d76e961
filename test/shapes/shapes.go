// Package shapes judges the findings of nvnodetop about jobs. A shape is a job as it looks from outside, healthy or
// with a fault: the work of each of its GPUs at each moment, its processes, and SLURM's word. Play takes it through the
// Store and the rules in simulated time, and the tests count the found, late, missed and false findings.
//
// The shapes follow real jobs, not the rules. Rules are changed to suit them, never the other way round. The same seed
// always gives the same result.
package shapes

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Shape is one job, a row of a table.
type Shape struct {
	Name, About string
	Nodes, GPUs int           // GPUs of each node; 0: one node, 8 GPUs
	Beside      int           // GPUs of each node on which another user trains
	On          *Machine      // nil: an HGX H100
	Age         time.Duration // age of the job when the watch begins; 0: usualAge; new: it has just begun
	Length      time.Duration // length of the watch; 0: 2 hours, or 10 minutes more than the last Want may take
	Poll        time.Duration // between two reports of a node; 0: 3 s

	Does     Program
	Runs     Processes                             // nil: torchrun
	Unlisted bool                                  // nobody may list the processes
	Restarts times                                 // all processes are absent, and new after it
	Ends     func(gpu int) time.Duration           // end of the program on a GPU; nil: none
	Silent   func(at time.Duration, node int) bool // the node sends no reports
	Slurm    func(at time.Duration) slurmWord      // nil: the job runs all the time

	Want    []Want         // a faulty shape has some
	Allowed []cluster.Kind // true of the job as well: neither wanted nor false
	Wrong   []string       // words that would name a wrong cause
	NoNet   bool           // the traffic of the network is not visible
	NUMA    *sockets       // nil: the NUMA nodes are not known
	Host    hostUse        // nil: the cgroup of the job says nothing
	Steps   bool           // the log of the job counts steps
}

// slurmWord is the state of the job as SLURM reports it.
type slurmWord struct {
	start     time.Duration // (last) start; 0: before the watch began
	suspended bool
	queued    bool // it has no nodes
}

// over is the word of SLURM on a job that leaves its nodes at a time.
func over(when time.Duration) func(time.Duration) slurmWord {
	return func(at time.Duration) slurmWord { return slurmWord{queued: at >= when} }
}

// Want is a finding that must come. anywhere stands for any node or GPU.
type Want struct {
	Kinds     []cluster.Kind // one of them is enough
	Node, GPU int
	Onset     time.Duration
	Within    time.Duration // after Onset
	Least     cluster.Severity
	Heals     time.Duration // when it is over; 0: never
}

// says wants a warning of one of these kinds.
func says(kinds []cluster.Kind, node, gpu int, onset, within time.Duration) Want {
	return Want{Kinds: kinds, Node: node, GPU: gpu, Onset: onset, Within: within, Least: cluster.Warning}
}

// mildly accepts a note.
func (w Want) mildly() Want {
	w.Least = cluster.Note
	return w
}

// later wants the same some time later, until wants it to end in time.
func (w Want) later(by time.Duration) Want {
	w.Onset += by
	return w
}

func (w Want) until(over time.Duration) Want {
	w.Heals = over
	return w
}

// before wants the same since the watch began.
func (w Want) before() Want { return w.later(-onset) }

const (
	anywhere = -1
	usualAge = 5 * time.Hour
	brandNew = time.Nanosecond
)

// rig is a shape whose watch has begun.
type rig struct {
	*rand.Rand
	*Shape
	does does
	down []span // when the processes restart
}

func newRig(s *Shape, r *rand.Rand) *rig {
	g := &rig{Rand: r, Shape: s}
	if s.Restarts != nil {
		g.down = s.Restarts(g)
	}
	g.does = s.Does.begin(g)
	return g
}

// work returns what a GPU does.
func (r *rig) work(at time.Duration, gpu int) Work {
	if r.Ends != nil && at >= r.Ends(gpu) {
		return resting
	}
	return r.does(at, gpu)
}

// world is the number of GPUs of the job.
func (s *Shape) world() int { return s.Nodes * s.GPUs }

// Faulty reports whether a finding must come.
func (s *Shape) Faulty() bool { return len(s.Want) > 0 }

// All returns all shapes.
func All() []Shape {
	return filled(training, hosted, bindings, farBound, fed, underfed, awkward, independent, deceptive, phased, serving,
		slow, mild, hangs, others)
}

// filled returns the shapes of some tables, with what they leave to the usual.
func filled(tables ...[]Shape) []Shape {
	all := slices.Concat(tables...)
	for i := range all {
		s := &all[i]
		if s.Faulty() { // a low clock is true of many that are slow
			s.Allowed = append(slices.Clone(s.Allowed), cluster.KindLowClock)
		}
		s.Nodes, s.GPUs = max(s.Nodes, 1), orElse(s.GPUs, 8)
		s.Age, s.Poll = orElse(s.Age, usualAge), orElse(s.Poll, 3*time.Second)
		s.On = orElse(s.On, h100)
		if s.Runs == nil {
			s.Runs = torchrun
		}
		s.Length = orElse(s.Length, s.usualLength())
	}
	return all
}

func (s *Shape) usualLength() time.Duration {
	length := time.Duration(0)
	for _, w := range s.Want {
		length = max(length, w.Onset+w.Within+10*time.Minute)
	}
	return orElse(length, 2*time.Hour)
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

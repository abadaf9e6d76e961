// Package shapes judges what nvnodetop says of jobs. A shape is a job as it is seen from outside, healthy or with a
// fault: what each of its GPUs does at each moment, its processes, and SLURM's word. Play takes it through the Store
// and the rules in simulated time, and Judge counts what was found, late, missed and false.
//
// The shapes are made from what real jobs do, not from what the rules look at. Rules are changed to suit them, never
// the other way round. The same seed always gives the same result.
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
	Age         time.Duration // of the job when the watch begins; 0: usualAge; new: it just begins
	Length      time.Duration // of the watch; 0: 2 hours, or 10 minutes more than the last Want may take
	Poll        time.Duration // between two reports of a node; 0: 3 s
	Build       func(*rig) Job

	Want    []Want         // a faulty shape has some
	Allowed []cluster.Kind // true of the job as well: neither wanted nor false
}

// Job is what happens in a shape.
type Job struct {
	Does   Program
	Runs   Processes                                // nil: nobody lists them
	Silent func(at time.Duration, node int) bool    // the node sends no reports
	Slurm  func(at time.Duration) (state slurmWord) // nil: it runs all the time
}

// slurmWord is what SLURM says of the job.
type slurmWord struct {
	start     time.Duration // when it (last) started; 0: before the watch began
	suspended bool
	queued    bool // it has no nodes
}

// Want is a finding that must come. A node or a GPU of anywhere is any of them.
type Want struct {
	Kinds     []cluster.Kind // any of them will do
	Node, GPU int
	Onset     time.Duration
	Within    time.Duration // after Onset
	Least     cluster.Severity
	Heals     time.Duration // when it is over; 0: never
}

// says is a warning of one of these kinds that must come.
func says(kinds []cluster.Kind, node, gpu int, onset, within time.Duration) Want {
	return Want{Kinds: kinds, Node: node, GPU: gpu, Onset: onset, Within: within, Least: cluster.Warning}
}

// mildly says that a note will do.
func (w Want) mildly() Want {
	w.Least = cluster.Note
	return w
}

// later is the same some time later, until the same until it is over.
func (w Want) later(by time.Duration) Want {
	w.Onset += by
	return w
}

func (w Want) until(over time.Duration) Want {
	w.Heals = over
	return w
}

const (
	anywhere = -1
	usualAge = 5 * time.Hour
	brandNew = time.Nanosecond
)

// rig is what a row has to build its job.
type rig struct {
	*rand.Rand
	Shape
}

// world is the number of GPUs of the job.
func (s *Shape) world() int { return s.Nodes * s.GPUs }

// Faulty reports whether something must be found.
func (s *Shape) Faulty() bool { return len(s.Want) > 0 }

// All returns all shapes.
func All() []Shape {
	all := slices.Concat(training, awkward, independent, deceptive, phased, serving, slow, mild, hangs, others)
	for i := range all {
		s := &all[i]
		s.Nodes, s.GPUs = max(s.Nodes, 1), orElse(s.GPUs, 8)
		s.Age, s.Poll = orElse(s.Age, usualAge), orElse(s.Poll, 3*time.Second)
		if s.On == nil {
			s.On = h100
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

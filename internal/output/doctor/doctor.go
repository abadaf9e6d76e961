// Package doctor examines the ways from this host to the nodes: SLURM's tools, each transport stage by stage, and the
// findings of a probe.
//
// Collect gathers Facts, Judge turns them into a Report, and Text and JSON write the Report. Judge, Text and JSON are
// pure functions of their input. Collect reaches up to parallelNodes nodes at a time, through one transport after the
// other, and closes each session before it returns: only the cached copy of the probe stays on the nodes. Each step has
// a deadline, either its own or that of its Door. When its context ends, Collect soon returns the Facts gathered so
// far. Each function is called from one goroutine only.
//
// # Facts and verdicts
//
// nvnodetop doctor uses the same doors, but all of them, one after the other. doctor.Collect opens a session through
// each, waits for the first report and closes it. The result is Facts: steps, failures, Hellos, reports. doctor.Judge
// turns facts into verdicts and reads no clock. To find the door that nvnodetop would use, an auto.Opener goes through
// the recorded answers (doctor/choose.go): there is no second set of rules. If that door works, the failures of the
// other doors are warnings.
package doctor

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Facts are the findings in the words of other programs: not yet safe to display.
type Facts struct {
	At         time.Time
	Program    string // version of nvnodetop
	User, Host string
	Login      string        // login node on which SLURM was asked; empty: this host
	ClockLimit time.Duration // permitted difference between the clock of a node and ours
	Named      bool          // the user has named the nodes
	Slurm      Slurm
	Nodes      []Node
	Job        Asked
}

// Asked is the job about which the user asks, and what its ranks do.
type Asked struct {
	ID      string              // "": the user asks about no job
	Runs    bool                // SLURM lists it
	Stacks  *rankstacks.Verdict // nil: they are not known
	Failure error               // the reason why
	Took    time.Duration
}

// Slurm is the known state of SLURM.
type Slurm struct {
	Tools   []Tool
	Cluster string // empty: unknown

	Asked   bool // squeue was run to list the jobs
	Jobs    []cluster.Job
	Pending int
	Note    string // on what was asked; empty: nothing to say
	Took    time.Duration
	Failure *reach.Failure // failure to list the jobs
	None    bool           // no SLURM, or no configured one
}

// Tool is a program of SLURM.
type Tool struct {
	Name    string
	Version string // empty: unknown
	Missing bool   // not in PATH
	Idle    bool   // SLURM is not configured
	Took    time.Duration
	Failure *reach.Failure // the reason why it did not run; nil: it ran, or is missing
}

// Node is the known state of a node.
type Node struct {
	Name   string
	Ways   []Way
	Choice string         // the transport that nvnodetop would use; empty: none
	None   *reach.Failure // the reason why it would use none
}

// Way is an attempt to reach a node through one transport.
type Way struct {
	Door    string
	Here    bool   // it reaches this host only
	Unfit   string // the reason why it does not apply; empty: it was tried
	Stopped bool   // the user interrupted the examination

	Stages  []reach.Stage
	Steps   []reach.Step // the last step of each stage reached
	Failure *reach.Failure
	Took    time.Duration // of the whole attempt

	// Of the session.
	Hello    *wire.Hello // nil: there was none
	Noise    string      // output of the login shell before the probe's
	Report   *wire.Report
	Arrived  time.Time      // of Report
	Reported time.Duration  // from the request to the first report, or to Broken
	Broken   *reach.Failure // the reason why there is no Report
}

// hasReports reports whether the way has led to reports.
func (w *Way) hasReports() bool { return w.Report != nil }

// jobsOn returns the jobs on a node.
func (s *Slurm) jobsOn(node string) (on []cluster.Job) {
	for i := range s.Jobs {
		if slices.Contains(s.Jobs[i].Nodes, node) {
			on = append(on, s.Jobs[i])
		}
	}
	return on
}

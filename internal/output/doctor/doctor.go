// Package doctor examines the ways from this host to the nodes: SLURM's tools, each transport stage by stage, and the
// findings of a probe.
//
// Collect gathers Facts, Judge turns them into a Report, and Text and JSON write the Report. Judge, Text and JSON are
// pure functions of their input. Collect reaches up to parallelNodes nodes at a time, through one transport after the
// other, and closes each session before it returns: only the cached copy of the probe stays on the nodes. Each step has
// a deadline, either its own or that of its Door. When its context ends, Collect soon returns the Facts gathered so
// far. Each function is called from only one goroutine.
//
// # Facts and verdicts
//
// nvnodetop doctor uses the same doors as the screens, but all of them, one after the other. doctor.Collect opens a
// session through each, waits for the first report and closes it. The result is Facts: steps, failures, Hellos,
// reports. doctor.Judge turns facts into verdicts and reads no clock. To find the door that nvnodetop would use, an
// remote.Chooser goes through the recorded answers (doctor/choose.go), so there is no second set of rules. If that door
// works, the failures of the other doors are warnings.
package doctor

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Facts are the findings in the words of other programs. They are not yet safe to display.
type Facts struct {
	At         time.Time
	Program    string // version of nvnodetop
	User, Host string
	Login      string        // login node on which SLURM was asked; empty: this host
	ClockLimit time.Duration // permitted difference between a node's clock and ours
	Named      bool          // the user named the nodes
	Slurm      Slurm
	Nodes      []Node
	Job        AskedJob
}

// AskedJob is the job that the user asks about, and what its ranks are doing.
type AskedJob struct {
	ID      string              // "": the user asks about no job
	Runs    bool                // SLURM lists it
	Stacks  *rankstacks.Verdict // nil: they are not known
	Failure error               // why they are not known
	Took    time.Duration
}

// Slurm is the known state of SLURM.
type Slurm struct {
	Tools   []Tool
	Cluster string // empty: unknown

	Asked   bool // squeue was run to list the jobs
	Jobs    []cluster.Job
	Pending int
	Note    string // about what was asked; empty: nothing to say
	Took    time.Duration
	Failure *reach.Failure // why the jobs could not be listed
	None    bool           // no SLURM, or no configured one
}

// Tool is a program of SLURM.
type Tool struct {
	Name    string
	Version string // empty: unknown
	Missing bool   // not in PATH
	Idle    bool   // SLURM is not configured
	Took    time.Duration
	Failure *reach.Failure // why it did not run; nil: it ran, or is missing
}

// Node is the known state of a node.
type Node struct {
	Name   string
	Ways   []TransportTrial
	Choice string         // the transport that nvnodetop would use; empty: none
	None   *reach.Failure // why it would use none
}

// TransportTrial is an attempt to reach a node through one transport.
type TransportTrial struct {
	Door    string
	Here    bool   // it only reaches this host
	Unfit   string // why it does not apply; empty: it was tried
	Stopped bool   // the user interrupted the examination

	Stages  []reach.Stage
	Steps   []reach.Step // the last step of each stage reached
	Failure *reach.Failure
	Took    time.Duration // of the whole attempt

	// Of the session.
	Hello    *wire.Hello // nil: there was none
	Noise    string      // what the login shell wrote before the probe's output
	Report   *wire.Report
	Arrived  time.Time      // of Report
	Reported time.Duration  // time from the request to the first report, or to Broken
	Broken   *reach.Failure // why there is no Report
}

// jobsOn returns the jobs on a node.
func (s *Slurm) jobsOn(node string) (on []cluster.Job) {
	for i := range s.Jobs {
		if slices.Contains(s.Jobs[i].Nodes, node) {
			on = append(on, s.Jobs[i])
		}
	}
	return on
}

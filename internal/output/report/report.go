// Package report makes the report of one job: the work of its nodes, GPUs and ranks while it was watched, the problems,
// and advice for the next time; as text, JSON or Markdown. Its types are those of the public package of the same name.
//
// An Observer takes the Events of any Source and has a Store of its own. It uses nothing but the Events and their
// times, so the same Events give the same report, live and from a recording. Numbers are weighted by the time between
// two reports of a node, by the node's clock. Time in which a node was silent counts as not seen: it is in no mean, and
// the report mentions it. Unknown values are absent, never 0. Events after SLURM's end of the job do not count.
//
// An Observer may be used from any goroutine. A Report is a plain value, and its outputs are pure functions.
//
// # Events and not Snapshots
//
// An Observer of internal/output/report takes Events and not Snapshots, because the reports that a Snapshot has depend
// on when it is taken. Its own Store knows the GPUs and the problems of the job; the Observer takes Snapshots of it at
// the times of Events. Samples wait until SLURM says that the job was still running. When the job has ended, samples
// after its end are dropped. Times lose their monotonic clock, which a recording does not have.
package report

import "github.com/nvnodetop/nvnodetop/pkg/report"

// The types of a report.
type (
	Report    = report.Report
	Job       = report.Job
	Watched   = report.Watched
	Numbers   = report.Numbers
	Util      = report.Util
	Memory    = report.Memory
	Power     = report.Power
	Energy    = report.Energy
	Throttled = report.Throttled
	Place     = report.Place
	Hours     = report.Hours
	Total     = report.Total
	Node      = report.Node
	GPU       = report.GPU
	Rank      = report.Rank
	Finding   = report.Finding
	Note      = report.Note
)

// The constants of a report.
const (
	Version     = report.Version
	FromCounter = report.FromCounter
	FromSamples = report.FromSamples
	FromBoth    = report.FromBoth

	FromWatch     = report.FromWatch
	FromRecording = report.FromRecording
)

// Package sample is a report under construction: collectors add their values, and the faults of failed readings. It is
// for one goroutine, the sampler. It also has the clocks and tickers of the probe, which tests replace; a Beat is for
// one goroutine.
package sample

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Report is a report that is being built.
type Report struct {
	wire.Report
	At     Moment
	Wanted bool   // processes must be listed
	Gone   string // NVML's error message if the driver went away in this sample
}

// Begin empties the report. It reuses the memory for GPUs and faults, so that a report allocates nothing; nobody may
// use the old ones any longer.
func (s *Report) Begin(at Moment) {
	*s = Report{At: at, Report: wire.Report{
		MonoMS: at.Mono.Milliseconds(), WallMS: at.Wall.UnixMilli(), GPUs: s.GPUs[:0], Faults: s.Faults[:0],
	}}
}

// Fault records that a collector failed for the node, or for GPUs.
func (s *Report) Fault(collector string, err error, gpus ...int) {
	s.addFault(wire.Fault{Collector: collector, Error: err.Error(), GPUs: gpus})
}

// Merge adds the faults of one GPU.
func (s *Report) Merge(faults []wire.Fault, gpu int) {
	for _, f := range faults {
		f.GPUs = []int{gpu}
		s.addFault(f)
	}
}

// addFault adds a fault. GPUs with the same error share one.
func (s *Report) addFault(f wire.Fault) {
	said := func(o wire.Fault) bool {
		return o.Collector == f.Collector && o.Error == f.Error && o.Ceased == f.Ceased
	}
	if i := slices.IndexFunc(s.Faults, said); i >= 0 {
		s.Faults[i].GPUs = append(s.Faults[i].GPUs, f.GPUs...)
		return
	}
	s.Faults = append(s.Faults, f)
}

// Unlist removes the processes from the report.
func (s *Report) Unlist(why error) {
	s.Fault(wire.CollectorProcesses, why)
	s.Processes, s.Listed = nil, false
	for i := range s.GPUs {
		if g := &s.GPUs[i]; g.Lost == "" {
			g.Unlisted = why.Error()
		}
	}
}

// Unlisted returns the reason why the processes of a GPU are not listed; empty if nobody wanted them.
func (s *Report) Unlisted(why string) string {
	if !s.Wanted {
		return ""
	}
	return why
}

package probe

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// sample is a report that is being built.
type sample struct {
	wire.Report
	at     Moment
	wanted bool   // processes are listed
	gone   string // NVML's error message if the driver went away in this sample
}

// fault records that a collector failed for the node, or for GPUs.
func (s *sample) fault(collector string, err error, gpus ...int) {
	s.add(wire.Fault{Collector: collector, Error: err.Error(), GPUs: gpus})
}

// merge adds the faults of one GPU.
func (s *sample) merge(faults []wire.Fault, gpu int) {
	for _, f := range faults {
		f.GPUs = []int{gpu}
		s.add(f)
	}
}

// add adds a fault. GPUs with the same error share one.
func (s *sample) add(f wire.Fault) {
	said := func(o wire.Fault) bool { return o.Collector == f.Collector && o.Error == f.Error }
	if i := slices.IndexFunc(s.Faults, said); i >= 0 {
		s.Faults[i].GPUs = append(s.Faults[i].GPUs, f.GPUs...)
		return
	}
	s.Faults = append(s.Faults, f)
}

// unlist takes the processes out of the report again.
func (s *sample) unlist(why error) {
	s.fault("processes", why)
	s.Processes, s.Listed = nil, false
	for i := range s.GPUs {
		if g := &s.GPUs[i]; g.Lost == "" {
			g.Unlisted = why.Error()
		}
	}
}

// unlisted is why the processes of a GPU are not listed; empty if that was not tried.
func (s *sample) unlisted(why string) string {
	if !s.wanted {
		return ""
	}
	return why
}

package probe

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// slowEvery is how often numbers of pace metric.Slow are read.
const slowEvery = metric.SlowSeconds * time.Second

// gpu reads the numbers of one GPU.
type gpu struct {
	Slot
	partial bool // something that does not change could not be read

	// The last slow reading. It is repeated in the reports in between, so that each report says all that is known.
	read   bool          // there is one
	at     time.Duration // Moment.Mono
	slow   metric.Values
	faults []wire.Fault
}

// collectGPUs reads the numbers of every GPU. The driver is gone when all GPUs that had a handle say so.
func (s *sampler) collectGPUs(sm *sample) {
	var handles, gone int
	var last error
	sm.GPUs = make([]wire.GPU, 0, len(s.cards.gpus))
	for _, g := range s.cards.gpus {
		out, err := g.report(sm)
		if g.Device != nil {
			handles++
		}
		if err != nil {
			gone++
			last = err
		}
		sm.GPUs = append(sm.GPUs, out)
	}
	switch gone {
	case 0:
	case handles:
		sm.gone = last.Error()
	default:
		sm.fault("gpu", last)
	}
}

// report returns an error only when the driver itself is gone.
func (g *gpu) report(sm *sample) (wire.GPU, error) {
	out := wire.GPU{Index: g.Index, Lost: g.Lost}
	if g.Device == nil {
		return out, nil
	}
	err := g.readSlow(sm.at.Mono)
	if err == nil {
		out.Values = g.slow
		sm.addFaults(g.faults)
		err = g.readAll(metric.Fast, &out.Values, sm.fault)
	}
	switch {
	case err == nil:
		return out, nil
	case KindOf(err) == Lost:
		g.read = false
		return wire.GPU{Index: g.Index, Lost: err.Error()}, nil
	}
	return out, err
}

// readSlow reads the slow numbers anew when they are old.
func (g *gpu) readSlow(now time.Duration) error {
	if g.read && now-g.at < slowEvery {
		return nil
	}
	var s sample
	g.slow = metric.Values{}
	err := g.readAll(metric.Slow, &g.slow, s.fault)
	g.read, g.at, g.faults = err == nil && len(s.Faults) == 0, now, s.Faults
	return err
}

// readAll reads the numbers of one pace. It returns an error when the GPU is lost or the driver is gone; that a number cannot be read
// is a fault.
func (g *gpu) readAll(pace metric.Pace, to *metric.Values, fault func(string, error)) error {
	for i := range g.Readers {
		r := &g.Readers[i]
		if r.row().Pace != pace {
			continue
		}
		err := r.Read(to)
		if err == nil {
			continue
		}
		switch KindOf(err) {
		case Absent:
		case Lost, Gone:
			return err
		default:
			fault(r.row().Label, err)
		}
	}
	return nil
}

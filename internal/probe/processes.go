package probe

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// utilizationWindow is how far back the first listing looks for samples of utilisation, and every listing at least: the driver takes
// one a second or more often, and only of processes that did something.
const utilizationWindow = 2 * time.Second

// collectProcesses lists processes when they are asked for. They count as listed when at least one GPU could be asked.
func (s *sampler) collectProcesses(sm *sample) {
	if s.pace == nil || !s.pace.Processes || sm.gone != "" {
		return
	}
	since := sm.at.Wall.Add(-utilizationWindow)
	if !s.listed.IsZero() && s.listed.Before(since) {
		since = s.listed
	}
	s.listed = sm.at.Wall
	s.procs.begin(sm.at)
	left := 0
	for _, g := range s.cards.gpus {
		if g.Device == nil {
			continue
		}
		contexts, err := g.Device.Processes()
		if err != nil {
			sm.processFault(err)
			if len(contexts) == 0 {
				continue
			}
		}
		sm.Listed = true
		usage := newestUsage(g.Device, uint64(max(since.UnixMicro(), 0)), len(contexts) > 0, sm)
		for _, c := range mergeContexts(contexts) {
			if len(sm.Processes) == wire.MaxProcesses {
				left++
				continue
			}
			p := s.procs.describe(c.PID)
			p.GPU, p.Type, p.GPUMemory = g.Index, string(c.Type), c.Memory
			if u, ok := usage[p.PID]; ok {
				p.SMPercent, p.MemPercent = &u.SM, &u.Memory
			}
			sm.Processes = append(sm.Processes, p)
		}
	}
	s.procs.end()
	if left > 0 {
		sm.fault("processes", fmt.Errorf("%d processes more than the %d of one report: left out", left, wire.MaxProcesses))
	}
}

// processFault notes an error of a process call. That a GPU is lost the GPU itself says.
func (s *sample) processFault(err error) {
	if KindOf(err) == Other {
		s.fault("processes", err)
	}
}

// newestUsage reads what each process used last; a process that the driver has no sample of is absent.
func newestUsage(d Device, since uint64, wanted bool, sm *sample) map[int]Usage {
	if !wanted {
		return nil
	}
	samples, err := d.ProcessUtilization(since)
	if err != nil {
		sm.processFault(err)
		return nil
	}
	newest := make(map[int]Usage, len(samples))
	for _, u := range samples {
		// Drivers have been seen to fill the rest of the buffer with samples of the past, or with nonsense.
		if u.AtMicros <= since || u.SM > 100 || u.Memory > 100 {
			continue
		}
		if old, seen := newest[u.PID]; !seen || u.AtMicros >= old.AtMicros {
			newest[u.PID] = u
		}
	}
	return newest
}

// mergeContexts makes one of all contexts of a process on one GPU, in the order of NVML's lists.
func mergeContexts(contexts []Context) []Context {
	var merged []Context
	at := map[int]int{}            // by PID, in merged
	memory := map[Context]uint64{} // of a process in one list
	for _, c := range contexts {
		i, seen := at[c.PID]
		if !seen {
			i = len(merged)
			at[c.PID] = i
			merged = append(merged, Context{PID: c.PID, Type: c.Type})
		}
		m := &merged[i]
		m.Type = mergeType(m.Type, c.Type)
		if c.Memory == nil {
			continue
		}
		// Twice in one list are two MIG instances, each with memory of its own; in two lists it is the same memory again.
		inList := Context{PID: c.PID, Type: c.Type}
		memory[inList] += *c.Memory
		sum := memory[inList]
		if m.Memory == nil || *m.Memory < sum {
			m.Memory = &sum
		}
	}
	return merged
}

// mergeType is the type of a process that has contexts of both types. A client of MPS stands in the compute list as well.
func mergeType(old, more ContextType) ContextType {
	switch {
	case old == more:
		return old
	case old == MPS || more == MPS:
		return MPS
	}
	return ComputeGraphics
}

package gpus

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// utilizationWindow is how far a listing looks back for utilization samples, at least. The driver takes a sample once
// per second or more often, and only of processes that did something.
const utilizationWindow = 2 * time.Second

// utilizationLimit is the maximum age of a utilization sample. An older sample says nothing about what a process does
// now.
const utilizationLimit = 10 * time.Second

// listing is the driver's list of the processes on a GPU.
type listing struct {
	listed   bool
	unlisted string           // the reason why processes are not listed
	contexts []driver.Context // one per process
	usage    map[int]driver.Usage
}

// Listings returns the driver's lists of the processes on the GPUs of this report. They are valid until the next
// report, and complete if no GPU was silent.
func (s *Set) Listings(sm *sample.Report) (on []driver.Listing, complete bool) {
	on, complete = s.listings[:0], true
	for i, g := range s.cards.gpus {
		complete = complete && sm.GPUs[i].Unlisted != Silent
		if g.Device == nil || sm.GPUs[i].Lost != "" || sm.GPUs[i].Unlisted != "" || !g.last.listed {
			continue
		}
		on = append(on, driver.Listing{GPU: g.Index, Contexts: g.last.contexts, Usage: g.last.usage})
	}
	s.listings = on
	return on, complete
}

// listProcesses reads the processes on the GPU.
func (g *gpu) listProcesses(now time.Time) {
	r := &g.back
	g.call.Store(callProcesses)
	contexts, err := g.ownContexts()
	if err != nil {
		r.processFault(err)
	}
	if contexts == nil && err != nil {
		r.unlisted = err.Error()
		return
	}
	r.listed, r.contexts = true, mergeContexts(contexts)
	since := now.Add(-utilizationWindow)
	if !g.listed.IsZero() && g.listed.Before(since) {
		since = g.listed
	}
	if limit := now.Add(-utilizationLimit); since.Before(limit) {
		since = limit
	}
	g.listed = now
	if len(contexts) > 0 {
		g.call.Store(callUsage)
		r.usage = newestUsage(g.Device, since, now, r)
	}
}

// ownContexts lists the contexts on the GPU, except those on instances that are listed themselves.
func (g *gpu) ownContexts() ([]driver.Context, error) {
	contexts, err := g.Device.Processes()
	hides := g.hides.Load()
	if hides == nil {
		return contexts, err
	}
	// the same as for a user who may not list the contexts of all instances
	if kind := driver.KindOf(err); contexts == nil && (kind == driver.Absent || kind == driver.Denied) {
		return nil, nil
	}
	return slices.DeleteFunc(contexts, func(c driver.Context) bool {
		return c.In != nil &&
			slices.Contains(*hides, *c.In)
	}), err
}

// processFault records the error of a process call. It leaves out the loss of the GPU, which its entry reports.
func (r *gpuAnswer) processFault(err error) {
	if driver.KindOf(err) == driver.Other {
		r.recordFault(wire.CollectorProcesses, err)
	}
}

// newestUsage reads the newest sample of each process. Processes without a sample are absent.
func newestUsage(d driver.Device, since, now time.Time, r *gpuAnswer) map[int]driver.Usage {
	first, last := uint64(max(since.UnixMicro(), 0)), uint64(max(now.Add(utilizationWindow).UnixMicro(), 0))
	samples, err := d.ProcessUtilization(first)
	if err != nil {
		r.processFault(err)
		return nil
	}
	newest := make(map[int]driver.Usage, len(samples))
	for _, u := range samples {
		// Drivers have been seen to fill the unused part of the buffer with old samples or garbage.
		if u.AtMicros <= first || u.AtMicros > last || !mayBeShares(&u.Process) {
			continue
		}
		if old, seen := newest[u.PID]; !seen || u.AtMicros >= old.AtMicros {
			newest[u.PID] = u
		}
	}
	return newest
}

// numbers are those that a sample may have.
var numbers = wire.Numbers()

// mayBeShares reports whether the numbers of a sample can be shares of time.
func mayBeShares(p *wire.Process) bool {
	for i := range numbers {
		if v, known := numbers[i].Number(p); known && v > 100 {
			return false
		}
	}
	return true
}

// mergeContexts merges all contexts of a process on one GPU, in the order of NVML's lists. Invalid PIDs are left out.
func mergeContexts(contexts []driver.Context) []driver.Context {
	var merged []driver.Context
	at := map[int]int{}                   // index in merged, by PID
	memory := map[driver.Context]uint64{} // of a context in one list
	for _, c := range contexts {
		if c.PID < 1 || c.PID > wire.MaxPID {
			continue
		}
		i, seen := at[c.PID]
		if !seen {
			i = len(merged)
			at[c.PID] = i
			merged = append(merged, driver.Context{PID: c.PID, Type: c.Type})
		}
		m := &merged[i]
		m.Type = mergeType(m.Type, c.Type)
		if c.Memory == nil {
			continue
		}
		// Two entries in one list are two MIG instances with separate memory. Entries in two lists are the same memory.
		inList := driver.Context{PID: c.PID, Type: c.Type}
		memory[inList] += *c.Memory
		sum := memory[inList]
		if m.Memory == nil || *m.Memory < sum {
			m.Memory = &sum
		}
	}
	return merged
}

// mergeType returns the type of a process that has contexts of both types. A client of MPS is in the compute list too.
func mergeType(old, more driver.ContextType) driver.ContextType {
	switch {
	case old == more:
		return old
	case old == driver.MPS || more == driver.MPS:
		return driver.MPS
	}
	return driver.ComputeGraphics
}

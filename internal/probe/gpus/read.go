package gpus

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// LongestWait is the longest time that a report waits for all its GPUs, even if the interval is longer.
const LongestWait = 5 * time.Second

// Read reads all GPUs for a report, whose list grows once, to have room for all of them. The driver counts as gone when
// every GPU that has a handle returns that error.
func (s *Set) Read(sm *sample.Report) {
	if s.newcomers.checkKernel(s.Proc, sm.At.Mono) {
		s.retryLater()
	}
	if !s.reopening {
		s.readGPUs(s.cards.gpus, readingRequest{at: sm.At, processes: sm.Wanted}, LongestWait)
	}
	handles := 0
	var gone []*gpu
	sm.GPUs = slices.Grow(sm.GPUs, len(s.cards.gpus))
	for _, g := range s.cards.gpus {
		out, again := g.makeEntry(sm, s.pool, s.Interval)
		if sm.GPUs = append(sm.GPUs, out); again {
			s.retryLater()
		}
		if g.Device != nil {
			handles++
		}
		if err := g.last.err; g.isNew && err != nil && driver.KindOf(err) == driver.Gone {
			gone = append(gone, g)
		}
	}
	if len(gone) > 0 && len(gone) == handles && s.pool.isIdle() {
		sm.Gone = gone[0].last.err.Error()
		return
	}
	for _, g := range gone {
		sm.Fault("gpu", g.last.err, g.Index)
	}
}

// ReadCalls adds the number of driver calls since the previous report, all GPUs together, if the library counts them.
func (s *Set) ReadCalls(sm *sample.Report) {
	meter, counts := s.Library.(driver.Meter)
	if !counts || !s.cards.up {
		return
	}
	now := meter.Calls()
	sm.Host.Set(metric.NVMLCalls, float64(now-s.counted))
	s.counted = now
}

// readGPUs begins readings of GPUs, and waits for all of them, but at most half an interval and longest. A slower
// reading continues for a later report, which does not wait for it. If GPUs still take long after half of this time,
// the remaining GPUs are read all at once, so that they have the other half.
func (s *Set) readGPUs(gpus []*gpu, q readingRequest, longest time.Duration) {
	defer s.pool.collectReadings(gpus)
	shift, r := s.pool.startRound(gpus, q)
	s.pool.awaitRound(shift, r, s.Patience, min(s.Interval/2, longest), s.ended)
}

// readNewGPUs reads the GPUs that were never read completely, so that the Hello can list the metrics that they lack. It
// does not wait long: the metrics of a slow GPU are listed later.
func (s *Set) readNewGPUs() {
	unknown := slices.DeleteFunc(slices.Clone(s.cards.gpus), func(g *gpu) bool { return g.lacks != nil })
	if len(unknown) > 0 {
		s.readGPUs(unknown, readingRequest{at: s.Now()}, patience)
	}
	s.cards.writeAbsent()
}

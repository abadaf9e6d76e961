package probe

import (
	"sync"
	"time"
)

// patience is how long the sampler waits for one GPU before it continues without it.
const patience = 250 * time.Millisecond

// crew reads GPUs on its own goroutines, since a call into the driver may never return. As long as the driver responds there is one call
// at a time: one shift reads all GPUs in turn. A shift that hangs at a GPU is left behind, and a new one reads the other GPUs. A GPU has
// at most one reading at a time, so there are at most as many shifts as GPUs.
type crew struct {
	hands chan *shift // read by goroutines that wait for work; closed at the end

	mu  sync.Mutex // protects the following, and the fields of gpu and shift that say so
	out int        // readings that are running or planned
}

// shift is a list of GPUs that one goroutine reads one after the other.
type shift struct {
	question
	left []*gpu        // protected by crew.mu
	at   *gpu          // the GPU that is being read; likewise
	done chan struct{} // closed when none is left
}

func newShift(q question, gpus ...*gpu) *shift {
	return &shift{question: q, left: gpus, done: make(chan struct{})}
}

// begin collects late readings and starts new ones. It returns the shift to wait for. GPUs whose last reading took long are read by
// shifts of their own, and nothing waits for those.
func (c *crew) begin(gpus []*gpu, q question) *shift {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	main := newShift(q, make([]*gpu, 0, len(gpus))...)
	for _, g := range gpus {
		g.isNew = false
		g.collect()
		if g.Device == nil || g.out {
			continue
		}
		g.out, g.begun = true, now
		c.out++
		if g.last.took > patience {
			c.start(newShift(q, g))
		} else {
			main.left = append(main.left, g)
		}
	}
	c.start(main)
	return main
}

// start hands a shift to a goroutine that waits for work, or to a new one. Keeping them saves growing a stack for each report.
func (c *crew) start(s *shift) {
	select {
	case c.hands <- s:
	default:
		go c.work(s)
	}
}

func (c *crew) work(s *shift) {
	for more := true; more; s, more = <-c.hands {
		c.readAll(s)
	}
}

func (c *crew) readAll(s *shift) {
	defer close(s.done)
	began := time.Now()
	for g := c.next(s, began); g != nil; g = c.next(s, began) {
		g.read(s.question)
		ended := time.Now()
		g.back.ended, g.back.took = ended, ended.Sub(began)
		c.deliver(g)
		began = ended
	}
}

func (c *crew) next(s *shift, now time.Time) *gpu {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.at = nil
	if len(s.left) == 0 {
		return nil
	}
	s.at, s.left = s.left[0], s.left[1:]
	s.at.begun = now
	return s.at
}

func (c *crew) deliver(g *gpu) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g.out, g.fresh = false, true
	c.out--
}

// relieve checks a shift that takes long. It returns the shift to wait for: the same one, or a new one for the remaining GPUs if this one
// hangs. With split, the remaining GPUs are read all at once, and nothing waits for them.
func (c *crew) relieve(s *shift, split bool) *shift {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := s.left
	switch {
	case split:
		s.left = nil
		for _, g := range left {
			c.start(newShift(s.question, g))
		}
		return nil
	case s.at == nil || time.Since(s.at.begun) < patience:
		return s
	}
	s.left = nil
	next := newShift(s.question, left...)
	c.start(next)
	return next
}

// collect adopts the readings that have ended.
func (c *crew) collect(gpus []*gpu) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range gpus {
		g.collect()
	}
}

// collect adopts a reading that has ended. Only the sampler calls it, with the crew's lock.
func (g *gpu) collect() {
	if g.fresh {
		g.last, g.back = g.back, g.last
		g.fresh, g.isNew = false, true
	}
}

// pending reports whether a reading of the GPU is running, and since when.
func (c *crew) pending(g *gpu) (since time.Time, out bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return g.begun, g.out
}

// idle reports whether no reading is running.
func (c *crew) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out == 0
}

// readGPUs reads the GPUs. It waits at most patience for each and half an interval for all. A reading that takes longer continues, for a
// later report.
func (s *sampler) readGPUs(q question) {
	gpus := s.cards.gpus
	defer s.crew.collect(gpus)
	limit := s.interval() / 2
	deadline := time.Now().Add(limit)
	shift := s.crew.begin(gpus, q)
	s.patience.Reset(min(patience, limit))
	defer s.patience.Stop()
	for shift != nil {
		select {
		case <-shift.done:
			return
		case <-s.ended:
			return
		case <-s.patience.C:
			shift = s.crew.relieve(shift, !time.Now().Before(deadline))
		}
	}
}

// interval is the time between two reports.
func (s *sampler) interval() time.Duration {
	if s.pace == nil {
		return minInterval * time.Millisecond
	}
	return time.Duration(s.pace.IntervalMS) * time.Millisecond
}

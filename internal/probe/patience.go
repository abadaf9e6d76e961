package probe

import (
	"sync"
	"time"
)

// patience is how long the sampler waits for one GPU before it goes on without it.
const patience = 250 * time.Millisecond

// crew reads GPUs in goroutines of its own, since a call into the driver may never return. A driver that answers is asked one thing at a time:
// one shift reads all GPUs in turn. A shift that is stuck at a GPU is left alone with it, and a new one goes on with the others. So there
// are at most as many goroutines as GPUs, and a GPU has at most one reading under way.
type crew struct {
	hands chan *shift // to a goroutine that waits for work; closed at the end

	mu  sync.Mutex // protects the following, and in every gpu what is marked so
	out int        // readings that are under way or planned
}

// shift is what one goroutine reads, one GPU after the other.
type shift struct {
	question
	left []*gpu        // protected by crew.mu
	at   *gpu          // the one that it reads now; likewise
	done chan struct{} // closed when none is left
}

func newShift(q question, gpus ...*gpu) *shift {
	return &shift{question: q, left: gpus, done: make(chan struct{})}
}

// begin collects what was late, and starts to read the GPUs that have no reading under way. Those that took long the last time are read
// beside the others, and nobody waits for them.
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

// start sends a goroutine to work: one that waits, or a new one. That they are kept spares each report the growth of a stack.
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

// relieve looks at a shift that takes long. It returns the one to wait for: the same one, or a new one that goes on where the old one is stuck.
// With split, what is left is read all at once, and there is none to wait for.
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

// collect takes over the readings that have ended.
func (c *crew) collect(gpus []*gpu) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range gpus {
		g.collect()
	}
}

// collect takes over a reading that has ended. The caller holds the crew's lock, and is the sampler.
func (g *gpu) collect() {
	if g.fresh {
		g.last, g.back = g.back, g.last
		g.fresh, g.isNew = false, true
	}
}

// pending says since when a reading of the GPU has been under way.
func (c *crew) pending(g *gpu) (since time.Time, out bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return g.begun, g.out
}

// idle says that no call into the driver is under way.
func (c *crew) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out == 0
}

// readGPUs reads the GPUs, and waits for those that answer: for each at most patience, for all at most half an interval. A GPU that has
// not answered by then is read on: a later report has it.
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

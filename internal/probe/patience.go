package probe

import (
	"sync"
	"time"
)

// patience is how long one GPU may take before the others are read beside it.
const patience = 250 * time.Millisecond

// longestWait is how long a report waits for all its GPUs at most, however long the interval is.
const longestWait = 5 * time.Second

// crew reads GPUs on its own goroutines, since a call into the driver may never return. As long as each GPU takes less than patience, the
// crew makes one call at a time: one shift reads all GPUs in turn. A shift that takes longer at a GPU is left behind, and a new one reads
// the other GPUs beside it. A GPU has at most one reading at a time, so there are at most as many shifts as GPUs.
type crew struct {
	hands chan *shift // read by goroutines that wait for work; closed at the end

	mu    sync.Mutex    // protects the following, and the fields of gpu and shift that say so
	out   int           // readings that are running or planned
	round uint64        // counts the reports; only the sampler changes it
	open  int           // readings of this round that are running or planned
	done  chan struct{} // closed when none of this round is
}

// shift is a list of GPUs that one goroutine reads one after the other.
type shift struct {
	question
	left []*gpu // protected by crew.mu
	at   *gpu   // the GPU that is being read; likewise
}

func newShift(q question, gpus ...*gpu) *shift { return &shift{question: q, left: gpus} }

// begin begins a round: it collects late readings and starts new ones. It returns the shift that reads the GPUs in turn, and what is closed
// when all readings of the round have ended. GPUs whose last reading took long are read by shifts of their own.
func (c *crew) begin(gpus []*gpu, q question) (main *shift, done <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.round, c.open, c.done = c.round+1, 0, make(chan struct{})
	main = newShift(q, make([]*gpu, 0, len(gpus))...)
	for _, g := range gpus {
		g.isNew = false
		g.collect()
		if g.Device == nil || g.out {
			continue
		}
		g.out, g.begun, g.round = true, time.Time{}, c.round
		c.out, c.open = c.out+1, c.open+1
		if g.last.took > patience {
			c.start(newShift(q, g))
		} else {
			main.left = append(main.left, g)
		}
	}
	if c.open == 0 {
		close(c.done)
	}
	if len(main.left) > 0 {
		c.start(main)
	}
	return main, c.done
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
	g.out, g.fresh, g.back.round = false, true, g.round
	c.out--
	if g.round != c.round {
		return
	}
	if c.open--; c.open == 0 {
		close(c.done)
	}
}

// relieve leaves a shift behind that takes long at a GPU. It returns the shift that reads the remaining GPUs: the same one, or a new one.
// With split, those are read all at once.
func (c *crew) relieve(s *shift, split bool) *shift {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.at == nil || len(s.left) == 0 || time.Since(s.at.begun) < patience {
		return s
	}
	if split {
		c.startEach(s)
		return s
	}
	next := newShift(s.question, s.left...)
	s.left = nil
	c.start(next)
	return next
}

// split reads the remaining GPUs of a shift all at once.
func (c *crew) split(s *shift) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startEach(s)
}

func (c *crew) startEach(s *shift) {
	for _, g := range s.left {
		c.start(newShift(s.question, g))
	}
	s.left = nil
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
		if g.last.lacks != nil {
			g.lacks = g.last.lacks
		}
		g.fresh, g.isNew = false, true
	}
}

// pending reports whether a reading of the GPU is running, and since when. One that waits for that of another GPU is not.
func (c *crew) pending(g *gpu) (since time.Time, running bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return g.begun, g.out && !g.begun.IsZero()
}

// busy returns those of the GPUs of which a reading is running or planned.
func (c *crew) busy(gpus []*gpu) (busy []*gpu) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range gpus {
		if g.out {
			busy = append(busy, g)
		}
	}
	return busy
}

// idle reports whether no reading is running.
func (c *crew) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out == 0
}

// readGPUs reads GPUs. It waits for all readings that it begins, but at most half an interval and longest. A reading that takes
// longer continues, for a later report, which does not wait for it. If GPUs still take long after half of this time, the remaining ones
// are read all at once, so that they have the other half.
func (s *sampler) readGPUs(gpus []*gpu, q question, longest time.Duration) {
	defer s.crew.collect(gpus)
	limit := min(s.interval()/2, longest)
	began := time.Now()
	shift, done := s.crew.begin(gpus, q)
	s.patience.Reset(min(patience, limit))
	defer s.patience.Stop()
	for {
		select {
		case <-done:
			return
		case <-s.ended:
			return
		case <-s.patience.C:
			took := time.Since(began)
			if took >= limit {
				s.crew.split(shift)
				return
			}
			shift = s.crew.relieve(shift, took >= limit/2)
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

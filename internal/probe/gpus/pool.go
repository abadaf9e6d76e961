package gpus

import (
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
)

// patience is how long one GPU may take before the other GPUs are read beside it.
const patience = 250 * time.Millisecond

// pool reads GPUs on its own goroutines, for reports and for the inventory, since a driver call may never return. As
// long as each GPU takes less than patience, the pool makes one call at a time: one shift reads all GPUs in turn. A
// shift that takes longer for a GPU is left behind, and a new shift reads the other GPUs beside it. A GPU has at most
// one reading at a time, so there are at most as many shifts as GPUs.
type pool struct {
	hands chan *gpuQueue // read by goroutines that wait for work; closed at the end
	cards chan struct{}  // a card has been read

	mu     sync.Mutex // protects the following, and the fields of gpu, shift and round that say so
	out    int        // number of readings that are running or planned
	closed bool       // the channel hands is closed
	rounds uint64     // number of rounds begun

	// Of the last report; only the sampler changes them.
	report *round
	main   *gpuQueue
}

func newPool() *pool {
	return &pool{hands: make(chan *gpuQueue), cards: make(chan struct{}, 1), report: newRound(),
		main: &gpuQueue{ended: true}}
}

// round is a set of readings that share one waiter.
type round struct {
	number uint64        // no other round has this number
	open   int           // number of readings that are running or planned; protected by pool.mu
	done   chan struct{} // gets one element when open falls to 0
}

func newRound() *round { return &round{done: make(chan struct{}, 1)} }

// gpuQueue is a list of GPUs that one goroutine reads one after the other.
type gpuQueue struct {
	readingRequest
	left  []*gpu // protected by pool.mu
	at    *gpu   // the GPU that it reads now; likewise
	ended bool   // the goroutine has let go of the shift; likewise
	room  []*gpu // memory for left; nil while another shift uses a part of it; likewise
}

func newShift(q readingRequest, gpus ...*gpu) *gpuQueue {
	return &gpuQueue{readingRequest: q, left: gpus}
}

// startRound starts the round of a report: it collects late readings and starts new ones. It returns the shift that
// reads the GPUs in turn. GPUs whose last reading took long are read by shifts of their own.
func (c *pool) startRound(gpus []*gpu, q readingRequest) (main *gpuQueue, r *round) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range gpus {
		g.isNew = false
		g.collectReading()
	}
	c.report, c.main = c.nextRound(), c.nextShift(q)
	c.planRound(gpus, c.main, c.report)
	return c.main, c.report
}

// nextRound returns the round of the next report: it reuses the last round if all of its readings have ended. The
// caller holds the lock.
func (c *pool) nextRound() *round {
	r := c.report
	if r.open > 0 {
		return newRound()
	}
	select {
	case <-r.done: // the round before ended with nobody waiting
	default:
	}
	return r
}

// nextShift returns the main shift of the next report: it reuses the last shift if its goroutine has let go of it. The
// caller holds the lock.
func (c *pool) nextShift(q readingRequest) *gpuQueue {
	s := c.main
	if !s.ended {
		return newShift(q)
	}
	*s = gpuQueue{readingRequest: q, left: s.room}
	return s
}

// beginCards begins a round that reads the cards of GPUs.
func (c *pool) beginCards(gpus []*gpu) (main *gpuQueue, r *round) {
	c.mu.Lock()
	defer c.mu.Unlock()
	main, r = newShift(readingRequest{card: true}), newRound()
	c.planRound(gpus, main, r)
	return main, r
}

// planRound makes the readings of GPUs part of a round, and starts the shift that reads them in turn. The caller holds
// the lock.
func (c *pool) planRound(gpus []*gpu, main *gpuQueue, r *round) {
	c.rounds++
	r.number = c.rounds
	for _, g := range gpus {
		if g.Device == nil || g.out {
			continue
		}
		g.out, g.begun, g.round = true, time.Time{}, r
		c.out, r.open = c.out+1, r.open+1
		if g.last.took > patience {
			c.startShift(newShift(main.readingRequest, g))
		} else {
			main.left = append(main.left, g)
		}
	}
	if r.open == 0 {
		r.done <- struct{}{}
	}
	if main.room = main.left[:0]; len(main.left) > 0 {
		c.startShift(main)
	} else {
		main.ended = true
	}
}

// startShift hands a shift to a goroutine that waits for work, or to a new one. Keeping goroutines saves growing a
// stack for each report.
func (c *pool) startShift(s *gpuQueue) {
	if c.closed { // while the inventory is being taken
		go c.runShifts(s)
		return
	}
	select {
	case c.hands <- s:
	default:
		go c.runShifts(s)
	}
}

func (c *pool) runShifts(s *gpuQueue) {
	for more := true; more; s, more = <-c.hands {
		c.readAll(s)
	}
}

func (c *pool) readAll(s *gpuQueue) {
	began := time.Now()
	for g := c.nextGPU(s, began); g != nil; g = c.nextGPU(s, began) {
		if s.card {
			c.readCard(g)
			began = time.Now()
			c.deliverCard(g)
			continue
		}
		g.readReport(s.readingRequest)
		ended := time.Now()
		g.back.ended, g.back.took = ended, ended.Sub(began)
		c.deliverReading(g)
		began = ended
	}
}

// stopWorkers tells the goroutines that wait for work to end.
func (c *pool) stopWorkers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	close(c.hands)
}

func (c *pool) nextGPU(s *gpuQueue, now time.Time) *gpu {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.at = nil
	if len(s.left) == 0 {
		s.ended = true
		return nil
	}
	s.at, s.left = s.left[0], s.left[1:]
	s.at.begun = now
	return s.at
}

func (c *pool) deliverReading(g *gpu) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g.fresh, g.back.round = true, g.round.number
	c.endReading(g)
}

func (c *pool) deliverCard(g *gpu) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g.found.ended = true
	c.endReading(g)
	select {
	case c.cards <- struct{}{}:
	default:
	}
}

func (c *pool) endReading(g *gpu) {
	g.out = false
	c.out--
	if g.round.open--; g.round.open == 0 {
		g.round.done <- struct{}{}
	}
}

// relieveShift leaves behind a shift that takes long to read a GPU. It returns the shift that reads the remaining GPUs:
// the same shift, or a new one. With split, the remaining GPUs are read all at once.
func (c *pool) relieveShift(s *gpuQueue, split bool) *gpuQueue {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.at == nil || len(s.left) == 0 || time.Since(s.at.begun) < patience {
		return s
	}
	if split {
		c.startEach(s)
		return s
	}
	next := newShift(s.readingRequest, s.left...)
	s.left, s.room = nil, nil
	c.startShift(next)
	return next
}

// splitShift reads the remaining GPUs of a shift all at once.
func (c *pool) splitShift(s *gpuQueue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startEach(s)
}

func (c *pool) startEach(s *gpuQueue) {
	for _, g := range s.left {
		c.startShift(newShift(s.readingRequest, g))
	}
	s.left = nil
}

// collectReadings adopts the readings that have ended.
func (c *pool) collectReadings(gpus []*gpu) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range gpus {
		g.collectReading()
	}
}

// collectReading adopts a reading that has ended. Only the sampler calls it, with the pool's lock.
func (g *gpu) collectReading() {
	if g.fresh {
		g.last, g.back = g.back, g.last
		if g.last.lacks != nil {
			g.lacks, g.stated = g.last.lacks, false
			g.denied = g.lacks.deniedMetrics()
		}
		g.fresh, g.isNew = false, true
	}
}

// runningSince reports whether a reading of the GPU is running, and since when. A reading that waits for another GPU's
// reading is not running.
func (c *pool) runningSince(g *gpu) (since time.Time, running bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return g.begun, g.out && !g.begun.IsZero()
}

// hasReading reports whether a reading of the GPU is running or planned.
func (c *pool) hasReading(g *gpu) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return g.out
}

// busyGPUs returns the GPUs with a reading that is running or planned.
func (c *pool) busyGPUs(gpus []*gpu) (busy []*gpu) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range gpus {
		if g.out {
			busy = append(busy, g)
		}
	}
	return busy
}

// isIdle reports whether no reading is running.
func (c *pool) isIdle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out == 0
}

// awaitRound waits for a round, at most up to a limit.
func (c *pool) awaitRound(s *gpuQueue, r *round, beat sample.Beat, limit time.Duration, stop <-chan struct{}) {
	began := time.Now()
	beat.Reset(min(patience, limit))
	defer beat.Stop()
	for {
		select {
		case <-r.done:
			return
		case <-stop:
			return
		case <-beat.C:
			took := time.Since(began)
			if took >= limit {
				c.splitShift(s)
				return
			}
			s = c.relieveShift(s, took >= limit/2)
		}
	}
}

package recording

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
)

// Player has the Snapshots of a recording at any of its times. To move to a time it needs a Store from an earlier time.
// It keeps a Store for each frame that it has read, and reads on from there.
type Player struct {
	of *Reader

	mu    sync.Mutex // protects the following
	here  *replayState
	marks []*store.Store // the Store at the beginning of each frame; nil: not reached, or not kept
	every int            // frames between two marks
	kept  int            // number of marks
	err   error          // why the rest cannot be read
	near  *replayState   // a reading beyond the survey that began at a frame; nil: none
	empty *store.Store
	seen  trend.ProblemTimes
	read  float64   // the part of the recording that the survey has read, 0 to 1
	until time.Time // beginning of the damage; zero: none was found
}

// replayState is a Store, and the position of the Events that come next.
type replayState struct {
	store  *store.Store
	events *events
	next   *cluster.Event // nil: not read yet
	began  bool           // next is the first of its frame
	at     time.Time      // time of the latest Event in the Store
	apart  bool           // it began in the middle, so it leaves no marks
}

// NewPlayer returns a Player. empty is a Store without Events, with the interval of the recording.
func NewPlayer(r *Reader, empty *store.Store) *Player {
	p := &Player{of: r, marks: make([]*store.Store, len(r.Frames)), every: 1, kept: 1}
	if span := r.End.Sub(r.Began()); span <= shortSpan {
		empty.ShareHistories(min(span, sharedSpan))
	}
	p.marks[0], p.empty = empty, empty.Fork()
	p.here = p.startReading(0)
	return p
}

// startReading returns a reading from the beginning of a frame with a mark.
func (p *Player) startReading(frame int) *replayState {
	e := p.of.eventsFrom(context.Background(), frame)
	e.first = frame == 0 // the mark knows the rest
	return &replayState{store: p.marks[frame].Fork(), events: e}
}

// Snapshot returns the state at a time. After the first error, and when ctx ends, it returns the state before the part
// that cannot be read.
func (p *Player) Snapshot(ctx context.Context, at time.Time) *cluster.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.readingFor(at)
	r.events.ctx = ctx
	r.events.removeLimit()
	defer func() { r.events.ctx = context.Background() }()
	s, _ := p.readUntil(r, at)
	return s
}

// readingFor returns the reading that reaches a time first.
func (p *Player) readingFor(at time.Time) *replayState {
	if frame := p.nearestMark(at); at.Before(p.here.at) || frame > p.here.events.frame {
		p.here.events.closeStream()
		p.here = p.startReading(frame)
	}
	return p.here
}

// glanced limits how many bytes of lines a Glance reads. Two minutes of 1,000 nodes with 8 GPUs are a fifth of it.
const glanced = 64 << 20

// Glance does what Snapshot does, but does not read far. Beyond the survey, histories and the ages of problems begin
// only a minute or two before that time, and exact is false. It is also false if there is too much to read: the next
// Glance continues from there.
func (p *Player) Glance(at time.Time) (s *cluster.Snapshot, exact bool) {
	p.mu.Lock()
	frame, from := p.frameOf(at), p.nearestMark(at)
	if p.here.events.frame > from && !at.Before(p.here.at) {
		from = p.here.events.frame
	}
	defer p.mu.Unlock()
	if frame-from <= 2*p.every || p.read == 1 {
		r := p.readingFor(at)
		r.events.limitBytes(glanced)
		return p.readUntil(r, at)
	}
	if p.near == nil || at.Before(p.near.at) || frame-1 > p.near.events.frame {
		if p.near != nil {
			p.near.events.closeStream()
		}
		p.near = &replayState{store: p.empty.Fork(), events: p.of.eventsFrom(context.Background(), frame-1), apart: true}
	}
	p.near.events.limitBytes(glanced)
	s, _ = p.readUntil(p.near, at)
	return s, false
}

// readUntil reads to a time, and returns the state then. It is exact unless a limit comes first.
func (p *Player) readUntil(r *replayState, at time.Time) (s *cluster.Snapshot, exact bool) {
	for {
		e, err := p.nextEvent(r)
		if err != nil || e.At.After(at) {
			return r.store.Snapshot(at), !errors.Is(err, errLater)
		}
		r.applyEvent()
	}
}

// frameOf returns the last frame that begins before a time.
func (p *Player) frameOf(at time.Time) (frame int) {
	for i := range p.of.Frames {
		if p.of.Frames[i].At.Before(at) {
			frame = i
		}
	}
	return frame
}

// nearestMark returns the last frame with a mark that begins before a time.
func (p *Player) nearestMark(at time.Time) (frame int) {
	for i, mark := range p.marks {
		if mark != nil && p.of.Frames[i].At.Before(at) {
			frame = i
		}
	}
	return frame
}

// nextEvent returns the next Event of a reading. Where a frame begins it leaves a mark. The caller holds the lock.
func (p *Player) nextEvent(r *replayState) (*cluster.Event, error) {
	if r.next == nil {
		e, began, err := r.events.nextEvent()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, errLater) && r.events.ctx.Err() == nil {
				p.err = err
			}
			return nil, err
		}
		r.next, r.began = &e, began
	}
	if frame := r.events.frame; r.began && !r.apart && p.marks[frame] == nil && frame%p.every == 0 {
		p.marks[frame] = r.store.Fork()
		p.kept++
		p.thinMarks(r.store)
	}
	return r.next, nil
}

// The sizes of the kept Stores. With 512 GPUs each has 2 MB, plus 35 MB for an hour of histories, which the Stores
// share. If there are few Stores per hour, each has its own histories.
const (
	sharedSpan = time.Hour
	shortSpan  = 2 * sharedSpan
	mostMarks  = 64
	fewMarks   = 16 // always kept up to fewGPUs; with more GPUs perhaps fewer
	fewGPUs    = 2 << 10
	leastMarks = 4
	mostBytes  = 250 << 20 // limit of all Stores, unless they are few
	markBytes  = 4 << 10   // per GPU, in a recording of at most shortSpan
	gpuBytes   = 20 << 10  // per GPU with its histories, in a longer recording
)

// storeLimit returns the number of Stores to keep.
func (p *Player) storeLimit(s *store.Store) int {
	gpus, bytes := 1, gpuBytes
	if p.of.End.Sub(p.of.Began()) <= shortSpan {
		bytes = markBytes
	}
	for _, n := range s.Snapshot(p.here.at).Nodes {
		gpus += len(n.GPUs)
	}
	few := min(max(fewMarks*fewGPUs/gpus, leastMarks), fewMarks)
	return min(max(mostBytes/bytes/gpus, few), mostMarks)
}

// thinMarks drops every second mark if there are too many.
func (p *Player) thinMarks(s *store.Store) {
	if p.kept <= leastMarks || p.kept <= p.storeLimit(s) {
		return
	}
	p.every *= 2
	for i := range p.marks {
		if p.marks[i] != nil && i%p.every != 0 {
			p.marks[i] = nil
			p.kept--
		}
	}
}

// applyEvent gives the next Event to the Store.
func (r *replayState) applyEvent() {
	r.store.Apply(*r.next)
	if r.next.At.After(r.at) {
		r.at = r.next.At
	}
	r.next = nil
}

// Err returns why a part of the recording cannot be read; nil: everything tried so far can be read.
func (p *Player) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Survey reads the whole recording, so that moving to any time is fast afterwards.
func (p *Player) Survey(ctx context.Context) {
	p.mu.Lock()
	r := p.startReading(0)
	r.events.ctx = ctx
	p.mu.Unlock()
	defer r.events.closeStream()
	for p.surveyEvents(r) && ctx.Err() == nil {
	}
}

// surveyed is how many Events a survey reads before it lets others run.
const surveyed = 50

// surveyEvents reads some Events, and reports whether there may be more.
func (p *Player) surveyEvents(r *replayState) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range surveyed {
		r.events.limitBytes(glanced) // to let others run
		e, err := p.nextEvent(r)
		if errors.Is(err, errLater) || r.events.ctx.Err() != nil {
			return true
		}
		if err != nil {
			p.read = 1
			if p.err != nil {
				p.until = r.at
			} else {
				p.seen.Look(r.store.Snapshot(p.of.End))
			}
			return false
		}
		if !e.At.Before(p.seen.Next) {
			p.seen.Look(r.store.Snapshot(e.At))
			p.seen.Next = e.At.Add(p.of.Header.Poll)
		}
		r.applyEvent()
	}
	p.read = min(max(float64(r.at.Sub(p.of.Began()))/float64(max(p.of.End.Sub(p.of.Began()), 1)), 0), 1)
	return true
}

// Close ends the use of the Player.
func (p *Player) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.here.events.closeStream()
	if p.near != nil {
		p.near.events.closeStream()
	}
}

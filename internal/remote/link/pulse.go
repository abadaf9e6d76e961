package link

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Pulse is the sign of life for sessions whose probes read the same input: one request for all of them in each
// interval. If each session sent its own, every probe would have to read all of them. A Pulse beats while any session
// takes part. Each probe answers it, even if its session does not take part yet.
type Pulse struct {
	to   io.Writer
	sent atomic.Uint64 // requests, counted before they are written

	mu      sync.Mutex // protects the following
	members map[*Session]bool
	every   time.Duration
	timer   *time.Timer // nil: no session takes part
}

// NewPulse returns a Pulse whose requests are written to w, the input of all the probes.
func NewPulse(w io.Writer) *Pulse { return &Pulse{to: w, members: map[*Session]bool{}} }

// addSession adds a session. The first session sets the interval.
func (p *Pulse) addSession(s *Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.members[s] = true
	if p.timer == nil {
		p.every = s.limits.Alive
		p.timer = time.AfterFunc(p.every, p.sendAlive)
	}
}

// dropSession undoes addSession. The last session to leave stops the Pulse.
func (p *Pulse) dropSession(s *Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.members, s)
	if len(p.members) == 0 && p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// sendAlive sends a sign of life. It blocks while the input is stuck: the silence then ends the sessions.
func (p *Pulse) sendAlive() {
	defer p.catchPanic()
	p.sent.Add(1)
	if wire.Write(p.to, &wire.Request{Alive: &wire.Alive{}}) != nil {
		return // the input is broken: the sessions learn it from their own pipes
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Reset(p.every)
	}
}

// catchPanic, deferred, ends the sessions on a panic.
func (p *Pulse) catchPanic() {
	cause := recover()
	if cause == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.members {
		s.end(reach.Mistake(cause))
	}
}

package remote

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// adoptedSession is a session over ssh. It ends when it turns out to be in another job than the wanted one, if a door
// of another kind can be tried. It checks this with each message, since SLURM says only later how many GPUs a job has.
type adoptedSession struct {
	poller.Session
	o     *Chooser
	n     *nodeState
	hello *wire.Hello
	stay  bool // there is nothing better
}

// Next implements poller.Session.
func (s *adoptedSession) Next() (wire.Message, error) {
	m, err := s.Session.Next()
	if err != nil || s.stay {
		return m, err
	}
	if m.Hello != nil {
		s.hello = m.Hello
	}
	if s.hello == nil {
		return m, nil
	}
	if why := s.o.whyMisplaced(s.n.name, s.hello); why != "" {
		if f := s.o.leaveDoor(s.n, why); f != nil {
			_ = s.Close()
			return wire.Message{}, f
		}
		s.stay = true
	}
	return m, nil
}

// fitsWithin limits how long a running session waits to learn whether another door applies.
const fitsWithin = 2 * time.Second

// leaveDoor moves a node to a door of another kind than its session's, and returns the failure that ends the session;
// nil if there is no such door.
func (o *Chooser) leaveDoor(n *nodeState, why string) *reach.Failure {
	ctx, cancel := context.WithTimeout(context.Background(), fitsWithin)
	defer cancel()
	from := n.door
	f := &reach.Failure{Class: reach.ClassAdopt, Short: "adopted into another job", Cause: why, Next: true}
	n.noteAnswer(o.doors[from].Name, f)
	n.faults, n.poor = []curableFault{{kind: o.doors[from].Kind}}, from
	if !o.nextDoor(ctx, n, func(d *Candidate) bool { return o.curedBy(n, d) }) {
		n.resetRound(from)
		return nil
	}
	return f
}

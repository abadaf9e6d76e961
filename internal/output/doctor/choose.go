package doctor

import (
	"context"
	"errors"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// chooseDoor returns the door that nvnodetop would use, or why it would use none. A remote.Chooser goes
// through the recorded answers of the doors.
func chooseDoor(ctx context.Context, favorite string, doors []remote.Candidate, n *Node,
	jobs []remote.KnownJob) (string, *reach.Failure) {
	answered := make([]remote.Candidate, len(doors))
	for i := range doors {
		w := &n.Ways[i]
		answered[i] = remote.Candidate{Name: w.Door, Kind: doors[i].Kind, Opener: replay{w},
			Fits: func(context.Context, string) string { return w.Unfit }}
	}
	o := remote.NewChooser(favorite, answered...)
	o.Know(jobs)
	for {
		door := o.Route(ctx, n.Name).Door
		s, err := o.Open(ctx, n.Name, func(reach.Step) {})
		if err == nil {
			if _, err = s.Next(); err == nil {
				return door, nil
			}
		}
		if f := reach.AsFailure(err, reach.ClassOther); !f.Next {
			return "", f
		}
	}
}

// replay is an Opener with the recorded answers of a door.
type replay struct{ w *TransportTrial }

// Route implements poller.Opener.
func (r replay) Route(context.Context, string) reach.Route { return reach.Route{Stages: r.w.Stages} }

// Open implements poller.Opener.
func (r replay) Open(context.Context, string, func(reach.Step)) (poller.Session, error) {
	switch {
	case r.w.Failure != nil:
		return nil, r.w.Failure
	case r.w.Broken != nil:
		return nil, r.w.Broken
	}
	return replayed{r.w.Hello}, nil
}

// replayed is a session that has received a Hello.
type replayed struct{ hello *wire.Hello }

// Next implements poller.Session.
func (r replayed) Next() (wire.Message, error) { return wire.Message{Hello: r.hello}, nil }

// Call implements poller.Session.
func (replayed) Call(context.Context, wire.Request) (wire.Reply, error) {
	return wire.Reply{}, errors.ErrUnsupported
}

// Close implements poller.Session.
func (replayed) Close() error { return nil }

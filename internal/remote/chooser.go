package remote

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// DoorKind tells which part of a node a door depends on. If the sshd of a node does not answer one door, it answers no
// door of that kind.
type DoorKind int

// Kinds of doors.
const (
	KindHere  DoorKind = iota // this host itself: if the door applies it comes first, and it is not mentioned elsewhere
	KindSSH                   // the node's sshd
	KindSLURM                 // the node's slurmd
)

// Candidate is one of the doors to choose from.
type Candidate struct {
	Name   string
	Kind   DoorKind
	Opener poller.Opener
	// Fits returns why the door does not apply to a node now; empty: it applies. It returns soon after ctx ends. If
	// Fits is nil, the door always applies.
	Fits func(ctx context.Context, node string) (why string)
}

func (d *Candidate) whyUnfit(ctx context.Context, node string) (why string) {
	if d.Fits == nil {
		return ""
	}
	return d.Fits(ctx, node)
}

// Chooser chooses the door to each node. Any number of goroutines may use it; Route, Open and the sessions of one node
// are for one goroutine at a time, as in the poller.
type Chooser struct {
	// Won is called when the door that nodes begin with changes, with that door. It must not block. nil: there is no
	// call. It must not change once the Chooser is in use.
	Won func(door string)

	doors []Candidate

	mu       sync.Mutex     // protects the following
	favorite string         // the door that nodes begin with
	reached  map[string]int // number of nodes whose last session, detours aside, was through a door; no entry: none
	nodes    map[string]*nodeState
	jobs     []KnownJob
}

var _ poller.Opener = (*Chooser)(nil)

// NewChooser returns a Chooser over at least one door, in the order in which they are tried. favorite is the name of
// the door to begin with; empty: the first one.
func NewChooser(favorite string, doors ...Candidate) *Chooser {
	return &Chooser{doors: doors, favorite: favorite, reached: map[string]int{}, nodes: map[string]*nodeState{}}
}

// BeginsWith reports whether the first attempt to reach nodes goes through this door.
func (o *Chooser) BeginsWith(door string) bool {
	for _, i := range o.doorOrder() {
		if d := &o.doors[i]; d.Kind != KindHere || len(o.doors) == 1 {
			return d.Name == door
		}
	}
	return false
}

// Route implements poller.Opener. It chooses the door of the next attempt, unless the end of the last attempt has
// already chosen it.
func (o *Chooser) Route(ctx context.Context, name string) reach.Route {
	n := o.findNode(name)
	if len(n.faults) == 0 {
		o.startRound(ctx, n)
	}
	door := n.door
	if door == noDoor { // the failure names this door: it could have been used
		door = len(o.doors) - 1
	}
	d := &o.doors[door]
	r := d.Opener.Route(ctx, name)
	r.Door = d.Name
	if d.Kind != KindSSH {
		r.Passed = n.changed
	}
	return r
}

// Open implements poller.Opener.
func (o *Chooser) Open(ctx context.Context, name string, step func(reach.Step)) (poller.Session, error) {
	n := o.findNode(name)
	if n.door == noDoor {
		return nil, o.nothingFits(n)
	}
	s, err := o.openSession(ctx, n, step)
	switch {
	case err == nil:
		return o.noteReached(ctx, n, s), nil
	case ctx.Err() != nil:
		return nil, err
	}
	return nil, o.noteFailure(ctx, n, reach.AsFailure(err, reach.ClassOther))
}

func (o *Chooser) openSession(ctx context.Context, n *nodeState, step func(reach.Step)) (poller.Session, error) {
	if back := n.back; back != nil {
		n.back = nil
		if s, ok := back.take(step); ok {
			return s, nil
		}
	}
	return o.doors[n.door].Opener.Open(ctx, n.name, step)
}

// noteReached records that the door of n has reached it.
func (o *Chooser) noteReached(ctx context.Context, n *nodeState, s poller.Session) poller.Session {
	n.slow = 0
	content, kind := n.door == n.poor, o.doors[n.door].Kind
	switch from := o.refusedBy(n); {
	case kind == KindSSH:
		n.changed, n.away = nil, nil
	case kind == KindSLURM && n.away == nil && from != noDoor:
		n.away = &sshOutage{from: from, wait: firstDetour, next: time.Now().Add(firstDetour)}
	}
	n.resetRound(n.door)
	if kind == KindSLURM && n.away != nil {
		return o.newDetour(ctx, n, s)
	}
	if o.countReached(n.counted, n.door) && o.Won != nil {
		o.Won(o.doors[n.door].Name)
	}
	n.counted = n.door
	if content || kind != KindSSH {
		return s
	}
	return &adoptedSession{Session: s, o: o, n: n}
}

// countReached counts a node that was reached through a door, and was reached before through another door or not at
// all. It reports whether the door becomes the favorite. For that it must have reached more nodes than the favorite, so
// that the favorite does not alternate between nodes that need different doors.
func (o *Chooser) countReached(before, door int) (favorite bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if before != noDoor {
		o.reached[o.doors[before].Name]--
	}
	name := o.doors[door].Name
	o.reached[name]++
	if o.doors[door].Kind == KindHere || name == o.favorite || o.reached[name] <= o.reached[o.favorite] {
		return false
	}
	o.favorite = name
	return true
}

// doorOrder lists the doors in the order in which a node tries them.
func (o *Chooser) doorOrder() []int {
	o.mu.Lock()
	favorite := o.favorite
	o.mu.Unlock()
	rank := func(i int) int {
		switch d := &o.doors[i]; {
		case d.Kind == KindHere:
			return 0
		case d.Name == favorite:
			return 1
		}
		return 2
	}
	order := make([]int, len(o.doors))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return order
}

// hasReached reports whether a door has reached any node in this run.
func (o *Chooser) hasReached(door int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, has := o.reached[o.doors[door].Name]
	return has
}

// Package auto chooses the door to each node. It implements poller.Opener over an ordered list of doors, each with an
// Opener of its own.
//
// One attempt uses one door. After a failure that another door may cure, the failure says that the next attempt follows
// at once, through the next door. When none is left, the failure lists the answer of each door, and the node begins
// again after the ordinary wait. A node that was reached keeps its door. Any other node begins with the door that
// reaches the most nodes in this run, or else in an earlier run. A node whose sshd refused goes back to ssh when ssh
// works again.
//
// An Opener may be used by any number of goroutines; Route, Open and the sessions of one node are for one goroutine at
// a time, as in the poller. An Opener keeps a few words of memory per requested node. It does not know how a door
// works.
//
// # The rules of the choice
//
// A Door implements one kind of connection and knows nothing about probes (docs/TRANSPORTS.md says which door reaches
// which nodes). A Shell is a connected node. install copies the probe to the node and starts it, link speaks the
// protocol with the probe, and both work over any Shell. To support another kind of connection, write a Door. The
// poller knows none of these; it has an Opener. Where several doors may lead to a node, that Opener is remote/auto,
// which has an Opener for each door:
//
//   - One attempt uses one door, so the stages on the screen are those of that door. Route names it before the attempt
//     begins.
//   - A failure that another door may cure has Next set: the poller does not wait, and the Store does not call the node
//     failed. After the last door, the failure lists the answer of each door, and the most delicate answer decides the
//     wait: a refused login is not repeated soon just because SLURM was slow.
//   - The class decides: a refused login may be cured by any door, a dead sshd or a changed host key only by a door
//     without ssh, a full disk by none. Where a login works and the probe cannot run in its sessions (limits of the
//     site, a home that is mounted noexec, a broken shell), a door of another kind is tried; where the login shell only
//     hangs or prints, when it has failed twice. A changed key stands in the routes of the node (Route.Passed) until an
//     ssh accepts it, so that a working srun does not hide it. A node that does not answer is down if other nodes
//     answered the same door; otherwise it may be behind a firewall, and SLURM is tried.
//   - A node keeps the door that reached it. Other nodes begin with the door that reaches the most nodes. It is
//     remembered per cluster for a week: after that, ssh may work where it did not before.
//   - If pam_slurm_adopt puts a session over ssh into another job than the wanted one, the node moves to a door of
//     another kind. If that door does not work, the node goes back to ssh.
//   - A node whose sshd refused, where ssh has reached nodes before, goes through SLURM. After 5 minutes ssh is tried
//     beside the step, after each failure half as often, down to once an hour. Once ssh works, its session replaces the
//     step. Otherwise each restart of an sshd would leave an srun on the login host for as long as the job runs. The
//     step is not given up before ssh works: SLURM may be unable to start another step.
package auto

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Kind tells which part of a node a door depends on. If the sshd of a node does not answer one door, it answers no door
// of that kind.
type Kind int

// Kinds of doors.
const (
	Here  Kind = iota // this host itself: if the door applies it comes first, and it is not mentioned elsewhere
	SSH               // the node's sshd
	SLURM             // the node's slurmd
)

// Door is one of the doors to choose from.
type Door struct {
	Name   string
	Kind   Kind
	Opener poller.Opener
	// Fits returns why the door does not apply to a node now; empty: it applies. It returns soon after ctx ends. If
	// Fits is nil, the door always applies.
	Fits func(ctx context.Context, node string) (why string)
}

func (d *Door) whyUnfit(ctx context.Context, node string) (why string) {
	if d.Fits == nil {
		return ""
	}
	return d.Fits(ctx, node)
}

// Opener chooses the doors.
type Opener struct {
	// Won is called when the door that nodes begin with changes, with that door. It must not block. nil: there is no
	// call. It must not change once the Opener is in use.
	Won func(door string)

	doors []Door

	mu       sync.Mutex     // protects the following
	favorite string         // the door that nodes begin with
	reached  map[string]int // number of nodes whose last session, detours aside, was through a door; no entry: none
	nodes    map[string]*node
	jobs     []Job
}

var _ poller.Opener = (*Opener)(nil)

// New returns an Opener over at least one door, in the order in which they are tried. favorite is the name of the door
// to begin with; empty: the first one.
func New(favorite string, doors ...Door) *Opener {
	return &Opener{doors: doors, favorite: favorite, reached: map[string]int{}, nodes: map[string]*node{}}
}

// BeginsWith reports whether the first attempt to reach nodes goes through this door.
func (o *Opener) BeginsWith(door string) bool {
	for _, i := range o.doorOrder() {
		if d := &o.doors[i]; d.Kind != Here || len(o.doors) == 1 {
			return d.Name == door
		}
	}
	return false
}

// Route implements poller.Opener. It chooses the door of the next attempt, unless the end of the last attempt has
// already chosen it.
func (o *Opener) Route(ctx context.Context, name string) reach.Route {
	n := o.findNode(name)
	if len(n.faults) == 0 {
		o.startRound(ctx, n)
	}
	door := n.door
	if door == nowhere { // the failure names this door: it could have been used
		door = len(o.doors) - 1
	}
	d := &o.doors[door]
	r := d.Opener.Route(ctx, name)
	r.Door = d.Name
	if d.Kind != SSH {
		r.Passed = n.changed
	}
	return r
}

// Open implements poller.Opener.
func (o *Opener) Open(ctx context.Context, name string, step func(reach.Step)) (poller.Session, error) {
	n := o.findNode(name)
	if n.door == nowhere {
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

func (o *Opener) openSession(ctx context.Context, n *node, step func(reach.Step)) (poller.Session, error) {
	if back := n.back; back != nil {
		n.back = nil
		if s, ok := back.take(step); ok {
			return s, nil
		}
	}
	return o.doors[n.door].Opener.Open(ctx, n.name, step)
}

// noteReached records that the door of n has reached it.
func (o *Opener) noteReached(ctx context.Context, n *node, s poller.Session) poller.Session {
	n.slow = 0
	content, kind := n.door == n.poor, o.doors[n.door].Kind
	switch from := o.refusedBy(n); {
	case kind == SSH:
		n.changed, n.away = nil, nil
	case kind == SLURM && n.away == nil && from != nowhere:
		n.away = &sshOutage{from: from, wait: firstDetour, next: time.Now().Add(firstDetour)}
	}
	n.resetRound(n.door)
	if kind == SLURM && n.away != nil {
		return o.newDetour(ctx, n, s)
	}
	if o.countReached(n.counted, n.door) && o.Won != nil {
		o.Won(o.doors[n.door].Name)
	}
	n.counted = n.door
	if content || kind != SSH {
		return s
	}
	return &session{Session: s, o: o, n: n}
}

// countReached counts a node that was reached through a door, and was reached before through another door or not at
// all. It reports whether the door becomes the favorite. For that it must have reached more nodes than the favorite, so
// that the favorite does not alternate between nodes that need different doors.
func (o *Opener) countReached(before, door int) (favorite bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if before != nowhere {
		o.reached[o.doors[before].Name]--
	}
	name := o.doors[door].Name
	o.reached[name]++
	if o.doors[door].Kind == Here || name == o.favorite || o.reached[name] <= o.reached[o.favorite] {
		return false
	}
	o.favorite = name
	return true
}

// doorOrder lists the doors in the order in which a node tries them.
func (o *Opener) doorOrder() []int {
	o.mu.Lock()
	favorite := o.favorite
	o.mu.Unlock()
	rank := func(i int) int {
		switch d := &o.doors[i]; {
		case d.Kind == Here:
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
func (o *Opener) hasReached(door int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, has := o.reached[o.doors[door].Name]
	return has
}

package remote

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// How long a node whose sshd refused goes through SLURM before ssh is tried again. Each failed try doubles the time.
const (
	firstDetour = 5 * time.Minute
	lastDetour  = time.Hour
)

// sshOutage records that a node goes through SLURM because its sshd refused the connection, for example during a
// restart. ssh has reached nodes in this run, so it is tried again: a step for each such node would cost this host and
// SLURM more and more in a long run. Such a node says nothing about the best door for other nodes.
type sshOutage struct {
	from int           // the door over ssh
	wait time.Duration // between two tries
	next time.Time     // time of the next try
}

// refusedBy returns the ssh door that was refused in this round and has reached nodes in this run, or nowhere.
func (o *Chooser) refusedBy(n *nodeState) int {
	for _, t := range n.tried {
		if t.Class != reach.ClassRefused {
			continue
		}
		for i := range o.doors {
			if d := &o.doors[i]; d.Name == t.Door && d.Kind == KindSSH && o.hasReached(i) {
				return i
			}
		}
	}
	return noDoor
}

// recoveredSession is a session over ssh that was opened during a detour. The next attempt takes it over.
type recoveredSession struct {
	session poller.Session // nil: ssh does not work yet
	steps   []reach.Step
	drop    func() bool // cancels its closing at the end of the watch
}

// detour is a session through SLURM to a node that is away. Meanwhile ssh is tried, and the detour ends only when ssh
// works: a running step must not be given up for nothing, since SLURM may be unable to start another one.
type detour struct {
	poller.Session
	o      *Chooser
	n      *nodeState
	ctx    context.Context // context of the watch: sessions end with it
	ended  context.Context // done when the detour is closed
	end    context.CancelFunc
	trying bool
	result chan recoveredSession
}

func (o *Chooser) newDetour(ctx context.Context, n *nodeState, s poller.Session) *detour {
	d := &detour{Session: s, o: o, n: n, ctx: ctx, result: make(chan recoveredSession)}
	d.ended, d.end = context.WithCancel(ctx)
	return d
}

// Next implements poller.Session.
func (d *detour) Next() (wire.Message, error) {
	select {
	case r := <-d.result:
		d.trying = false
		if r.session != nil {
			return wire.Message{}, d.endDetour(r)
		}
		d.n.away.wait = min(2*d.n.away.wait, lastDetour)
		d.n.away.next = time.Now().Add(d.n.away.wait)
	default:
	}
	m, err := d.Session.Next()
	if err == nil && !d.trying && !time.Now().Before(d.n.away.next) {
		d.trying = true
		d.n.away.next = time.Now().Add(d.n.away.wait) // in case the detour ends before the answer
		from := &d.o.doors[d.n.away.from]
		crash.Go(func() { d.tryDoor(from, d.n.name) })
	}
	return m, err
}

// Close implements poller.Session.
func (d *detour) Close() error {
	d.end()
	return d.Session.Close()
}

// endDetour returns the failure that ends the detour and begins the next attempt, which takes the session over ssh.
func (d *detour) endDetour(r recoveredSession) *reach.Failure {
	n := d.n
	r.drop = context.AfterFunc(d.ctx, func() { _ = r.session.Close() })
	n.door, n.faults, n.back = n.away.from, []curableFault{{kind: KindSSH}}, &r
	name := d.o.doors[n.door].Name
	return &reach.Failure{Class: reach.ClassOther, Short: name + " works again", Next: true}
}

// tryDoor opens a session over ssh and hands it to Next, or closes it when the detour has ended.
func (d *detour) tryDoor(door *Candidate, node string) {
	var r recoveredSession
	ctx, cancel := context.WithCancel(d.ctx)
	stop := context.AfterFunc(d.ended, cancel)
	var err error
	func() {
		defer reach.Recover(&err)
		if door.whyUnfit(ctx, node) == "" {
			r.session, err = door.Opener.Open(ctx, node, func(s reach.Step) { r.steps = append(r.steps, s) })
		}
	}()
	if err != nil {
		r.session = nil
	}
	if !stop() || r.session == nil { // otherwise the session may outlive the detour from now on
		r.closeSession()
		cancel()
	}
	select {
	case d.result <- r:
	case <-d.ended.Done():
		r.closeSession()
		cancel()
	}
}

func (r *recoveredSession) closeSession() {
	if r.session != nil {
		_ = r.session.Close()
		r.session = nil
	}
}

// take returns the session that a detour left for the next attempt, unless the watch of the node has ended in between.
func (r *recoveredSession) take(step func(reach.Step)) (_ poller.Session, ok bool) {
	if !r.drop() {
		return nil, false
	}
	for _, s := range r.steps {
		step(s)
	}
	return r.session, true
}

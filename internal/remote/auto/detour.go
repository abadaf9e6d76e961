package auto

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// How long a node whose sshd refused goes through SLURM before ssh is tried again. Each try that fails doubles it: it costs a new step, and a moment
// without reports.
const (
	firstDetour = 5 * time.Minute
	lastDetour  = time.Hour
)

// away says that a node goes through SLURM because its sshd refused the connection, as while it restarts. ssh has reached nodes in this run, so it is
// tried again: a step for each such node would cost this host and SLURM more and more in a long run.
type away struct {
	from int           // the door over ssh
	wait time.Duration // until that is tried again
}

// refusedBy returns the door over ssh that was refused in this round and has reached nodes in this run, or nowhere.
func (o *Opener) refusedBy(n *node) int {
	for _, t := range n.tried {
		if t.Class != reach.ClassRefused {
			continue
		}
		for i := range o.doors {
			if d := &o.doors[i]; d.Name == t.Door && d.Kind == SSH && o.hasReached(i) {
				return i
			}
		}
	}
	return nowhere
}

// detour is a session through SLURM of a node that is away. It ends when ssh is to be tried again.
type detour struct {
	poller.Session
	o     *Opener
	n     *node
	until time.Time
}

// Next implements poller.Session.
func (d *detour) Next() (wire.Message, error) {
	if time.Now().Before(d.until) {
		return d.Session.Next()
	}
	if f := d.o.comeBack(d.n); f != nil {
		_ = d.Close()
		return wire.Message{}, f
	}
	d.until = time.Now().Add(d.n.away.wait)
	return d.Session.Next()
}

// comeBack moves a node that is away to its door over ssh, and returns the failure that ends its session; nil if that door does not fit now.
// Whatever that door answers, the node is back at SLURM at once if it is not reached.
func (o *Opener) comeBack(n *node) *reach.Failure {
	n.away.wait = min(2*n.away.wait, lastDetour)
	ctx, cancel := context.WithTimeout(context.Background(), fitsWithin)
	defer cancel()
	to := &o.doors[n.away.from]
	if to.unfit(ctx, n.name) != "" {
		return nil
	}
	n.faults, n.poor, n.door = []fault{{kind: to.Kind}}, n.door, n.away.from
	return &reach.Failure{Class: reach.ClassOther, Short: "trying " + to.Name + " again", Next: true}
}

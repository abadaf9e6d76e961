// Package remote reaches a host by a Door, puts the probe there and holds a session with it; every failure leaves it classified.
//
// A Door is one way to reach nodes: it dials one, and gives a Shell, which runs a script there and hands out its three streams. Package
// install finds, copies and starts the probe over any Shell, package link speaks with it over any pipe, and this package says what a
// failure means, with what the door knows of it.
//
// A Door may reach all nodes by one process whose output lines are labelled and whose input all of them hear: it labels and parts the
// streams itself, and wire.Address makes a request one node's alone.
//
// An Opener may be used by any number of goroutines. Guarantees: Open ends soon after its context, every stage has a deadline, and no
// session or process is left of an Open that failed. It knows nothing of jobs or SLURM. Words that come from a node are handed on raw,
// capped in length.
package remote

import (
	"context"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// Door is one way to reach nodes. It may be used by any number of goroutines.
type Door interface {
	// Stages are the stages of Dial, in order.
	Stages() []reach.Stage
	// Dial reaches a node, and tells log how far it is. It ends soon after ctx. An error is a *reach.Failure that log's Case has
	// settled, or becomes one as it is.
	Dial(ctx context.Context, node string, log *Log) (Shell, error)
}

// Shell is a node that a Door has reached. Run and Ping return soon after their context, Close within moments, whatever the node does.
type Shell interface {
	install.Shell
	link.Way

	// Explain says in c what err means where that has to do with the way to the node, if nothing else is known of it, and adds what a
	// person can do about it on this way.
	Explain(c *Case, err error)
}

// Package remote reaches a host through a Door, starts the probe there, and classifies every failure. It also limits
// how many programs of a user run on this host at once.
//
// A Door is one way to reach nodes. It dials a node and returns a Shell, which runs scripts and hands out their three
// streams. Package install finds, copies and starts the probe over any Shell. Package link talks to it over any pipe.
// Package remote explains failures, with the help of the Door.
//
// A Door may reach all nodes through one process, whose output lines carry labels and whose input reaches all of them.
// Such a Door adds and removes the labels itself; wire.Address sends a request to one node only.
//
// An Opener may be used by any number of goroutines. It guarantees that Open returns soon after its context ends, that
// every stage has a deadline, and that a failed Open leaves no session or process behind. It knows nothing about jobs
// or SLURM. It passes on the node's output unchanged, but limited in length.
//
// # Connecting to a node
//
//   - Shell and Pipe are separate because a connection outlives the scripts that run over it. ssh runs up to three
//     scripts over one connection, and its keep-alive queries sshd independently of the probe. Package link defines the
//     Pipe, because link uses it.
//   - Run takes the input of a script; the pipe does not carry it. So a Door whose single process reaches many nodes
//     can distinguish a file copy for one node from lines that it must address.
//   - Nobody knows in advance which nodes share a home. So one node copies the probe, and the other nodes wait while
//     the copy makes progress. When it fails or stalls, the next node takes over. Afterwards the nodes look again: a
//     node that does not find the finished copy has another home, and copies the probe without waiting. Never more than
//     four copies run at a time.
//   - The first script chooses the copy by the output of uname -sm, so a copy is found and started in one round trip on
//     any platform.
//   - An error becomes a Failure in three steps. remote explains errors of the probe, the Door explains errors of the
//     connection, and whichever has explained the error adds the hints. The Door lists its stages; remote and the
//     poller append theirs. The screen draws the list of stages that comes with each attempt.
//
// # The choice of a door
//
// A Chooser chooses the door to each node. It implements poller.Opener over an ordered list of doors, each with an
// Opener of its own. It keeps a few words of memory per requested node, and does not know how a door works. A node that
// was reached keeps its door. Any other node begins with the door that reaches the most nodes in this run, or else in
// an earlier run. A Door implements one kind of connection and knows nothing about probes (docs/TRANSPORTS.md says
// which door reaches which nodes): to support another kind of connection, write a Door.
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
//   - The door that reaches the most nodes is remembered per cluster for a week: after that, ssh may work where it did
//     not before.
//   - If pam_slurm_adopt puts a session over ssh into another job than the wanted one, the node moves to a door of
//     another kind. If that door does not work, the node goes back to ssh.
//   - A node whose sshd refused, where ssh has reached nodes before, goes through SLURM. After 5 minutes ssh is tried
//     beside the step, after each failure half as often, down to once an hour. Once ssh works, its session replaces the
//     step. Otherwise each restart of an sshd would leave an srun on the login host for as long as the job runs. The
//     step is not given up before ssh works: SLURM may be unable to start another step.
package remote

import (
	"context"

	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Door is one way to reach nodes. It may be used by any number of goroutines.
type Door interface {
	// Stages lists the stages of Dial, in order.
	Stages() []reach.Stage
	// Dial reaches a node and reports its progress to log. It returns soon after ctx ends. Its error should be a
	// *reach.Failure, settled with log's Case.
	Dial(ctx context.Context, node string, log *Log) (Shell, error)
}

// Shell is a node that a Door has reached. Run and Ping return soon after their context ends and Close returns at once,
// whatever the node does.
type Shell interface {
	install.Shell
	link.PipeConn

	// Explain classifies err in c, if it is about the connection and not classified yet, and adds hints for this door.
	Explain(c *Case, err error)
}

package openssh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	xssh "golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/lib/private"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// A ControlDoor uses a live ControlMaster of OpenSSH: a connection that the user has already made, with any password,
// one-time code or ticket that it needed. It only opens sessions in this connection. It never starts a master, and its
// end does not end the master.
//
// The socket must belong to this user, nobody else may be able to open it, and the process that listens there must
// belong to this user. It believes everything that the master says, since the master has checked the host key.
//
// A ControlDoor may be used by any number of goroutines.

// StageMaster is the only stage of this door: the master accepts the connection.
const StageMaster reach.Stage = "master"

// masterAnswerTime limits the time until a master answers. Only a stopped master takes long.
const masterAnswerTime = 5 * time.Second

// ControlDoor reaches nodes through ControlMasters. It implements remote.Door.
type ControlDoor struct {
	path   func(ctx context.Context, node string) (string, error)
	answer time.Duration
}

var _ remote.Door = (*ControlDoor)(nil)

// NewControl returns a Door. path returns the ControlPath of a node without tokens; empty: none is configured.
func NewControl(path func(ctx context.Context, node string) (string, error)) *ControlDoor {
	return &ControlDoor{path: path, answer: masterAnswerTime}
}

// Stages implements remote.Door.
func (d *ControlDoor) Stages() []reach.Stage { return []reach.Stage{StageMaster} }

// Unfit returns why there is no master for a node; empty: there seems to be one.
func (d *ControlDoor) Unfit(ctx context.Context, node string) (why string) {
	if _, err := d.socketPath(ctx, node); err != nil {
		return err.Error()
	}
	return ""
}

// socketPath returns the path of a node's master.
func (d *ControlDoor) socketPath(ctx context.Context, node string) (string, error) {
	path, err := d.path(ctx, node)
	switch {
	case err != nil:
		return "", err
	case path == "":
		return "", errors.New("no ControlPath in the ssh configuration")
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("no ControlMaster is running")
	case err != nil:
		return "", err
	}
	switch err := private.Check(info, fs.ModeSocket); {
	case errors.Is(err, private.ErrKind):
		return "", fmt.Errorf("ControlPath %q is not a socket", path)
	case err != nil:
		return "", fmt.Errorf("ControlPath %q is open to others", path)
	}
	return path, nil
}

// Dial implements remote.Door.
func (d *ControlDoor) Dial(ctx context.Context, node string, log *remote.Log) (remote.Shell, error) {
	log.Begin(StageMaster, "")
	s, err := d.dialMaster(ctx, node)
	if err != nil {
		return nil, log.Case().Settle(err, explainDial)
	}
	log.Done("using your ssh connection")
	return &masterShell{s}, nil
}

func (d *ControlDoor) dialMaster(ctx context.Context, node string) (*sshconn.Sessions, error) {
	path, err := d.socketPath(ctx, node)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.answer)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := isOwnMaster(conn); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("ControlPath %q %w", path, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	c, chans, reqs, err := xssh.NewControlClientConn(conn)
	switch {
	case !stop():
		_ = conn.Close()
		return nil, context.Cause(ctx)
	case err != nil:
		_ = conn.Close()
		return nil, err
	}
	return sshconn.NewSessions(conn, c, chans, reqs), nil
}

// isOwnMaster returns an error if another user listens at the other end of a connection. If a directory in the path
// belongs to somebody else, the path may have changed since it was checked.
func isOwnMaster(conn net.Conn) error {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return fmt.Errorf("is a %T", conn)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	uid, asked := 0, error(nil)
	if err := raw.Control(func(fd uintptr) { uid, asked = peerUID(int(fd)) }); err != nil {
		return err
	}
	switch {
	case asked != nil:
		return fmt.Errorf("does not say whose it is: %w", asked)
	case uid != os.Getuid():
		return fmt.Errorf("is served by user %d", uid)
	}
	return nil
}

// explainDial classifies the failure to use a master. Other doors do not need the master, so another door may cure any
// such failure.
func explainDial(c *remote.Case, err error) {
	what := err.Error()
	switch {
	case remote.TimedOut(err):
		what = "the ControlMaster does not answer"
	case errors.Is(err, syscall.ECONNREFUSED):
		what = "no ControlMaster is running" // it left its socket behind
	}
	c.Say(strings.TrimPrefix(err.Error(), "ssh: "))
	c.Is(reach.ClassNoDoor, "no ControlMaster")
	c.Failure.Cause = what
	c.Failure.Meaning = "You have no open ssh connection to share."
	c.Failure.Hints = []string{"make one: ssh -fNM NODE"}
}

// masterShell is a node behind a master. It implements remote.Shell.
type masterShell struct{ *sshconn.Sessions }

// Ping implements link.Way. A master passes on only sessions, and disconnects us on any other request.
func (s *masterShell) Ping(ctx context.Context) error { return s.Knock(ctx) }

// Explain implements remote.Shell.
func (s *masterShell) Explain(c *remote.Case, err error) {
	s.Sessions.Explain(c, err)
	if c.Failure.Class == reach.ClassClosed {
		c.Failure.Meaning = "The ControlMaster has ended, or the node has closed its connection."
	}
}

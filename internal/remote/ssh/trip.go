package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
)

// trip reaches one node: from its name to a login.
type trip struct {
	d      *Door
	node   string
	log    *remote.Log
	target *settings.Settings
	conn   *watchedConn
}

func (a *trip) run(ctx context.Context) (*shell, error) {
	a.log.Begin(StageName, "")
	target, err := a.d.target(ctx, a.node)
	if err != nil {
		return nil, err
	}
	a.target = target
	addrs, err := a.resolve(ctx)
	if err != nil {
		return nil, err
	}
	if a.conn, err = a.connect(ctx, addrs); err != nil {
		return nil, err
	}
	c, err := a.handshake(ctx)
	if err != nil {
		drop(a.conn)
		return nil, err
	}
	a.conn.allow(0)
	return &shell{trip: a, Sessions: &Sessions{client: c, conn: a.conn, closing: a.d.limits.closing}}, nil
}

func (a *trip) resolve(ctx context.Context) ([]net.IPAddr, error) {
	ctx, cancel := context.WithTimeout(ctx, a.d.limits.name)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupIPAddr(ctx, a.target.HostName)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no address", Name: a.target.HostName, IsNotFound: true}
	}
	a.log.Done(fmt.Sprintf("%s is %s", a.node, addrs[0].String()))
	return addrs, nil
}

// connect tries the addresses in the resolver's order and keeps the first that responds.
func (a *trip) connect(ctx context.Context, addrs []net.IPAddr) (*watchedConn, error) {
	a.log.Begin(StageTCP, "connecting to port "+a.target.Port)
	ctx, cancel := context.WithTimeout(ctx, a.d.limits.tcp)
	defer cancel()
	var first error
	for i, addr := range addrs {
		dialer := net.Dialer{Timeout: a.d.limits.tcp / time.Duration(len(addrs)-i)}
		conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(addr.String(), a.target.Port))
		if err == nil {
			a.log.Done("port " + a.target.Port + " open")
			return &watchedConn{Conn: conn}, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// handshake runs the stages ssh, host key and login. The connection's deadlines end it; await covers what they do not.
func (a *trip) handshake(ctx context.Context) (*client, error) {
	a.log.Begin(StageSSH, "")
	a.conn.allow(a.d.limits.ssh)
	known, err := a.d.known.load(a.target.KnownHosts)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*(a.d.limits.ssh+a.d.limits.login))
	defer cancel()
	login := &login{trip: a}
	// No gone: only the handshake notices the connection's end.
	return await(ctx, nil, func() (*client, error) { return a.shake(ctx, known, login) }, func(c *client) { drop(c) })
}

func (a *trip) shake(ctx context.Context, known *knownSet, login *login) (*client, error) {
	defer context.AfterFunc(ctx, func() { drop(a.conn) })()
	defer login.close()
	check := &hostKeyCheck{trip: a, known: known}
	c, chans, reqs, err := ssh.NewClientConn(a.conn, a.target.KeyAddress(), &ssh.ClientConfig{
		User: a.target.User,
		// Blanks and minus signs separate its fields.
		ClientVersion:     "SSH-2.0-nvnodetop_" + strings.NewReplacer(" ", "_", "-", "_").Replace(a.d.version),
		HostKeyCallback:   check.check,
		HostKeyAlgorithms: known.algorithms(a.target.KeyAddress()),
		AuthCallback:      func(auth *ssh.ClientAuthContext) (ssh.AuthMethod, error) { return login.next(ctx, auth) },
		BannerCallback:    func(words string) error { a.log.Hear(words); return nil },
	})
	if err != nil {
		return nil, login.explain(err)
	}
	a.log.Done(login.accepted())
	return newClient(c, chans, reqs), nil
}

// hostKeyCheck is the stage host key. The key exchange is repeated every hour or gigabyte, and the key must stay the same.
type hostKeyCheck struct {
	trip   *trip
	known  *knownSet
	agreed []byte
}

// check runs in a goroutine of x/crypto, where nothing else catches a panic.
func (h *hostKeyCheck) check(address string, remote net.Addr, key ssh.PublicKey) (err error) {
	defer reach.Recover(&err)
	if h.agreed != nil {
		if string(h.agreed) != string(key.Marshal()) {
			return errors.New("host key changed during the session")
		}
		return nil
	}
	log := h.trip.log
	log.Done(h.trip.conn.serverVersion())
	log.Begin(StageHostKey, "")
	where, err := h.known.check(address, remote, key)
	if err != nil {
		return err
	}
	h.agreed = key.Marshal()
	log.Done(where)
	log.Begin(StageLogin, "")
	h.trip.conn.allow(h.trip.d.limits.login)
	return nil
}

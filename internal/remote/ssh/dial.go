package ssh

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/hostkey"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// hostLogin reaches one host: from its name to a login.
type hostLogin struct {
	d     *Door
	node  string
	log   *remote.Log
	asker Asker // nil: nobody answers questions

	// Of a jump host.
	isJump bool
	to     hop
	before string   // see jump
	path   []string // see jump

	target    *settings.Settings
	elsewhere *hostkey.OtherHost     // what the login host knows about host keys; nil: nothing
	via       *jump                  // nil: none
	proxy     *settings.ProxyProcess // nil: none
	conn      *sshconn.Watched
	asked     bool // the user has answered a question
}

func (a *hostLogin) openShell(ctx context.Context) (*shell, error) {
	a.log.Begin(advice.StageName, "")
	err := a.setTarget(ctx)
	if err != nil {
		return nil, err
	}
	if a.conn, err = a.reachHost(ctx); err != nil {
		return nil, err
	}
	c, err := a.logIn(ctx)
	if err != nil {
		closeQuietly(a.conn)
		return nil, err
	}
	a.conn.Allow(0)
	return &shell{hostLogin: a, Sessions: sshconn.Over(c, a.conn, a.d.limits.closing)}, nil
}

// logIn runs the stages ssh, host key and login. The connection's deadlines end most of it; sshconn.Await covers the
// rest.
func (a *hostLogin) logIn(ctx context.Context) (*sshconn.Client, error) {
	a.log.Begin(advice.StageSSH, "")
	a.conn.Allow(a.connectTimeout(a.d.limits.ssh))
	known, err := a.d.known.loadKnownHosts(a.target, a.elsewhere)
	if err != nil {
		return nil, err
	}
	if err := sshconn.CheckAlgorithms(a.target, known.listAlgorithms()); err != nil {
		return nil, err
	}
	limit := 2 * (a.connectTimeout(a.d.limits.ssh) + a.d.limits.login)
	if a.asker != nil {
		limit += maxAnswering
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	overdue := &deadline{limit: limit, timer: time.AfterFunc(limit, func() { cancel(context.DeadlineExceeded) })}
	defer overdue.timer.Stop()
	login := &login{trip: a, asks: questions{trip: a, taken: map[string]func(sshconn.AnswerVerdict){}}}
	// gone is nil: only the handshake notices the end of the connection.
	return sshconn.Await(ctx, nil, func() (*sshconn.Client, error) { return a.runHandshake(ctx, overdue, known, login) },
		func(c *sshconn.Client) { closeQuietly(c) })
}

// deadline ends a handshake. The time that the handshake waits for its turn does not count.
type deadline struct {
	limit time.Duration
	timer *time.Timer
}

// pauseDuring calls f, without counting the time that it takes.
func (d *deadline) pauseDuring(f func()) {
	d.timer.Stop()
	f()
	d.timer.Reset(d.limit)
}

func (a *hostLogin) runHandshake(ctx context.Context, overdue *deadline, known *knownSet,
	login *login) (*sshconn.Client,
	error) {
	defer context.AfterFunc(ctx, func() { closeQuietly(a.conn) })()
	defer login.closeAgent()
	endTurn := func() {}
	defer func() { endTurn() }()
	// A handshake costs CPU time on this host, and a query to the cluster's user directory. It begins when sshd has
	// answered, so a host that is dead or hangs holds no turn. A handshake that takes long to log in gives its turn
	// away.
	a.conn.Greet = func() (err error) {
		a.conn.Allow(0)
		overdue.pauseDuring(func() {
			var end func()
			if end, err = a.d.handshakes.Take(ctx); err == nil {
				endTurn = end
			}
		})
		a.conn.Allow(a.connectTimeout(a.d.limits.ssh))
		return err
	}
	check := &hostKeyCheck{trip: a, known: known, agree: func() { time.AfterFunc(a.d.limits.turn, endTurn) }}
	c, chans, reqs, err := ssh.NewClientConn(a.conn, a.target.KeyAddress(), &ssh.ClientConfig{
		Config: ssh.Config{
			KeyExchanges: a.target.KexAlgorithms, Ciphers: sshconn.CheapestCiphersFirst(a.target.Ciphers), MACs: a.target.MACs,
			RekeyThreshold: a.target.RekeyLimit,
		},
		User: a.target.User,
		// Blanks and minus signs separate the fields of a version.
		ClientVersion:     "SSH-2.0-nvnodetop_" + strings.NewReplacer(" ", "_", "-", "_").Replace(a.d.version),
		HostKeyCallback:   check.checkKey,
		HostKeyAlgorithms: known.listAlgorithms(),
		AuthCallback:      func(auth *ssh.ClientAuthContext) (ssh.AuthMethod, error) { return login.nextMethod(ctx, auth) },
		BannerCallback:    func(words string) error { a.log.Hear(words); return nil },
	})
	if err != nil {
		return nil, login.explainError(err)
	}
	login.asks.keepAnswers(sshconn.AnswerAccepted)
	a.log.Done(login.loginText())
	return sshconn.NewClient(c, chans, reqs), nil
}

// hostKeyCheck is the stage host key. The key exchange is repeated every hour or gigabyte, and the key must stay the
// same.
type hostKeyCheck struct {
	trip   *hostLogin
	known  *knownSet
	agree  func() // called when the key is found known, and the login begins
	agreed []byte
}

// checkKey runs in a goroutine of x/crypto, where nothing else catches a panic.
func (h *hostKeyCheck) checkKey(address string, remote net.Addr, key ssh.PublicKey) (err error) {
	defer reach.Recover(&err)
	if h.agreed != nil {
		if string(h.agreed) != string(key.Marshal()) {
			return errors.New("host key changed during the session")
		}
		return nil
	}
	log := h.trip.log
	log.Done(h.trip.conn.ServerVersion())
	log.Begin(advice.StageHostKey, "")
	where, err := h.known.checkKey(address, remote, key)
	if err != nil {
		return err
	}
	h.agreed = key.Marshal()
	log.Done(where)
	log.Begin(advice.StageLogin, "")
	h.agree()
	h.trip.conn.Allow(h.trip.d.limits.login)
	return nil
}

// Explain explains an error of a shell. It also serves a trip that ends before there is a shell.
func (a *hostLogin) Explain(c *remote.Case, err error) { a.newCircumstances().Explain(c, err) }

func (a *hostLogin) newCircumstances() *advice.Circumstances {
	at := &advice.Circumstances{Log: a.log}
	if a.target != nil {
		at.User, at.Ignored = a.target.User, a.target.Ignored
	}
	if a.via != nil {
		at.Via = a.via.to.host
	}
	if a.proxy != nil {
		_ = a.proxy.Close() // the connection is over, so its error output is complete
		at.Proxy = a.proxy.Failure(time.Second)
	}
	if a.conn != nil {
		at.Peer, at.Broken, at.Preamble = a.conn.RemoteAddr().String(), a.conn.Failure(), a.conn.Preamble()
	}
	return at
}

package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"golang.org/x/crypto/ssh"
)

// attempt is one way from a node's name to its probe's Hello.
type attempt struct {
	d      *Dialer
	node   string
	target *target
	conn   *watchedConn
	banner capture // what sshd and PAM say during the login

	// The host key is checked in a goroutine of x/crypto's, so the stages are reported under a lock.
	mu    sync.Mutex
	step  func(reach.Step)
	stage reach.Stage
	began time.Time
}

// begin enters stage; called again for the same stage, it changes the text.
func (a *attempt) begin(stage reach.Stage, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stage != stage {
		a.stage, a.began = stage, time.Now()
	}
	a.step(reach.Step{Stage: stage, State: reach.StepBegan, Text: text})
}

func (a *attempt) done(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step(reach.Step{Stage: a.stage, State: reach.StepDone, Text: text, Took: time.Since(a.began)})
}

// fail ends the attempt in its current stage.
func (a *attempt) fail(err error) *reach.Failure {
	a.mu.Lock()
	defer a.mu.Unlock()
	verdict := classify(a.circumstances(), err)
	a.step(reach.Step{Stage: a.stage, State: reach.StepFailed, Text: verdict.step, Took: time.Since(a.began)})
	return verdict.failure
}

// circumstances are what classify needs to know beside the error.
func (a *attempt) circumstances() circumstances {
	c := circumstances{node: a.node, stage: a.stage, took: time.Since(a.began)}
	if a.target != nil {
		c.user, c.port, c.ignored = a.target.user, a.target.port, a.target.ignored
	}
	if a.conn != nil {
		c.peer, c.broken = a.conn.RemoteAddr().String(), a.conn.failure()
		if a.stage == reach.StageSSH {
			c.words = a.conn.preamble()
		}
	}
	c.words = joinWords(c.words, a.banner.String())
	return c
}

func (a *attempt) run(ctx context.Context) (*session, error) {
	a.begin(reach.StageName, "")
	t, err := a.d.target(a.node)
	if err != nil {
		return nil, err
	}
	a.target = t
	addrs, err := a.resolve(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := a.connect(ctx, addrs)
	if err != nil {
		return nil, err
	}
	// From here on a context that ends closes the connection, which ends whatever waits for it.
	stop := context.AfterFunc(ctx, func() { drop(conn) })
	s, err := a.converse(ctx, conn)
	if !stop() && err == nil {
		drop(s)
		err = ctx.Err()
	}
	return s, err
}

func (a *attempt) resolve(ctx context.Context) ([]net.IPAddr, error) {
	ctx, cancel := context.WithTimeout(ctx, a.d.limits.name)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupIPAddr(ctx, a.target.hostName)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no address", Name: a.target.hostName, IsNotFound: true}
	}
	a.done(fmt.Sprintf("%s is %s", a.node, addrs[0].String()))
	return addrs, nil
}

// connect tries the addresses in the resolver's order and keeps the first that answers.
func (a *attempt) connect(ctx context.Context, addrs []net.IPAddr) (*watchedConn, error) {
	a.begin(reach.StageTCP, "connecting to port "+a.target.port)
	ctx, cancel := context.WithTimeout(ctx, a.d.limits.tcp)
	defer cancel()
	var first error
	for i, addr := range addrs {
		dialer := net.Dialer{Timeout: a.d.limits.tcp / time.Duration(len(addrs)-i)}
		conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(addr.String(), a.target.port))
		if err == nil {
			a.done("port " + a.target.port + " answers")
			a.conn = watch(conn, a.d.limits.write)
			return a.conn, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// converse speaks with sshd and leaves a session whose probe has said Hello.
func (a *attempt) converse(ctx context.Context, conn *watchedConn) (*session, error) {
	client, err := a.handshake(ctx, conn)
	if err != nil {
		drop(conn)
		return nil, err
	}
	conn.allow(0)
	p, err := a.deploy(ctx, client)
	if err != nil {
		drop(client)
		return nil, err
	}
	hello, err := a.greet(p)
	if err != nil {
		p.kill()
		drop(client)
		return nil, err
	}
	conn.allow(0)
	return newSession(a, client, p, hello), nil
}

// handshake is the stages ssh, host key and login.
func (a *attempt) handshake(ctx context.Context, conn *watchedConn) (*client, error) {
	a.begin(reach.StageSSH, "")
	conn.allow(a.d.limits.ssh)
	known, err := a.d.known.load(a.target.knownHosts)
	if err != nil {
		return nil, err
	}
	login := &login{a: a, ctx: ctx}
	defer login.close()
	check := &hostKeyCheck{a: a, known: known, login: login}
	c, chans, reqs, err := ssh.NewClientConn(conn, a.target.keyAddress(), &ssh.ClientConfig{
		User:              a.target.user,
		ClientVersion:     "SSH-2.0-nvnodetop_" + versionToken(a.d.cfg.Version),
		HostKeyCallback:   check.check,
		HostKeyAlgorithms: known.algorithms(a.target.keyAddress()),
		AuthCallback:      login.next,
		BannerCallback:    func(words string) error { a.banner.keep([]byte(words)); return nil },
	})
	if err != nil {
		return nil, login.explain(err)
	}
	a.done(login.accepted())
	return newClient(c, chans, reqs), nil
}

// versionToken makes a version fit for an SSH version string, in which spaces and minus signs part fields.
func versionToken(v string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f && r != '-' {
			return r
		}
		return '_'
	}, v)
}

// hostKeyCheck is the stage host key. The key exchange is repeated every hour or gigabyte: then the key must still be the same.
type hostKeyCheck struct {
	a      *attempt
	known  *knownSet
	login  *login
	agreed []byte
}

func (h *hostKeyCheck) check(address string, remote net.Addr, key ssh.PublicKey) error {
	if h.agreed != nil {
		if string(h.agreed) != string(key.Marshal()) {
			return errors.New("the host key changed during the session")
		}
		return nil
	}
	h.a.done(h.a.conn.serverVersion())
	h.a.begin(reach.StageHostKey, "")
	where, err := h.known.check(address, remote, key)
	if err != nil {
		return err
	}
	h.agreed = key.Marshal()
	h.a.done(where)
	h.a.begin(reach.StageLogin, "")
	h.a.conn.allow(h.a.d.limits.login)
	return nil
}

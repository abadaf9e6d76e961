package ssh

import (
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// forward serves a direct-tcpip channel as sshd does.
func (n *node) forward(nc ssh.NewChannel) {
	var to struct {
		Host       string
		Port       uint32
		From       string
		Originator uint32
	}
	_ = ssh.Unmarshal(nc.ExtraData(), &to)
	connect := n.connect
	if connect == nil {
		connect = func(address string) (net.Conn, error) { return net.Dial("tcp", address) }
	}
	conn, err := connect(net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))))
	if err != nil {
		reason, text := ssh.ConnectionFailed, err.Error()
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			text = strings.ToUpper(errno.Error()[:1]) + errno.Error()[1:]
		}
		if errors.Is(err, errForbidden) {
			reason, text = ssh.Prohibited, "open failed"
		}
		_ = nc.Reject(reason, text)
		return
	}
	ch, requests, err := nc.Accept()
	if err != nil {
		closeQuietly(conn)
		return
	}
	n.wg.Go(func() { ssh.DiscardRequests(requests) })
	n.wg.Go(func() {
		_, _ = io.Copy(conn, ch)
		closeQuietly(conn)
	})
	_, _ = io.Copy(ch, conn)
	closeQuietly(ch)
	closeQuietly(conn)
}

var errForbidden = errors.New("forbidden")

// logins counts the connections that log in.
func logins(count *atomic.Int32) func(*node) {
	return func(n *node) {
		n.after = func(*ssh.ServerConn, net.Conn) { count.Add(1) }
	}
}

// behind configures nodes behind a jump host.
func (s *site) behind(jump string, nodes ...string) {
	s.t.Helper()
	s.append(filepath.Join(s.home, ".ssh", "config"), fmt.Sprintf("Host %s\n  ProxyJump %s\n", strings.Join(nodes, " "),
		jump))
	s.reread()
}

func TestNodesShareTheJumpHost(t *testing.T) {
	s := newSite(t)
	var count atomic.Int32
	s.configure("login1", startNode(t, s, logins(&count)))
	var names []string
	for i := range 8 {
		names = append(names, fmt.Sprintf("n%d", i))
		s.configure(names[i], startNode(t, s, nil))
	}
	s.behind("login1", names...)
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() {
			session, err := s.o.Open(t.Context(), name, func(reach.Step) {})
			if err != nil {
				t.Errorf("%s: %s", name, describe(err))
				return
			}
			_ = session.Close()
		})
	}
	wg.Wait()
	if count.Load() != 1 {
		t.Errorf("%d logins on the jump host, want 1", count.Load())
	}
}

func TestChainOfJumpHosts(t *testing.T) {
	s := newSite(t)
	var a, b atomic.Int32
	s.configure("a", startNode(t, s, logins(&a)))
	second := startNode(t, s, logins(&b))
	s.configure("b", second)
	s.configure("n", startNode(t, s, nil))
	_, port, _ := net.SplitHostPort(second.ln.Addr().String())
	s.append(s.known, knownhosts.Line([]string{"[127.0.0.1]:" + port}, second.host.PublicKey())+"\n")
	s.behind("a,ssh://someone@[127.0.0.1]:"+port, "n")
	s.mustOpen("n")
	if a.Load() != 1 || b.Load() != 1 {
		t.Errorf("logins: %d on a, %d on b, want one on each", a.Load(), b.Load())
	}
}

// A jump host may have a jump host of its own, in the configuration.
func TestJumpHostBehindAJumpHost(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"a", "b", "n"} {
		s.configure(name, startNode(t, s, nil))
	}
	s.behind("a", "b")
	s.behind("b", "n")
	s.mustOpen("n")
	s.behind("y", "x")
	s.behind("x", "y")
	if f := s.mustFail("x", reach.ClassLocal); !strings.Contains(f.Words, "leads in a circle") {
		t.Errorf("circle: %s", describe(f))
	}
}

func TestEveryHostKeyIsChecked(t *testing.T) {
	s := newSite(t)
	s.configure("login1", startNode(t, s, nil))
	s.configure("n", startNode(t, s, nil))
	s.behind("login1", "n")
	all := s.known
	writeFile(t, all, "# nothing\n")
	if f := s.mustFail("n", reach.ClassHostKeyUnknown); !strings.Contains(f.Summary(),
		"jump host login1: host key unknown") || !strings.Contains(strings.Join(f.Hints, "|"), "ssh login1") {
		t.Errorf("jump host: %s", describe(f))
	}
}

func TestWhatTheJumpHostAnswers(t *testing.T) {
	for want, tc := range map[string]struct {
		err   error
		class reach.Class
	}{
		"connection refused (from login1)": {syscall.ECONNREFUSED, reach.ClassRefused},
		"no route to host (from login1)":   {syscall.EHOSTUNREACH, reach.ClassNoRoute},
		"no response (from login1)":        {syscall.ETIMEDOUT, reach.ClassTimeout},
		"unknown host (from login1)": {errors.New("Name or service not known"),
			reach.ClassUnknownHost},
		"login1 does not forward connections (from login1)": {errForbidden, reach.ClassDenied},
		"not reached (from login1): something odd":          {errors.New("something odd"), reach.ClassOther},
	} {
		t.Run(want, func(t *testing.T) {
			s := newSite(t)
			s.configure("login1", startNode(t, s, func(n *node) {
				n.connect = func(string) (net.Conn, error) { return nil, tc.err }
			}))
			s.behind("login1", "n")
			if f := s.mustFail("n", tc.class); f.Summary() != want || f.Stage != advice.StageTCP {
				t.Errorf("got %s", describe(f))
			}
		})
	}
}

// A jump host may be hostile, too. Its words are kept for each node, and shown in one line.
func TestJumpHostThatSaysMuch(t *testing.T) {
	s := newSite(t)
	s.configure("login1", startNode(t, s, func(n *node) {
		n.connect = func(string) (net.Conn, error) {
			return nil, errors.New(strings.Repeat("odd\x1b[2J ", 20_000) + "\nmore")
		}
	}))
	s.behind("login1", "n")
	f := s.mustFail("n", reach.ClassOther)
	if size := len(fmt.Sprint(*f)); size > 8<<10 || len(f.Summary()) > 200 || strings.Contains(f.Summary(), "\n") {
		t.Errorf("a failure of %d bytes, with a summary of %d", size, len(f.Summary()))
	}
}

// A silent node costs the jump host one request, however many attempts there are; the last attempt gets a late answer.
func TestDeadNodeBehindAJumpHost(t *testing.T) {
	s := newSite(t)
	s.d.limits.tcp = 50 * time.Millisecond
	n := startNode(t, s, nil)
	s.configure("n", n)
	var requests atomic.Int32
	wake := make(chan struct{})
	s.configure("login1", startNode(t, s, func(jump *node) {
		jump.connect = func(address string) (net.Conn, error) {
			requests.Add(1)
			<-wake
			return net.Dial("tcp", address)
		}
	}))
	s.behind("login1", "n")
	for range 3 {
		if f := s.mustFail("n", reach.ClassTimeout); f.Stage != advice.StageTCP {
			t.Errorf("got %s", describe(f))
		}
	}
	time.AfterFunc(100*time.Millisecond, func() { close(wake) })
	s.d.limits.tcp = 5 * time.Second
	s.mustOpen("n")
	if requests.Load() != 1 {
		t.Errorf("%d requests, want 1", requests.Load())
	}
}

// A jump host that dies takes its sessions along, says so, and is dialed anew. While it is away, it is not dialed for
// each node.
func TestJumpHostDies(t *testing.T) {
	s := newSite(t)
	s.d.limits.again = 100 * time.Millisecond
	var count atomic.Int32
	jump := startNode(t, s, logins(&count))
	s.configure("login1", jump)
	s.configure("n", startNode(t, s, nil))
	s.behind("login1", "n")
	session := s.mustOpen("n")
	_, _ = session.Next() // Hello
	jump.drop()
	if _, err := session.Next(); err == nil {
		t.Fatal("the session goes on")
	} else if f := wantClass(t, err, reach.ClassClosed); f.Short != "connection through login1 closed" {
		t.Errorf("got %s", describe(f))
	}
	for range 20 {
		_, err := s.open("n")
		if err == nil {
			break
		}
		if f := wantClass(t, err, reach.ClassClosed); !strings.Contains(f.Summary(),
			"jump host login1: connection lost: closed by the host") {
			t.Fatalf("got %s", describe(f))
		}
		time.Sleep(20 * time.Millisecond)
	}
	if count.Load() != 2 {
		t.Errorf("%d logins, want 2", count.Load())
	}
}

// A jump host that is away is dialed less and less often, however many nodes need it; r dials at once.
func TestJumpHostIsNotAskedForEachNode(t *testing.T) {
	s := newSite(t)
	s.d.limits.again = 50 * time.Millisecond
	var count atomic.Int32
	s.configure("login1", startNode(t, s, func(n *node) {
		n.raw = func(c net.Conn) { count.Add(1) }
	}))
	s.behind("login1", "n")
	for until := time.Now().Add(time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		s.mustFail("n", reach.ClassClosed)
	}
	if got := count.Load(); got < 3 || got > 7 { // at 0, 50, 150, 350, 750 ms
		t.Errorf("asked %d times in 1 s", got)
	}
	before := count.Load()
	s.d.Retry()
	s.mustFail("n", reach.ClassClosed)
	if count.Load() != before+1 {
		t.Error("r does not ask again")
	}
}

// The silence of a jump host is noticed, and ends everything that waits for it.
func TestJumpHostHangs(t *testing.T) {
	s := newSite(t)
	s.d.limits.alive, s.d.limits.again, s.d.limits.tcp = 90*time.Millisecond, 20*time.Millisecond, 200*time.Millisecond
	var hang atomic.Bool
	held := make(chan struct{})
	jump := startNode(t, s, nil)
	relay := startRelay(t, jump, func() {
		if hang.Load() {
			<-held
		}
	})
	t.Cleanup(func() { close(held) })
	s.append(s.known, knownhosts.Line([]string{knownhosts.Normalize(relay)}, jump.host.PublicKey())+"\n")
	host, port, _ := net.SplitHostPort(relay)
	s.append(filepath.Join(s.home, ".ssh", "config"), fmt.Sprintf("Host login1\n  HostName %s\n  Port %s\n", host,
		port))
	s.configure("n", startNode(t, s, nil))
	s.behind("login1", "n")
	session := s.mustOpen("n")
	_, _ = session.Next()
	hang.Store(true)
	began := time.Now()
	if _, err := session.Next(); err == nil || time.Since(began) > time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// startRelay forwards connections to a node, and calls before for each piece.
func startRelay(t *testing.T, n *node, before func()) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeQuietly(ln) })
	pump := func(to, from net.Conn) {
		defer closeQuietly(to)
		piece := make([]byte, 32<<10)
		for {
			k, err := from.Read(piece)
			before()
			if _, failed := to.Write(piece[:k]); err != nil || failed != nil {
				return
			}
		}
	}
	go func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", n.ln.Addr().String())
			if err != nil {
				return
			}
			go pump(near, far)
			go pump(far, near)
		}
	}()
	return ln.Addr().String()
}

func TestIdleJumpHostIsClosed(t *testing.T) {
	s := newSite(t)
	s.d.limits.alive, s.d.limits.idle = 30*time.Millisecond, 50*time.Millisecond
	closed := make(chan struct{}, 1)
	s.configure("login1", startNode(t, s, func(n *node) {
		n.after = func(c *ssh.ServerConn, _ net.Conn) {
			n.wg.Go(func() {
				_ = c.Wait()
				closed <- struct{}{}
			})
		}
	}))
	s.configure("n", startNode(t, s, nil))
	s.behind("login1", "n")
	session := s.mustOpen("n")
	select {
	case <-closed:
		t.Fatal("closed while a session uses it")
	case <-time.After(300 * time.Millisecond):
	}
	_ = session.Close()
	select {
	case <-closed:
	case <-time.After(3 * time.Second):
		t.Fatal("not closed")
	}
	s.mustOpen("n")
}

// BenchmarkNodesThroughJumpHost measures the time until 64 nodes have said Hello, through one new connection to a jump
// host.
func BenchmarkNodesThroughJumpHost(b *testing.B) {
	s := newSite(b)
	s.configure("login1", startNode(b, s, nil))
	var names []string
	for i := range 64 {
		names = append(names, fmt.Sprintf("n%d", i))
		s.configure(names[i], startNode(b, s, nil))
	}
	s.behind("login1", names...)
	for b.Loop() {
		var wg sync.WaitGroup
		for _, name := range names {
			wg.Go(func() {
				session, err := s.o.Open(b.Context(), name, func(reach.Step) {})
				if err != nil {
					b.Errorf("%s: %s", name, describe(err))
					return
				}
				_ = session.Close()
			})
		}
		wg.Wait()
	}
}

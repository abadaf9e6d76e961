package ssh

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// failing reads until an error comes.
func failing(t *testing.T, next func() (wire.Message, error)) error {
	t.Helper()
	for {
		if _, err := next(); err != nil {
			return err
		}
	}
}

// TestFailuresOfSessions ends sessions in the middle of their streams.
func TestFailuresOfSessions(t *testing.T) {
	start := wire.Magic + "\n" + hello
	for _, c := range []struct {
		name    string
		session func(ssh.Channel, string)
		class   reach.Class
		words   string
	}{
		{"killed", func(ch ssh.Channel, _ string) {
			fmt.Fprint(ch, start)
			_, _ = ch.SendRequest("exit-signal", false, ssh.Marshal(struct {
				Name       string
				Core       bool
				Text, Lang string
			}{Name: "KILL"}))
		}, reach.ClassProbeKilled, ""},
		{"killed under a shell", say(start, 137), reach.ClassProbeKilled, ""},
		{"fails", func(ch ssh.Channel, _ string) {
			fmt.Fprint(ch, start)
			fmt.Fprint(ch.Stderr(), "panic: oh\n")
			sendStatus(ch, 2)
		}, reach.ClassProbeFailed, "panic: oh"},
		{"closed", func(ch ssh.Channel, _ string) { fmt.Fprint(ch, start) }, reach.ClassClosed, ""},
		{"garbage", say(start+"oops\n", 0), reach.ClassGarbage, "oops"},
		{"another protocol", say(start+"{\"future\":{}}\n", 0), reach.ClassGarbage, ""},
		{"mid-line", say(start+"{\"rep", 137), reach.ClassProbeKilled, ""},
		{"too long", say(start+strings.Repeat("y", wire.MaxLine+1), 0), reach.ClassTooMuch, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			n := startNode(t, s, func(n *node) { n.session = c.session })
			s.configure("n", n)
			session := s.mustOpen("n")
			f := wantClass(t, failing(t, session.Next), c.class)
			if f.Stage != "" || !strings.Contains(f.Words, c.words) {
				t.Errorf("got %s", describe(f))
			}
		})
	}
}

// TestSilence freezes a connection in the middle of a stream: it ends by itself, and Close does not hang on it.
func TestSilence(t *testing.T) {
	s := newSite(t)
	s.o.Installer.Link.Alive, s.o.Installer.Link.Silence = 100*time.Millisecond, time.Second
	n := startNode(t, s, nil)
	relay := newRelay(t, n.ln.Addr().String())
	s.configure("n", n)
	host, port, _ := net.SplitHostPort(relay.ln.Addr().String())
	writeFile(t, filepath.Join(s.home, ".ssh", "config"),
		fmt.Sprintf("Host n\nHostName %s\nPort %s\nHostKeyAlias alias\n", host, port))
	s.append(s.known, knownhosts.Line([]string{"alias"}, n.host.PublicKey())+"\n")
	s.reread()

	session := s.mustOpen("n")
	ended := make(chan error, 1)
	go func() { ended <- failing(t, session.Next) }()
	select {
	case err := <-ended:
		t.Fatalf("ended although Alives are answered: %v", describe(err))
	case <-time.After(2 * s.o.Installer.Link.Silence):
	}
	relay.freeze()
	select {
	case err := <-ended:
		_ = wantClass(t, err, reach.ClassSilent)
	case <-time.After(5 * time.Second):
		t.Fatal("a frozen connection does not end")
	}
	began := time.Now()
	_ = session.Close()
	if took := time.Since(began); took > time.Second {
		t.Errorf("Close took %v", took)
	}
}

// TestCloseOfFrozen closes a session with a node that no longer answers.
func TestCloseOfFrozen(t *testing.T) {
	s := newSite(t)
	n := startNode(t, s, func(n *node) {
		n.session = func(ch ssh.Channel, _ string) {
			fmt.Fprint(ch, wire.Magic+"\n"+hello)
			<-t.Context().Done() // deaf to the end of its input
		}
	})
	s.configure("n", n)
	session := s.mustOpen("n")
	waiting := make(chan error, 1)
	if _, err := session.Next(); err != nil {
		t.Fatal(err)
	}
	go func() { _, err := session.Next(); waiting <- err }()
	began := time.Now()
	_ = session.Close()
	_ = session.Close()
	if took := time.Since(began); took > time.Second {
		t.Errorf("Close took %v", took)
	}
	select {
	case err := <-waiting:
		if !errors.Is(err, link.ErrClosed) {
			t.Errorf("Next returned %v", err)
		}
	case <-time.After(time.Second):
		t.Error("Next still waits")
	}
}

// relay passes bytes on until it is frozen.
type relay struct {
	ln     net.Listener
	frozen chan struct{}
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{ln: ln, frozen: make(chan struct{})}
	t.Cleanup(func() { closeQuietly(ln) })
	go func() {
		a, err := ln.Accept()
		if err != nil {
			return
		}
		b, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		t.Cleanup(func() { closeQuietly(a); closeQuietly(b) })
		go r.pass(a, b)
		r.pass(b, a)
	}()
	return r
}

func (r *relay) freeze() { close(r.frozen) }

func (r *relay) pass(from, to net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		select {
		case <-r.frozen:
			return
		default:
		}
		if err != nil {
			closeQuietly(to)
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

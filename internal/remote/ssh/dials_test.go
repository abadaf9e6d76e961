package ssh

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// blackHole returns the port of a socket on the loopback with a full queue: an attempt to connect waits until its
// timeout.
func blackHole(t testing.TB) (port int) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	port = name.(*syscall.SockaddrInet4).Port
	for range 8 {
		conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), 100*time.Millisecond)
		if err != nil {
			return port
		}
		t.Cleanup(func() { closeQuietly(conn) })
	}
	t.Skip("needs a kernel that lets connections wait when the queue of a socket is full")
	return 0
}

// watched is a Manager over a site, with the time at which each node said Hello.
type watched struct {
	*poller.Manager
	hellos chan string
}

func watchSite(t testing.TB, s *site) *watched {
	t.Helper()
	w := &watched{poller.New(poller.Config{Opener: s.o, Interval: time.Second, Retries: 64}), make(chan string, 1000)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx, func(e cluster.Event) {
			if e.Hello != nil {
				w.hellos <- e.Node
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return w
}

// wait returns the time until the Hello of a node.
func (w *watched) wait(t testing.TB, node string, began time.Time) time.Duration {
	t.Helper()
	for {
		select {
		case name := <-w.hellos:
			if name == node {
				return time.Since(began)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s did not come in 10 s", node)
		}
	}
}

// among makes a site with dead nodes.
func among(t testing.TB, dead int) (*site, []string) {
	t.Helper()
	s := newSite(t)
	port := blackHole(t)
	var names []string
	for i := range dead {
		names = append(names, fmt.Sprintf("dead%03d", i))
	}
	s.append(filepath.Join(s.home, ".ssh", "config"), fmt.Sprintf("Host dead*\n  HostName 127.0.0.1\n  Port %d\n",
		port))
	for _, name := range []string{"last", "new"} {
		s.configure(name, startNode(t, s, nil))
	}
	return s, names
}

// 320 silent nodes delay no other node: neither a node of the same job, nor a node of a job that starts during their
// retries.
func TestHealthyNodesAmongDeadOnes(t *testing.T) {
	s, dead := among(t, 320)
	wait := 4 * time.Second // for a dead node
	if raced.On {           // 320 dials are seconds of CPU time
		wait *= 3
	}
	s.d.limits.tcp = wait
	w := watchSite(t, s)
	w.SetNodes(dead)
	time.Sleep(200 * time.Millisecond) // all are dialed
	w.SetNodes(append(slices.Clone(dead), "last"))
	if took := w.wait(t, "last", time.Now()); took > wait-time.Second {
		t.Errorf("a healthy node of the same job came after %v", took)
	}
	time.Sleep(wait + 2*time.Second) // all retries are over
	w.SetNodes(append(slices.Clone(dead), "last", "new"))
	if took := w.wait(t, "new", time.Now()); took > wait-time.Second {
		t.Errorf("a new node came after %v", took)
	}
}

// Servers that accept connections and say nothing hold no turn either.
func TestHungServersHoldNoTurn(t *testing.T) {
	s := newSite(t)
	hung := startNode(t, s, func(n *node) { n.raw = func(c net.Conn) { swallow(c) } })
	s.append(filepath.Join(s.home, ".ssh", "config"), strings.Replace(hung.hostBlock("hung"), "Host hung", "Host hung*",
		1))
	s.configure("last", startNode(t, s, nil))
	s.d.limits.ssh, s.d.limits.login, s.d.limits.turn = time.Hour, time.Hour, time.Hour // whoever holds a turn keeps it
	w := watchSite(t, s)
	var names []string
	for i := range 3 * parallelHandshakes {
		names = append(names, fmt.Sprintf("hung%03d", i))
	}
	w.SetNodes(names)
	time.Sleep(300 * time.Millisecond) // all are connected
	w.SetNodes(append(names, "last"))
	w.wait(t, "last", time.Now())
}

// The number of simultaneous logins is limited, but a slow login delays nobody for long.
func TestLoginsTakeTurns(t *testing.T) {
	noLeaks(t)
	for name, tc := range map[string]struct {
		turn   time.Duration
		passes bool // other nodes log in
	}{
		"during a turn": {time.Hour, false},
		"after a turn":  {100 * time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.d.limits.turn, s.d.limits.login = tc.turn, time.Minute
			var asked atomic.Int32
			release := make(chan struct{})
			slow := startNode(t, s, func(n *node) {
				accept := n.config.PublicKeyCallback
				n.config.PublicKeyCallback = func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
					asked.Add(1)
					<-release
					return accept(c, key)
				}
			})
			s.configure("slow*", slow)
			s.configure("last", startNode(t, s, nil))
			w := watchSite(t, s)
			var names []string
			for i := range parallelHandshakes {
				names = append(names, fmt.Sprintf("slow%03d", i))
			}
			w.SetNodes(names)
			for began := time.Now(); asked.Load() < parallelHandshakes; time.Sleep(time.Millisecond) {
				if time.Since(began) > 30*time.Second {
					t.Fatalf("%d nodes log in", asked.Load())
				}
			}
			w.SetNodes(append(names, "last"))
			if !tc.passes {
				select {
				case name := <-w.hellos:
					t.Errorf("%s did not wait for its turn", name)
				case <-time.After(300 * time.Millisecond):
				}
				close(release)
			}
			w.wait(t, "last", time.Now())
			if tc.passes {
				close(release)
			}
		})
	}
}

// The wait for a turn is not the node's fault: it counts against none of its deadlines.
func TestWaitingForATurnIsNotTheNodesTime(t *testing.T) {
	s := newSite(t)
	s.d.limits.ssh, s.d.limits.login = time.Second, time.Second
	s.configure("n", startNode(t, s, nil))
	for range parallelHandshakes {
		s.d.handshakes <- struct{}{}
	}
	time.AfterFunc(2*(s.d.limits.ssh+s.d.limits.login)+500*time.Millisecond, func() {
		for range parallelHandshakes {
			<-s.d.handshakes
		}
	})
	s.mustOpen("n")
}

// BenchmarkHealthyAmongDead measures the time until a healthy node appears behind 320 dead ones.
func BenchmarkHealthyAmongDead(b *testing.B) {
	s, dead := among(b, 320)
	for b.Loop() {
		w := watchSite(b, s)
		w.SetNodes(dead)
		w.SetNodes(append(slices.Clone(dead), "last"))
		took := w.wait(b, "last", time.Now())
		b.ReportMetric(float64(took.Milliseconds()), "ms-to-healthy")
		w.SetNodes(nil)
	}
}

package fleet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/ssh"
)

// node is a server.
type node struct {
	*Fleet
	number  int // from 0
	trouble trouble
	attack  func(*session) // replaces the Hello of a hostile node; nil: none
	host    key
	config  *ssh.ServerConfig

	listener net.Listener // nil: the node accepts no connection
	full     *full        // a socket in its place if the node is off; nil: none
	port     int

	reported atomic.Bool // it has sent a report

	mu    sync.Mutex // protects the following
	new   int        // connections that are not logged in
	conns map[net.Conn]bool
}

// maxStartups is OpenSSH's first limit: from this number of connections on that are not logged in, sshd turns new ones
// away at random. A node here turns all away.
const maxStartups = 10

// version is the version of the servers; those of Debian 12 and RHEL 9 are close.
const version = "SSH-2.0-OpenSSH_9.2p1 fleet"

var errKey = errors.New("not the key of the fleet")

func (f *Fleet) newNode(number int, t trouble, user ssh.PublicKey) (*node, error) {
	n := &node{Fleet: f, number: number, trouble: t, conns: map[net.Conn]bool{}}
	var err error
	if n.host, err = newKey(); err != nil {
		return nil, err
	}
	want := user.Marshal()
	n.config = &ssh.ServerConfig{
		ServerVersion: version,
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if !bytes.Equal(key.Marshal(), want) {
				return nil, errKey
			}
			return nil, nil
		},
	}
	n.config.AddHostKey(n.host)
	return n, nil
}

// listen makes a node listen at a port, or at a free one for 0.
func (n *node) listen(ctx context.Context, port int) (err error) {
	n.port = port
	switch n.trouble {
	case refuses:
		return nil
	case off:
		n.full, err = fill(address(n.number), port)
		return err
	}
	var c net.ListenConfig
	if n.listener, err = c.Listen(ctx, "tcp", endpoint(n.number, port)); err == nil {
		n.port = n.listener.Addr().(*net.TCPAddr).Port
	}
	return err
}

// close ends the server and its connections.
func (n *node) close() {
	if n.listener != nil {
		_ = n.listener.Close()
	}
	if n.full != nil {
		n.full.close()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.conns {
		_ = c.Close()
	}
}

func (n *node) serve() {
	for {
		conn, err := n.listener.Accept()
		if err != nil {
			return
		}
		if !n.admit(conn) {
			_ = conn.Close()
			continue
		}
		n.running.Go(func() {
			defer n.forget(conn)
			if n.trouble == hangs {
				n.hang(conn)
				return
			}
			n.speak(conn)
		})
	}
}

// admit counts a connection, or reports false if there are too many, or if the node is closing.
func (n *node) admit(conn net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ending.Err() != nil {
		return false
	}
	if n.new >= maxStartups {
		n.count(func(c *Counts) { c.Connections++; c.Turned++ })
		return false
	}
	n.conns[conn] = true
	n.new++
	n.count(func(c *Counts) {
		c.Connections++
		c.Unauthenticated.add(1)
		c.OnOneNode = max(c.OnOneNode, n.new)
	})
	return true
}

// settled notes that a connection is logged in, or has ended before.
func (n *node) settled() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.new--
	n.count(func(c *Counts) { c.Unauthenticated.add(-1) })
}

func (n *node) forget(conn net.Conn) {
	_ = conn.Close()
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.conns, conn)
}

// speak is the server's side of a connection.
func (n *node) speak(conn net.Conn) {
	c, channels, requests, err := n.shake(conn)
	if err != nil {
		return
	}
	defer drop(c)
	n.running.Go(func() { ssh.DiscardRequests(requests) })
	for wanted := range channels {
		if wanted.ChannelType() != "session" {
			_ = wanted.Reject(ssh.UnknownChannelType, "a fleet has sessions only")
			continue
		}
		channel, requests, err := wanted.Accept()
		if err != nil {
			return
		}
		n.running.Go(func() { n.run(channel, requests) })
	}
}

// shake does the handshake, and counts it.
func (n *node) shake(conn net.Conn) (*ssh.ServerConn, <-chan ssh.NewChannel, <-chan *ssh.Request, error) {
	w := &watched{Conn: n.far(conn), fleet: n.Fleet}
	config := *n.config
	config.AuthLogCallback = func(_ ssh.ConnMetadata, _ string, err error) {
		w.exchanged()
		if err == nil {
			w.done() // before the client is told, which may begin its next handshake then
		}
	}
	c, channels, requests, err := ssh.NewServerConn(w, &config)
	w.done()
	n.settled()
	if err == nil {
		n.count(func(c *Counts) { c.Logins++ })
	}
	return c, channels, requests, err
}

// watched counts the handshake of a connection. Its methods are called by the goroutines of one ssh connection, of
// which one reads.
type watched struct {
	net.Conn
	fleet *Fleet

	read    int
	began   bool      // the key exchange has begun
	agreed  sync.Once // runs when the key exchange has ended
	settled sync.Once // runs when the handshake has ended
}

// longestVersion is the longest first line of a client, by RFC 4253. The first message of the key exchange is longer.
const longestVersion = 255

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if !w.began {
		if w.read += n; w.read > longestVersion {
			w.began = true
			w.fleet.count(func(c *Counts) { c.Exchanges.add(1); c.Handshakes.add(1) })
		}
	}
	return n, err
}

// exchanged notes the end of the key exchange.
func (w *watched) exchanged() {
	w.agreed.Do(func() {
		if w.began {
			w.fleet.count(func(c *Counts) { c.Exchanges.add(-1) })
		}
	})
}

// done notes the end of the handshake.
func (w *watched) done() {
	w.exchanged()
	w.settled.Do(func() {
		if w.began {
			w.fleet.count(func(c *Counts) { c.Handshakes.add(-1) })
		}
	})
}

// run runs the command of a session.
func (n *node) run(channel ssh.Channel, requests <-chan *ssh.Request) {
	defer drop(channel)
	for r := range requests {
		if r.Type != "exec" {
			_ = r.Reply(false, nil)
			continue
		}
		var exec struct{ Command string }
		_ = ssh.Unmarshal(r.Payload, &exec)
		_ = r.Reply(true, nil)
		n.running.Go(func() {
			defer drop(channel)
			status := n.execute(channel, exec.Command)
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ N uint32 }{status}))
		})
	}
}

// startsProbe is in each script of internal/remote/install that ends as a probe; copies is in those that first need a
// copy.
const startsProbe, copies = `" probe`, "head -c "

// execute is a shell with one known command.
func (n *node) execute(channel ssh.Channel, command string) (status uint32) {
	if !strings.Contains(command, startsProbe) || strings.Contains(command, copies) {
		_, _ = channel.Stderr().Write([]byte("fleet: command not found\n"))
		return 127
	}
	n.probe(channel)
	return 0
}

// drop closes something that is no longer needed; its error does not matter.
func drop(c io.Closer) { _ = c.Close() }

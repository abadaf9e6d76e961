package web

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// How many connections may be open at a time: maxStreams streams, and some requests besides.
const (
	maxKnown     = 2 * maxStreams // of clients that have shown the token
	maxStrangers = 256            // of all others
)

// How long a client has to show its token: usually, and in a flood of clients. In a flood, a client has waited in the
// kernel's queue, so its request has already arrived, unless TLS needs several answers from the client.
const (
	grace      = 250 * time.Millisecond
	leastGrace = 25 * time.Millisecond
)

// limitedListener is a Listener on which only clients with the token keep a place. If there are already maxStrangers
// other clients and one more comes, the oldest of them is closed, once its time of grace to show the token is over. So
// nobody can keep the owner out by holding connections. The grace shrinks with each client that finds no room, and
// grows with each client that does. So even if the owner's connection is last in the kernel's queue, a flood takes less
// than a second.
//
// A client's time passes only while the server waits for its bytes. If a busy host is slow to read a request, or to
// find the token in it, that costs the owner nothing.
type limitedListener struct {
	net.Listener
	least time.Duration // the shortest grace

	mu        sync.Mutex // protects the following
	strangers list.List  // of *guest, the oldest first
	known     int

	grace time.Duration // for the next client; only Accept uses it
}

// newPlaces returns a Listener. least is the time of grace that clients need even in a flood.
func newPlaces(l net.Listener, least time.Duration) *limitedListener {
	return &limitedListener{Listener: l, least: least, grace: grace}
}

// limitedConn is a connection with a place.
type limitedConn struct {
	net.Conn
	at *limitedListener

	// Guarded by at.mu.
	line    *list.Element // nil: it is no stranger
	since   time.Time     // time of the first read; zero: the server has not begun to read
	reading bool          // the server is waiting for bytes from this client
	known   bool
	left    bool
}

// Accept waits for the next client.
func (p *limitedListener) Accept() (net.Conn, error) {
	c, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	p.makeRoom()
	return p.admitClient(c), nil
}

// admitClient gives a place to a client.
func (p *limitedListener) admitClient(c net.Conn) *limitedConn {
	g := &limitedConn{Conn: c, at: p}
	p.mu.Lock()
	defer p.mu.Unlock()
	g.line = p.strangers.PushBack(g)
	return g
}

// makeRoom closes the oldest stranger if there are too many. Meanwhile new clients wait in the kernel's queue.
func (p *limitedListener) makeRoom() {
	oldest := p.tooMany()
	if oldest == nil {
		p.grace = min(p.grace+p.grace/100, grace)
		return
	}
	p.grace = max(p.grace-p.grace/100, p.least)
	for ; oldest != nil; oldest = p.tooMany() {
		if wait := oldest.remainingTime(p.grace); wait > 0 {
			time.Sleep(wait)
			continue
		}
		_ = oldest.Close()
	}
}

// turn is after how long a client is checked again if the server still has to read or understand its bytes.
const turn = time.Millisecond

// remainingTime returns how much longer a client keeps its place at least.
func (g *limitedConn) remainingTime(grace time.Duration) time.Duration {
	g.at.mu.Lock()
	defer g.at.mu.Unlock()
	if !g.reading {
		return turn
	}
	return grace - time.Since(g.since)
}

// Read waits for bytes of the client.
func (g *limitedConn) Read(b []byte) (int, error) {
	g.setReading(true)
	defer g.setReading(false)
	return g.Conn.Read(b)
}

func (g *limitedConn) setReading(reading bool) {
	g.at.mu.Lock()
	defer g.at.mu.Unlock()
	if g.since.IsZero() {
		g.since = time.Now()
	}
	g.reading = reading
}

// tooMany returns the oldest stranger if there is no room for another one.
func (p *limitedListener) tooMany() *limitedConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.strangers.Len() < maxStrangers {
		return nil
	}
	return p.strangers.Front().Value.(*limitedConn)
}

// keepPlace gives a permanent place to a client that has shown the token, if one is free.
func (g *limitedConn) keepPlace() bool {
	p := g.at
	p.mu.Lock()
	defer p.mu.Unlock()
	if g.known || g.left || p.known >= maxKnown {
		return g.known
	}
	p.strangers.Remove(g.line)
	g.line, g.known = nil, true
	p.known++
	return true
}

// Close ends the connection and frees its place.
func (g *limitedConn) Close() error {
	g.freePlace()
	return g.Conn.Close()
}

func (g *limitedConn) freePlace() {
	p := g.at
	p.mu.Lock()
	defer p.mu.Unlock()
	if g.left {
		return
	}
	g.left = true
	if g.known {
		p.known--
	} else {
		p.strangers.Remove(g.line)
	}
}

type guestKey struct{}

// withGuest lets the handler of a request find the request's connection.
func withGuest(ctx context.Context, c net.Conn) context.Context {
	if over, ok := c.(*tls.Conn); ok {
		c = over.NetConn()
	}
	return context.WithValue(ctx, guestKey{}, c)
}

// mayStayOpen reports whether the connection of a request that has shown the token may stay open.
func mayStayOpen(r *http.Request) bool {
	g, ok := r.Context().Value(guestKey{}).(*limitedConn)
	return !ok || g.keepPlace()
}

package fleet

import (
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// segment is the size that TCP sends at once on most networks, in bytes; resend is the time before it sends one again,
// Linux's minimum.
const (
	segment = 1448
	resend  = 200 * time.Millisecond
)

// far is a connection over a long way. Only data from the server is delayed, by a whole round trip: for the client that
// is the same. The first answer comes two round trips later, since connecting takes one.
type far struct {
	net.Conn
	rtt   time.Duration
	loss  float64
	first sync.Once
	queue chan parcel

	mu   sync.Mutex // protects the following
	last time.Time  // arrival of the last parcel: none overtakes another
	over chan struct{}
}

// parcel is data that arrives together.
type parcel struct {
	at   time.Time
	data []byte
}

// underWay is the maximum number of parcels on their way.
const underWay = 64

// far delays a connection, if the fleet has a delay.
func (n *node) far(conn net.Conn) net.Conn {
	rtt := n.options.RTT
	if n.trouble == slow {
		rtt += late
	}
	if rtt == 0 && n.options.Loss == 0 {
		return conn
	}
	f := &far{Conn: conn, rtt: rtt, loss: n.options.Loss, queue: make(chan parcel, underWay), over: make(chan struct{})}
	n.running.Go(f.deliver)
	return f
}

func (f *far) Write(p []byte) (int, error) {
	select {
	case f.queue <- parcel{f.arrival(len(p)), append([]byte(nil), p...)}:
		return len(p), nil
	case <-f.over:
		return 0, net.ErrClosed
	}
}

// arrival returns the time at which size bytes arrive if they are sent now.
func (f *far) arrival(size int) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := time.Now().Add(f.rtt)
	f.first.Do(func() { at = at.Add(f.rtt) })
	for range (size + segment - 1) / segment {
		if rand.Float64() < f.loss {
			at = at.Add(resend)
		}
	}
	if at.Before(f.last) {
		at = f.last
	}
	f.last = at
	return at
}

func (f *far) deliver() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case p := <-f.queue:
			timer.Reset(time.Until(p.at))
			select {
			case <-timer.C:
			case <-f.over:
				return
			}
			if _, err := f.Conn.Write(p.data); err != nil {
				_ = f.Close()
				return
			}
		case <-f.over:
			return
		}
	}
}

// Close drops the data on its way.
func (f *far) Close() error {
	f.mu.Lock()
	select {
	case <-f.over:
	default:
		close(f.over)
	}
	f.mu.Unlock()
	return f.Conn.Close()
}

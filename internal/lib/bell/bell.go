// Package bell wakes a goroutine that waits for one of several things. Ringing never blocks, and several rings that
// nobody has received yet count as one. Any number of goroutines may ring a Bell. Await waits for a condition, and
// checks it after rings, but not too often. An Errand runs a function after rings. A Watchdog calls a function when
// something has been silent for too long.
package bell

// Bell is a channel: receive from it to wait for a ring.
type Bell chan struct{}

// New returns a Bell that has not been rung.
func New() Bell { return make(Bell, 1) }

// Ring wakes the receiver, or the next one.
func (b Bell) Ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

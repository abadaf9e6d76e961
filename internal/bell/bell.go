// Package bell wakes a goroutine that waits for one of several things. Ringing never blocks, and rings that nobody has heard yet count as
// one.
package bell

// Bell is rung by any number of goroutines and heard by receiving from it.
type Bell chan struct{}

// New returns a Bell that has not been rung.
func New() Bell { return make(Bell, 1) }

// Ring wakes whoever waits; one ring is remembered for whoever comes later.
func (b Bell) Ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

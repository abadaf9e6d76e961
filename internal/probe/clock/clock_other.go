//go:build !linux

package clock

import "time"

var started = time.Now()

// Now reads the clocks.
func Now() Moment { return Moment{Mono: time.Since(started), Wall: time.Now()} }

// KernelBeat is the runtime's ticker.
func KernelBeat() Beat { return NewBeat() }

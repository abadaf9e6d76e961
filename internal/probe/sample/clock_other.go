//go:build !linux

package sample

import "time"

var clockStarted = time.Now()

// Now reads the clocks.
func Now() Moment { return Moment{Mono: time.Since(clockStarted), Wall: time.Now()} }

// KernelBeat is the runtime's ticker.
func KernelBeat() Beat { return NewBeat() }

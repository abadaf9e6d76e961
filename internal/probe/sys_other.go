//go:build !linux

package probe

import (
	"time"
)

var started = time.Now()

func now() Moment { return Moment{Mono: time.Since(started), Wall: time.Now()} }

func kernel() string { return "" }

func kernelBeat() Beat { return tickerBeat() }

func alive(int) bool { return true } // there is no driver to list any

// Package cost measures what a test or a benchmark takes: its CPU time, which other work on the machine does not
// change, and its memory.
package cost

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the CPU time of this process.
func CPU(t testing.TB) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Heap returns the bytes in use, after a collection.
func Heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

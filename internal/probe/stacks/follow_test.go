//go:build linux

package stacks

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// followTwice reads where a process is, and again after several looks at it.
func followTwice(t *testing.T, pid int) (before, after wire.ProcessStacks) {
	t.Helper()
	stat, err := proc.Of("/proc", pid).Stat()
	if err != nil {
		t.Fatal(err)
	}
	of := wire.Stacks{Processes: []wire.ProcessID{{PID: pid, StartTicks: stat.Start}}}
	for _, over := range []int{0, 1000} {
		of.OverMS = over
		began := time.Now()
		list, _, err := New("/proc").Read(of)
		if err != nil || len(list) != 1 || len(list[0].Threads) == 0 {
			t.Fatalf("%+v, %v", list, err)
		}
		if took := time.Since(began); took < of.Over() {
			t.Errorf("it took %v, want %v", took, of.Over())
		}
		before, after = after, list[0]
	}
	return before, after
}

// A loop that polls stays in its line, and the kernel counts how often it waits; one that works is elsewhere in some
// looks; one that hangs does neither. Nothing is counted of the looks themselves.
func TestFollowing(t *testing.T) {
	for name, tc := range map[string]struct {
		program     string
		same        func(of wire.StackLooks) bool
		waits, most uint64 // between the readings
	}{
		"polls": {"while True: time.sleep(0.02)",
			func(of wire.StackLooks) bool { return of.Same == of.Times }, 5, 100},
		"works": {"def a(): time.sleep(0.05)\ndef b(): time.sleep(0.07)\nwhile True: a(); b()",
			func(of wire.StackLooks) bool { return of.Same < of.Times }, 3, 100},
		"hangs": {"time.sleep(1e6)", func(of wire.StackLooks) bool { return of.Same == of.Times }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, pythons(t)[0], "-c", "import time; print(1, flush=True)\n"+tc.program)
			var ready int
			p.line(t, &ready)
			time.Sleep(300 * time.Millisecond)
			before, after := followTwice(t, p.Process.Pid)
			if before.Looks != nil || after.Looks == nil || after.Looks.Times != wire.StacksFollowed ||
				!tc.same(*after.Looks) {
				t.Errorf("looks %+v, then %+v", before.Looks, after.Looks)
			}
			a, b := before.Threads[0].Switches, after.Threads[0].Switches
			if a == nil || b == nil || *b-*a < tc.waits || *b-*a > tc.most {
				t.Errorf("switches %v, then %v", a, b)
			}
		})
	}
}

// What a process reads and writes is counted.
func TestBytesAreCounted(t *testing.T) {
	p := start(t, pythons(t)[0], "-c", `
import os, sys
print(1, flush=True)
with open("/dev/zero", "rb", buffering=0) as zeros:
    while True: zeros.read(1 << 20)`)
	var ready int
	p.line(t, &ready)
	before, after := followTwice(t, p.Process.Pid)
	if before.IOBytes == nil || after.IOBytes == nil || *after.IOBytes-*before.IOBytes < 1<<20 {
		t.Errorf("bytes %v, then %v", before.IOBytes, after.IOBytes)
	}
}

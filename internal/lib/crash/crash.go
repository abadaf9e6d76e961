// Package crash ends the program after a panic with its own exit code: Go's is 2, which also means wrong arguments. It
// also knows which resource limits keep the program or its probe from running.
//
// Go has no hook for this. A goroutine can only catch its own panic, so each one defers End, behind its other defers:
// then no other goroutine ends the program first. Failures that Go itself ends, such as two writes to a map at once,
// keep Go's code, and so does a panic in a goroutine of another module.
//
// A program that does not call Own, such as somebody else's program that uses pkg/nvnodetop, keeps Go's handling of
// panics.
package crash

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Exit is the exit code: EX_SOFTWARE of sysexits.h.
const Exit = 70

// Err is the error of a panic that was caught so that the program could end in good order.
var Err = errors.New("internal error (bug in nvnodetop)")

var owned atomic.Bool

// Own makes a panic end the program with Exit from now on.
func Own() { owned.Store(true) }

// End, deferred, ends the program if its goroutine panics, with a traceback on standard error.
func End() {
	if !owned.Load() {
		return
	}
	if p := recover(); p != nil {
		endProgram(p, debug.Stack(), os.Stderr, os.Exit)
	}
}

// endProgram ends the program. The first panic counts; others wait for the end.
func endProgram(p any, stack []byte, to io.Writer, exit func(int)) {
	ending.Lock()
	for _, restore := range restores {
		restore()
	}
	_, _ = fmt.Fprintf(to, "panic: %v\n\n%s", p, stack) // nobody is left to tell
	exit(Exit)
}

// Recover, deferred, turns a panic into an error with a traceback: the caller ends the program in good order.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = Caught(p)
	}
}

// Caught returns the error for the result of recover. A panic that RunAside passed on has its traceback.
func Caught(p any) error {
	if err, is := p.(error); is && errors.Is(err, Err) {
		return err
	}
	return fmt.Errorf("%w: %v\n%s", Err, p, debug.Stack())
}

// Go runs a function in a goroutine of its own, which ends with End.
func Go(do func()) {
	go func() {
		defer End()
		do()
	}()
}

// RunAside runs a function in a goroutine of its own and returns when it has ended. A panic in it becomes one of the
// caller, with a traceback.
//
// The caller's stack stays small: the runtime halves a stack only at a collection, and only while three quarters are
// unused. A thousand goroutines that decode a report now and then kept 16 KiB each.
func RunAside(do func()) {
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer Recover(&failed)
		growStack(0)
		do()
	}()
	<-done
	if failed != nil {
		panic(failed)
	}
}

// stackAside is room enough for what runs aside, with which a stack of 16 KiB begins.
const stackAside = 12 << 10

// growStack gives a new goroutine its stack at once. Otherwise the runtime would double it three times, and copy all
// frames each time: a twelfth of the work with a thousand nodes.
//
//go:noinline
func growStack(at int) byte {
	var room [stackAside]byte
	room[at]++
	return room[len(room)-1-at]
}

// Guard returns a function that a group can start as a goroutine: it does the same as the argument, and ends with End.
// A function that has defers of its own defers End behind them instead.
func Guard(do func() error) func() error {
	return func() error {
		defer End()
		return do()
	}
}

var (
	ending   sync.Mutex // protects the following; locked for good by the first panic
	restores = map[*func()]func(){}
)

// Before calls restore before a panic ends the program, until forget is called. It resets the terminal, for example:
// otherwise the traceback could not be read.
func Before(restore func()) (forget func()) {
	key := &restore
	ending.Lock()
	defer ending.Unlock()
	restores[key] = restore
	return func() {
		ending.Lock()
		defer ending.Unlock()
		delete(restores, key)
	}
}

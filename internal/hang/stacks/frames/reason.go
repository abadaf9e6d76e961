package frames

import (
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// ReasonOf follows a wait to its end, using what was read of a process and its descendants: to the worker, child or
// thread that it waits for, and on to the file, pipe, lock or socket that this one waits for. It says only what was
// read.

// maxChain is how many processes are named one after the other.
const maxChain = 4

// WaitingProcess is a process together with what is known about its descendants.
type WaitingProcess struct {
	*wire.ProcessStacks
	Descendants []wire.ProcessStacks
	// Holder is the thread that held the interpreter's lock for as long as the process was watched; nil: none is known.
	Holder *wire.ThreadStack
	// Others says that the other ranks are in a module of their program, as every Python is that is not embedded.
	Others bool
}

// ReasonOf says what a process waits for: "waits for its DataLoader worker 1658 (python), which is in read_shard
// (train.py:39), where it reads /data/shard-0317.tar"; "": only its place is known.
func ReasonOf(p WaitingProcess) string { return p.chainReason(1) }

// chainReason says what a process waits for; it is the n-th of the chain.
func (p WaitingProcess) chainReason(n int) string {
	t := p.mainThread()
	if t == nil || isStopped(p.State) || t.State == "R" {
		return ""
	}
	for _, say := range []func(*wire.ThreadStack) string{ofFrames(Prompt),
		ofFrames(Kernel), p.endingReason, p.lockHolder} {
		if words := say(t); words != "" {
			return words
		}
	}
	if n < maxChain {
		if words := p.descendantReason(t, n); words != "" {
			return words
		}
	}
	if words := p.threadReason(t); words != "" {
		return words
	}
	if Collective(t.Frames) != "" && t.Call != nil && t.Call.Does == wire.CallFutex {
		return "" // a thread of the library exchanges the data
	}
	if words := callReason(t); words != "" || !RunsLoop(t.Frames) {
		return words
	}
	return "waits in an event loop"
}

func ofFrames(of func([]wire.Frame) string) func(*wire.ThreadStack) string {
	return func(t *wire.ThreadStack) string { return of(t.Frames) }
}

// mainThread returns the first thread of the process; nil: it is not known.
func (p WaitingProcess) mainThread() *wire.ThreadStack {
	if len(p.Threads) == 0 {
		return nil
	}
	return &p.Threads[max(0, slices.IndexFunc(p.Threads, func(t wire.ThreadStack) bool { return t.Main }))]
}

// isStopped reports whether somebody has stopped the process, or it has exited.
func isStopped(state string) bool {
	return state == "T" || state == "t" || state == "Z" || state == "X"
}

// endingReason says that the program has ended, and what keeps its process alive.
func (p WaitingProcess) endingReason(t *wire.ThreadStack) string {
	switch Ending(t.Frames) {
	case EndsThreads:
		if other := p.workingThread(t); other != nil {
			return "has ended its program, and the interpreter waits for " + threadWords(other) + ", which " + p.isIn(other)
		}
		return "has ended its program, and the interpreter waits for its threads"
	case EndsCalls:
		if !p.Others || p.Greenlets || t.Deeper {
			return ""
		}
		words := "seems to have ended its program: the interpreter itself calls " + outermostFunction(t) + ", as at exit"
		if doing := callReason(t); doing != "" {
			words += ", and it " + doing
		}
		return words
	}
	return ""
}

// outermostFunction returns the function that the interpreter called.
func outermostFunction(t *wire.ThreadStack) string {
	f := &t.Frames[len(t.Frames)-1]
	return f.Function + " (" + At(f) + ")"
}

// lockHolder says which thread holds the interpreter's lock, if it is not the main one.
func (p WaitingProcess) lockHolder(t *wire.ThreadStack) string {
	if p.Holder == nil || p.Holder == t || p.Holder.Main {
		return ""
	}
	return "waits for the interpreter's lock (GIL), which " + threadWords(p.Holder) + " holds: it " + p.isIn(p.Holder)
}

// threadReason says which other threads of the process wait or work, if the main thread waits for one of them, or for a
// lock.
func (p WaitingProcess) threadReason(t *wire.ThreadStack) string {
	other := p.workingThread(t)
	if other == nil {
		return ""
	}
	if ServesRequests(t.Frames) || RunsLoop(t.Frames) {
		return "runs an event loop, and " + threadWords(other) + " works: it " + p.isIn(other)
	}
	inLock := t.Call != nil && t.Call.Does == wire.CallFutex
	if !WaitsForThread(t.Frames) && (!inLock || !IsOwn(t.Frames)) {
		return ""
	}
	switch {
	case Joins(t.Frames):
		return "waits for a thread to end: " + threadWords(other) + " " + p.isIn(other)
	case inLock:
		return "waits for a lock or for another thread: " + threadWords(other) + " " + p.isIn(other)
	}
	return ""
}

// workingThread returns the first of the other threads that is in code of the program; nil: there is none.
func (p WaitingProcess) workingThread(t *wire.ThreadStack) *wire.ThreadStack {
	at := slices.IndexFunc(p.Threads, func(o wire.ThreadStack) bool {
		return o.TID != t.TID && IsOfProgram(o.Frames)
	})
	if at < 0 {
		return nil
	}
	return &p.Threads[at]
}

// threadWords returns the words for a thread: "thread 1658".
func threadWords(t *wire.ThreadStack) string {
	if t.TID == 0 {
		return "a thread"
	}
	return fmt.Sprintf("thread %d", t.TID)
}

// isIn says where a thread is, and what it waits for there.
func (WaitingProcess) isIn(t *wire.ThreadStack) string {
	words := "is in " + Of(Inside(t.Frames)).Place()
	if doing := callReason(t); doing != "" {
		words += ", where it " + doing
	}
	return words
}

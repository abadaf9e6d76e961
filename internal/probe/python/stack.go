package python

import (
	"encoding/binary"
	"errors"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
)

// Limits of a Stack.
const (
	MaxFrames   = 1000
	MaxFunction = 128 // bytes of a Frame's Function; a longer name is cut at its end
	MaxFile     = 512 // bytes of a Frame's File; a longer path is cut at its beginning
)

// Frame is a call of a Python function.
type Frame struct {
	Function string
	File     string // as Python compiled it: perhaps relative
	Line     int    // 0: not known
}

// Stack is where a thread is.
type Stack struct {
	Frames []Frame // innermost first
	Deeper bool    // there are more frames outside
	Moving bool    // there were more frames inside, which changed
}

// pythonFrame is a frame of the interpreter.
type pythonFrame struct {
	at, back, code, instruction uint64
	shim                        bool // not a call of a Python function
}

const (
	// tries is how often a stack that makes no sense is read again: each try takes about 0.1 ms.
	tries = 40
	// looks is how often the stack of a running thread is compared. A loop that alternates between two functions may by
	// chance look as if it stayed in one: each look halves the probability.
	looks = 10
	// maxCalls is how many calls are followed: of a deeper stack only the inner ones are known.
	maxCalls = 2 * MaxFrames
)

// Stack reads the stack of a thread. mark returns a text that changes whenever the thread has run, and "" if the thread
// may be running: if the thread has not run, the whole stack is certain.
func (r *Runtime) Stack(t *Thread, mark func() string) (s Stack, err error) {
	for range tries {
		before := mark()
		if s, err = r.tryReadStack(t.at, func() bool { return before != "" && mark() == before }); err == nil {
			return s, nil
		}
		if errors.Is(err, memory.ErrTime) || errors.Is(err, memory.ErrBounds) {
			break
		}
	}
	return Stack{}, err
}

// tryReadStack reads a stack once. rests reports whether the thread has not run since the read began.
func (r *Runtime) tryReadStack(thread uint64, rests func() bool) (s Stack, err error) {
	first, deeper, err := r.walkStack(thread)
	if err != nil {
		return s, err
	}
	kept, err := r.agreedCalls(thread, first, 1)
	if err == nil {
		err = r.resolveCodes(kept)
	}
	if err != nil || len(kept) < len(first) || !rests() {
		if kept, err = r.agreedCalls(thread, first, looks); err != nil {
			return s, err
		}
		if err = r.resolveCodes(kept); err != nil {
			return s, err
		}
		if kept, err = r.agreedCalls(thread, kept, 1); err != nil {
			return s, err
		}
	}
	if err := r.confirmCodes(kept); err != nil {
		return s, err
	}
	s = Stack{Frames: r.framesOfCalls(kept), Deeper: deeper, Moving: len(kept) < len(first)}
	if len(s.Frames) > MaxFrames {
		s.Frames, s.Deeper = s.Frames[:MaxFrames], true
	}
	if len(s.Frames) == 0 && len(first) > 0 {
		err = errSense
	}
	return s, err
}

// agreedCalls returns the outer part of a stack that stays the same in that many more walks. Walks that have nothing in
// common make no sense: a thread that enters the interpreter seems to be nowhere for a moment, but stays in its main
// function.
func (r *Runtime) agreedCalls(thread uint64, calls []pythonFrame, walks int) ([]pythonFrame, error) {
	for failed := 0; walks > 0; walks-- {
		next, _, err := r.walkStack(thread)
		if err == nil {
			if calls = commonCalls(calls, next); len(calls) == 0 && len(next) > 0 {
				return nil, errSense
			}
			continue
		}
		if failed++; failed > looks { // a walk fails if the thread returns meanwhile
			return nil, err
		}
		walks++
	}
	return calls, nil
}

// commonCalls returns the calls that two walks have in common, from the outermost on. The innermost of these may have
// gone on: then its position is the one that the second walk found.
func commonCalls(a, b []pythonFrame) []pythonFrame {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return b
	}
	if n < min(len(a), len(b)) {
		was, is := a[len(a)-1-n], b[len(b)-1-n]
		if was.instruction = is.instruction; was == is {
			n++
		}
	}
	return b[len(b)-n:]
}

// walkStack reads the calls of a thread, innermost first.
func (r *Runtime) walkStack(thread uint64) (list []pythonFrame, deeper bool, err error) {
	l := &r.layout
	at, err := r.mem.Word(thread + l.thread.frame)
	if err == nil && l.inCFrame && at != 0 {
		at, err = r.mem.Word(at + l.current)
	}
	frame := make([]byte, l.frameSpan())
	turn := uint64(0)
	for n := 0; at != 0 && err == nil; n++ {
		if n == maxCalls {
			return list, true, nil
		}
		if at == turn {
			return nil, false, errSense // a circle
		}
		if n&(n-1) == 0 {
			turn = at
		}
		if err = r.mem.Fill(at, frame); err != nil {
			break
		}
		const tags = 7 // tag bits of pointers, in 3.14
		c := pythonFrame{at: at, back: readWord(frame, l.frame.back), code: readWord(frame, l.frame.code) &^ tags,
			instruction: readWord(frame, l.frame.instruction)}
		if l.lines < locations {
			c.instruction = uint64(int32(c.instruction)) // a number; -1 before the first instruction
		}
		c.shim = l.shims > 0 && frame[l.frame.owner] >= l.shims
		if c.shim {
			c.code, c.instruction = 0, 0
		}
		list, at = append(list, c), c.back
	}
	if n := len(list); err == nil && n > 0 && l.shims > 0 && !l.mayBeOutermost(&list[n-1], frame[l.frame.owner]) {
		err = errSense
	}
	return list, false, err
}

// mayBeOutermost reports whether a frame can be the outermost one. A generator leaves its caller a moment before the
// thread does, and the kernel may stop it there.
func (l *cpythonLayout) mayBeOutermost(c *pythonFrame, owner byte) bool {
	const byGenerator = 1
	return c.shim || !l.entries && owner != byGenerator
}

// resolveCodes reads the code objects of calls that are not known yet.
func (r *Runtime) resolveCodes(calls []pythonFrame) error {
	for i := range calls {
		at := calls[i].code
		if calls[i].shim || r.codes[at] != nil {
			continue
		}
		c, err := r.readCode(at)
		if err != nil {
			return err
		}
		r.codes[at] = c
	}
	return nil
}

// confirmCodes reads the code objects of calls again. If a function was created and freed meanwhile, its code is read
// anew next time.
func (r *Runtime) confirmCodes(calls []pythonFrame) error {
	seen := map[uint64]bool{}
	for i := range calls {
		at := calls[i].code
		if calls[i].shim || seen[at] {
			continue
		}
		seen[at] = true
		if err := r.codes[at].confirmParts(r.mem); err != nil {
			clear(r.codes)
			return err
		}
	}
	return nil
}

// framesOfCalls returns calls as frames with names.
func (r *Runtime) framesOfCalls(calls []pythonFrame) []Frame {
	list := make([]Frame, 0, len(calls))
	for i := range calls {
		if c := &calls[i]; !c.shim {
			of := r.codes[c.code]
			if of.internal {
				continue
			}
			list = append(list, Frame{Function: of.name, File: of.file,
				Line: of.lineOfUnit(r.layout.lines, r.instructionUnit(c))})
		}
	}
	return list
}

// instructionUnit returns the instruction that a call is at, in the units of the line number table; negative: before
// the first.
func (r *Runtime) instructionUnit(c *pythonFrame) int {
	switch r.layout.lines {
	case lnotab:
		return int(int64(c.instruction))
	case ranges:
		return 2 * int(int64(c.instruction))
	}
	return int(int64(c.instruction-c.code-r.layout.code.instructions)) / 2
}

func readWord(of []byte, at uint64) uint64 { return binary.LittleEndian.Uint64(of[at:]) }

package python

import "errors"

const (
	// maxThreads limits how many threads are searched. The list begins with the newest thread, and ends with the main
	// thread.
	maxThreads = 1 << 16
	// keptThreads is how many of them are kept, at least.
	keptThreads = 1 << 10
)

// ErrThreads means that a process has more threads than are searched.
var ErrThreads = errors.New("it has more than 65,536 Python threads")

// Thread is a thread as the interpreter knows it.
type Thread struct {
	Native int   // its kernel thread number, in the PID namespace of the process; 0: not known
	GIL    *bool // holds the lock of the interpreter; nil: not known

	at    uint64
	local uint64 // address of the thread's block in the C library
}

// Threads lists the threads of all interpreters in the process, newest first. If there are very many, it returns the
// oldest ones: the last one is the main thread.
func (r *Runtime) Threads() ([]Thread, error) {
	interpreter, err := r.mem.Word(r.at + r.layout.interpreters)
	if err != nil {
		return nil, err
	}
	if interpreter == 0 {
		return nil, ErrStarting
	}
	w := walk{list: []Thread{}}
	for n := 0; interpreter != 0; n++ {
		if n == maxInterpreters {
			return nil, errSense
		}
		if err := r.threadsOf(&w, interpreter); err != nil {
			return nil, err
		}
		if interpreter, err = r.mem.Word(interpreter + r.layout.interpreter.next); err != nil {
			return nil, err
		}
	}
	return w.list, nil
}

// walk holds the threads found so far.
type walk struct {
	list  []Thread
	found int

	// A list that leads back to a thread would never end. So every thread is compared with an earlier one, which is
	// replaced each time twice as many threads have been found.
	before, renew uint64
}

// addThread adds a thread, unless the list of threads is too long or never ends.
func (w *walk) addThread(t Thread) error {
	if w.found++; t.at == w.before {
		return errSense
	}
	if w.found > maxThreads {
		return ErrThreads
	}
	if uint64(w.found) >= 2*w.renew {
		w.before, w.renew = t.at, uint64(w.found)
	}
	if len(w.list) == 2*keptThreads {
		w.list = w.list[:copy(w.list, w.list[keptThreads:])]
	}
	w.list = append(w.list, t)
	return nil
}

// threadsOf adds the threads of an interpreter.
func (r *Runtime) threadsOf(w *walk, interpreter uint64) error {
	l := &r.layout
	holder, locked := r.lockHolder(interpreter)
	thread, err := r.mem.Word(interpreter + l.interpreter.threads)
	if err != nil {
		return err
	}
	state := make([]byte, l.threadSpan())
	for ; thread != 0; thread = readWord(state, l.thread.next) {
		if err := r.mem.Fill(thread, state); err != nil {
			return err
		}
		if readWord(state, l.thread.interpreter) != interpreter {
			return errSense
		}
		t := Thread{at: thread, local: readWord(state, l.thread.id)}
		if l.native {
			t.Native = int(int32(readWord(state, l.thread.native))) // a PID
		}
		if locked != nil {
			t.GIL = new(*locked && holder == thread)
		}
		if err := w.addThread(t); err != nil {
			return err
		}
	}
	return nil
}

// lockHolder returns the thread that holds the lock of an interpreter, or held it last; locked is nil if it is not
// known which.
func (r *Runtime) lockHolder(interpreter uint64) (thread uint64, locked *bool) {
	l := &r.layout.gil
	at := r.at + l.inRuntime
	if l.pointer > 0 {
		var err error
		if at, err = r.mem.Word(interpreter + l.pointer); err != nil {
			return 0, nil
		}
	}
	thread, err := r.mem.Word(at + l.holder)
	if err != nil {
		return 0, nil
	}
	state, err := r.mem.Word(at + l.locked)
	if n := int32(state); err == nil && (n == 0 || n == 1) {
		locked = new(n == 1)
	}
	return thread, locked
}

// Number finds the kernel numbers of threads for which the interpreter has none, or one from before a fork: the C
// library keeps the number in the thread's own block. known are the threads of the process.
func (r *Runtime) Number(list []Thread, known map[int]bool) {
	unknown := 0
	for i := range list {
		if !known[list[i].Native] {
			list[i].Native = 0
			unknown++
		}
	}
	if unknown == 0 {
		return
	}
	const span = 2 << 10 // in glibc on amd64 the number is at 720, elsewhere nearer
	blocks := make([][]byte, len(list))
	for i := range list {
		block, err := r.mem.Bytes(list[i].local, span)
		if err != nil {
			return
		}
		blocks[i] = block
	}
	for at := uint64(0); at+8 <= span; at += 4 {
		if haveThreadNumbers(list, blocks, at, known) {
			for i := range list {
				list[i].Native = int(uint32(readWord(blocks[i], at)))
			}
			return
		}
	}
}

// haveThreadNumbers reports whether the blocks have, at the same offset, the numbers of different threads.
func haveThreadNumbers(list []Thread, blocks [][]byte, at uint64, known map[int]bool) bool {
	taken := map[int]bool{}
	for i, block := range blocks {
		n := int(uint32(readWord(block, at)))
		if !known[n] || taken[n] || list[i].Native != 0 && list[i].Native != n {
			return false
		}
		taken[n] = true
	}
	return true
}

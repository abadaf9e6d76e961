package stacks

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/python"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// followThreads looks several times at the main threads of processes. When that time is over it returns what it saw of
// each, by PID. Processes that it could not see are left out.
func (r *Reader) followThreads(of []wire.ProcessID, over time.Duration) map[int]*wire.StackLooks {
	began := time.Now()
	end := began.Add(over)
	found := r.callAside(end, func() any {
		var list []*sampledProcess
		for _, id := range of {
			list = append(list, &sampledProcess{ProcessID: id, process: proc.Of(r.mount, id.PID)})
		}
		for n := range wire.StacksFollowed {
			time.Sleep(time.Until(began.Add(over * time.Duration(n) / wire.StacksFollowed)))
			for _, f := range list {
				f.notePosition(r, end)
			}
		}
		return list
	})
	time.Sleep(time.Until(end))
	looks := map[int]*wire.StackLooks{}
	list, _ := found.([]*sampledProcess) // nil: it hangs
	for _, f := range list {
		if n := len(f.seen); n > 1 {
			looks[f.PID] = &wire.StackLooks{Times: n, Same: f.sameLooks()}
		}
	}
	return looks
}

// sampledProcess is a process that is looked at several times.
type sampledProcess struct {
	wire.ProcessID
	process proc.Process
	runtime *python.Runtime // nil: not found yet
	seen    []uint64        // hashes of its main thread's stack, one per look
}

// notePosition records where the main thread is, if that can be read.
func (f *sampledProcess) notePosition(r *Reader, end time.Time) {
	l := stacksBuilder{ProcessStacks: wire.ProcessStacks{ProcessID: f.ProcessID}, process: f.process}
	if r.checkProcess(&l) != nil || f.runtime == nil && !f.findInterpreter(end) {
		return
	}
	threads, err := f.runtime.Threads()
	if err != nil || len(threads) == 0 {
		return
	}
	s, err := f.runtime.Stack(&threads[len(threads)-1], func() string { return runMark(f.process, f.PID) })
	if err == nil {
		f.seen = append(f.seen, hashOf(&s))
	}
}

// findInterpreter looks for the interpreter of the process.
func (f *sampledProcess) findInterpreter(end time.Time) bool {
	program, _ := f.process.Link("exe") // empty if it cannot be read
	program = strings.TrimSuffix(program, " (deleted)")
	areas, err := memory.Areas(string(f.process)+"/maps", python.Tells)
	if err != nil {
		return false
	}
	f.runtime, err = python.Find(memory.Open(f.PID, end.Add(patience)), areas, program)
	return err == nil
}

// sameLooks returns in how many looks the stack was the same as in the last one.
func (f *sampledProcess) sameLooks() (n int) {
	for _, hash := range f.seen {
		if hash == f.seen[len(f.seen)-1] {
			n++
		}
	}
	return n
}

func hashOf(s *python.Stack) uint64 {
	h := fnv.New64a()
	var line [8]byte
	for i := range s.Frames {
		binary.LittleEndian.PutUint64(line[:], uint64(s.Frames[i].Line))
		for _, part := range [][]byte{[]byte(s.Frames[i].Function), []byte(s.Frames[i].File), line[:]} {
			h.Write(part)
			h.Write([]byte{0})
		}
	}
	return h.Sum64()
}

package stacks

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/python"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// pythonStacks are the Python stacks of a process.
type pythonStacks struct {
	version   string
	rank      *wire.Rank
	refusal   *wire.Refusal
	mpi       bool
	greenlets bool // there may be stacks that wait and belong to no thread
	threads   []pythonThread
}

// pythonThread is a thread that Python knows.
type pythonThread struct {
	tid int // its number in /proc; 0: not known
	gil *bool
	python.Stack
}

// readPython reads the Python stacks of a process. It may never return.
func (r *Reader) readPython(t *target, process proc.Process, all []wire.ThreadStack, until time.Time) *pythonStacks {
	found := &pythonStacks{}
	mem := memory.Open(t.PID, until)
	program, _ := process.Link("exe") // empty if it cannot be read
	program = strings.TrimSuffix(program, " (deleted)")
	areas, err := memory.Areas(string(process)+"/maps", func(file string) bool {
		found.mpi = found.mpi || strings.HasPrefix(path.Base(file), "libmpi")
		return memory.NamesEnviron(file, program) || python.Tells(file)
	})
	tooMany := errors.Is(err, memory.ErrAreas)
	if err != nil && !tooMany {
		found.refusal = r.explainRefusal(process, err)
		return found
	}
	if t.of == 0 {
		found.rank = rankInMemory(mem, areas, process, program)
	}
	from, err := python.Find(mem, areas, program)
	if errors.Is(err, python.ErrNone) && tooMany {
		err = memory.ErrAreas
	}
	if err == nil {
		found.version, found.greenlets = from.Version, python.HasGreenlets(areas)
		err = found.readStacks(from, process, t.PID, all)
	}
	if err != nil {
		found.refusal = r.explainRefusal(process, err)
	}
	return found
}

// runtime is the interpreter of a process.
type runtime interface {
	Threads() ([]python.Thread, error)
	Number(list []python.Thread, known map[int]bool)
	Stack(t *python.Thread, mark func() string) (python.Stack, error)
}

// readStacks reads the stacks of the threads that Python knows. It fails if the stack of the main thread cannot be
// read, which says where the process is, or if none can.
func (found *pythonStacks) readStacks(from runtime, process proc.Process, pid int, all []wire.ThreadStack) error {
	threads, err := from.Threads()
	if err != nil {
		return err
	}
	slices.Reverse(threads) // Python lists the newest first, and the main thread last
	threads = threads[:min(len(threads), wire.MaxStackThreads)]
	tids, known := numbersOf(process, all)
	from.Number(threads, known)
	var main error
	for i := range threads {
		t := &threads[i]
		of := pythonThread{tid: tids[t.Native], gil: t.GIL}
		of.Stack, err = from.Stack(t, func() string { return runMark(process, of.tid) })
		switch {
		case err == nil:
			found.threads = append(found.threads, of)
		case of.tid == pid, of.tid == 0 && i == 0:
			main = err
		}
	}
	if len(found.threads) == 0 {
		return err
	}
	return main
}

// numbersOf returns which threads the process has, by their numbers in its own PID namespace, and the numbers in /proc
// that belong to them: a container has PIDs of its own.
func numbersOf(process proc.Process, all []wire.ThreadStack) (tids map[int]int, known map[int]bool) {
	tids, known = make(map[int]int, len(all)), make(map[int]bool, len(all))
	status, err := process.Status()
	nested := err != nil || len(status.NSPIDs) != 1
	for i := range all {
		tid := all[i].TID
		if !nested {
			tids[tid], known[tid] = tid, true
			continue
		}
		status, err := process.Thread(tid).Status()
		if n := len(status.NSPIDs); err == nil && n > 0 {
			tids[status.NSPIDs[n-1]], known[status.NSPIDs[n-1]] = tid, true
		}
	}
	return tids, known
}

// runMark returns a text that changes whenever a thread has run; empty if it is running, or if the kernel does not say.
func runMark(process proc.Process, tid int) string {
	if tid == 0 {
		return ""
	}
	var text [128]byte
	task := process.Thread(tid)
	n, err := proc.Read(string(task)+"/schedstat", text[:])
	if err != nil {
		return ""
	}
	stat, err := task.Stat()
	if err != nil || stat.State == "R" {
		return ""
	}
	if string(text[:n]) == "0 0 0\n" { // this kernel does not count
		return ""
	}
	return string(text[:n])
}

// addPython adds the Python stacks to the threads.
func (l *stacksBuilder) addPython(all []wire.ThreadStack, found *pythonStacks) {
	l.Python, l.Refusal, l.Rank, l.MPI = found.version, found.refusal, found.rank, found.mpi
	at := map[int]int{}
	for i := range all {
		at[all[i].TID] = i
	}
	for i := range found.threads {
		t := &found.threads[i]
		if k, known := at[t.tid]; known {
			all[k].GIL, all[k].Frames, all[k].Deeper, all[k].Moving = t.gil, wireFrames(t.Frames), t.Deeper, t.Moving
			l.Greenlets = l.Greenlets || all[k].Main && found.greenlets && inGreenlet(&t.Stack)
		} else if len(t.Frames) > 0 {
			l.loose = append(l.loose, wire.ThreadStack{GIL: t.gil, Frames: wireFrames(t.Frames),
				Deeper: t.Deeper, Moving: t.Moving})
		}
	}
}

// Whatever can be read can be sent.
const (
	_ = uint(wire.MaxStackFrames - python.MaxFrames)
	_ = uint(wire.MaxFunction - python.MaxFunction)
	_ = uint(wire.MaxPath - python.MaxFile)
)

// wireFrames returns frames as they are sent.
func wireFrames(frames []python.Frame) []wire.Frame {
	list := make([]wire.Frame, len(frames))
	for i, f := range frames {
		list[i] = wire.Frame(f)
	}
	return list
}

// inGreenlet reports whether a main thread's stack does not begin with a program: then another stack does.
func inGreenlet(s *python.Stack) bool {
	return len(s.Frames) > 0 && !s.Deeper &&
		!slices.ContainsFunc(s.Frames, func(f python.Frame) bool { return f.Function == "<module>" })
}

// explainRefusal says why the stacks of a process cannot be read, and what would help.
func (r *Reader) explainRefusal(process proc.Process, err error) *wire.Refusal {
	var version *python.VersionError
	var other *python.OtherError
	switch {
	case errors.As(err, &other):
		return newRefusal(wire.RefusedVersion, other.Error(), "")
	case errors.Is(err, python.ErrNone):
		return newRefusal(wire.RefusedNoPython, "no Python is found in it", "")
	case errors.As(err, &version):
		return newRefusal(wire.RefusedVersion, "stacks of Python "+version.Version+
			" cannot be read: CPython 3.8 to 3.15 can be", "")
	case errors.Is(err, python.ErrStarting):
		return newRefusal(wire.RefusedState, err.Error(), "")
	case errors.Is(err, memory.ErrTime):
		return newRefusal(wire.RefusedTime, fmt.Sprintf("it was not read within %v", patience), "")
	case errors.Is(err, python.ErrThreads), errors.Is(err, python.ErrFiles), errors.Is(err, memory.ErrAreas),
		errors.Is(err, memory.ErrTotal):
		return newRefusal(wire.RefusedLimit, err.Error(), "")
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		return r.explainDenial(process)
	case errors.Is(err, syscall.ESRCH), errors.Is(err, os.ErrNotExist):
		return newRefusal(wire.RefusedGone, "the process has exited", "")
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, errors.ErrUnsupported):
		return newRefusal(wire.RefusedKernel, "the kernel cannot read the memory of other processes", "")
	}
	return newRefusal(wire.RefusedState, "its memory changes, or makes no sense: "+err.Error(), "")
}

// explainDenial says why the kernel does not let the user read the memory of the user's own process.
func (r *Reader) explainDenial(process proc.Process) *wire.Refusal {
	// If the memory of a process is private, the kernel gives its files in /proc to root.
	if owner, err := fileOwner(string(process) + "/environ"); err == nil && owner != r.uid {
		return newRefusal(wire.RefusedDumpable,
			"the kernel keeps its memory private: it has gained privileges, or asked for "+
				"that itself", "a program that calls prctl(PR_SET_DUMPABLE, 0), or is set-user-ID or has file "+
				"capabilities, "+
				"cannot be read by its user")
	}
	var scope [8]byte
	n, err := proc.Read(r.mount+"/sys/kernel/yama/ptrace_scope", scope[:])
	if level, bad := strconv.Atoi(strings.TrimSpace(string(scope[:n]))); err == nil && bad == nil && level > 0 {
		return newRefusal(wire.RefusedPtrace, "kernel.yama.ptrace_scope is "+strconv.Itoa(level)+" on the node",
			"an administrator can set it to 0 (sysctl kernel.yama.ptrace_scope=0), or the program can allow it "+
				"itself: prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)")
	}
	return newRefusal(wire.RefusedKernel, "the kernel does not allow the user to read its memory",
		"the process may be in a container with a user namespace of its own, or a security module forbids it")
}

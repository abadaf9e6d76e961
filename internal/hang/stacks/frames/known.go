package frames

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// prompts are functions that wait for a person, and the files in which they do.
var prompts = []struct{ function, file, words string }{
	{"cmdloop", "bdb.py", "waits in pdb for input"}, // ipdb too: its frames are around it
	{"cmdloop", "pdb.py", "waits in pdb for input"},
	{"wait_for_client", "debugpy/", "waits for a debugger to connect (debugpy)"},
	{"do_wait_suspend", "", "is stopped in a debugger (pydevd)"},
	{"raw_input", "code.py", "waits at a Python prompt for input"},
	{"prompt_for_code", "IPython/", "waits at an IPython prompt for input"},
}

// Prompt returns how a thread waits for a person; "": it is not known to do so.
func Prompt(frames []wire.Frame) string {
	for _, p := range prompts {
		in := func(f wire.Frame) bool {
			return strings.HasPrefix(Short(f.File), p.file) && frameOrigin(&f) != ofProgram || p.file == ""
		}
		named := func(f wire.Frame) bool { return f.Function == p.function }
		if slices.ContainsFunc(frames, named) && slices.ContainsFunc(frames, in) {
			return p.words
		}
	}
	return ""
}

// Kernel says that a thread belongs to a Jupyter kernel that runs no cell; "": it does not.
func Kernel(frames []wire.Frame) string {
	is := slices.ContainsFunc(frames, func(f wire.Frame) bool { return strings.HasPrefix(Short(f.File), "ipykernel/") })
	if !is || !RunsLoop(frames) {
		return ""
	}
	return "is a Jupyter kernel that waits for its next cell"
}

// RunsLoop reports whether a thread waits in an event loop, whoever started it.
func RunsLoop(frames []wire.Frame) bool {
	loop := slices.IndexFunc(frames, func(f wire.Frame) bool { return slices.Contains(servers, f.Function) })
	return loop >= 0 && IsOfPython(frames[:loop+1])
}

// End is how a program has ended.
type End int

// Ends of a program.
const (
	HasNotEnded End = iota
	EndsThreads     // the interpreter waits for threads
	EndsCalls       // the interpreter itself calls a function, with no module around it: as at exit, if not embedded
)

// Ending tells from the frames of a main thread whether its program has ended, and how.
func Ending(frames []wire.Frame) End {
	if len(frames) == 0 {
		return HasNotEnded
	}
	switch outermost := &frames[len(frames)-1]; {
	case outermost.Function == "_shutdown" && Short(outermost.File) == "threading.py":
		return EndsThreads
	case IsInModule(frames), outermost.Function == "_bootstrap", outermost.Function ==
		"_run_module_as_main":
		return HasNotEnded
	}
	return EndsCalls
}

// IsInModule reports whether a program called the functions of a thread.
func IsInModule(frames []wire.Frame) bool {
	return slices.ContainsFunc(frames, func(f wire.Frame) bool { return f.Function == "<module>" })
}

// Joins reports whether a thread waits until another one has ended.
func Joins(frames []wire.Frame) bool {
	return slices.ContainsFunc(frames, func(f wire.Frame) bool {
		return f.Function == "join" && Short(f.File) == "threading.py"
	})
}

// IsOwn reports whether a thread is in the program's own code.
func IsOwn(frames []wire.Frame) bool { return len(frames) > 0 && frameOrigin(&frames[0]) == ofProgram }

// IsOfProgram reports whether a thread runs the program's own code, or code called from it.
func IsOfProgram(frames []wire.Frame) bool {
	return slices.ContainsFunc(frames, func(f wire.Frame) bool { return frameOrigin(&f) == ofProgram })
}

// IsOfPython reports whether a thread runs nothing but Python's own library.
func IsOfPython(frames []wire.Frame) bool {
	return len(frames) > 0 && !slices.ContainsFunc(frames, func(f wire.Frame) bool { return frameOrigin(&f) != ofPython })
}

// Inside returns the frames of a worker process, without those inherited from the process that forked it.
func Inside(frames []wire.Frame) []wire.Frame {
	at := slices.IndexFunc(frames, func(f wire.Frame) bool {
		return f.Function == "_bootstrap" && Short(f.File) == "multiprocessing/process.py"
	})
	if at < 0 {
		return frames
	}
	return frames[:at]
}

// dataWorker is the loop of a worker of torch's DataLoader.
const dataWorker = "torch/utils/data/_utils/worker.py"

// IsDataWorker reports whether a thread is that of a worker of a DataLoader.
func IsDataWorker(frames []wire.Frame) bool {
	return slices.ContainsFunc(Inside(frames), func(f wire.Frame) bool { return Short(f.File) == dataWorker })
}

// AwaitsWork reports whether a thread belongs to a worker that waits for work: it runs no code of a package or the
// program, except the worker loop itself.
func AwaitsWork(frames []wire.Frame) bool {
	inside := Inside(frames)
	if len(inside) == len(frames) {
		return false
	}
	loops := 0
	for i := range inside {
		switch {
		case frameOrigin(&inside[i]) == ofPython:
		case frameOrigin(&inside[i]) == ofPackage && strings.Contains(inside[i].Function, "worker"):
			loops++
		default:
			return false
		}
	}
	return loops <= 1 && len(inside) > 0 && inside[0].Function != "run"
}

// parents are files whose functions wait for processes that they started.
var parents = []string{"subprocess.py", "multiprocessing/", "concurrent/futures/process.py",
	"torch/utils/data/dataloader.py", "joblib/"}

// WaitsForProcess reports whether a thread is in code that started processes and now waits for them.
func WaitsForProcess(frames []wire.Frame) bool {
	frames = Inside(frames)
	if own := ownOf(frames); own >= 0 {
		frames = frames[:own]
	}
	return slices.ContainsFunc(frames, func(f wire.Frame) bool {
		return frameOrigin(&f) != ofProgram && slices.ContainsFunc(parents, func(file string) bool {
			return strings.HasPrefix(Short(f.File), file)
		})
	})
}

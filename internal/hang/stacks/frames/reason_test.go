package frames

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	reasonSite = "/venv/lib/python3.11/site-packages/"
	reasonStd  = "/usr/lib/python3.11/"
	own        = "/home/a/train.py"
	next       = reasonSite + "torch/utils/data/dataloader.py"
)

// at makes frames of functions and files, innermost first.
func at(functions ...string) (list []wire.Frame) {
	for i := 0; i < len(functions); i += 2 {
		list = append(list, wire.Frame{Function: functions[i], File: functions[i+1], Line: 10 + i/2})
	}
	return list
}

func thread(tid int, call *wire.SystemCall, frames []wire.Frame) wire.ThreadStack {
	return wire.ThreadStack{TID: tid, State: "S", Call: call, Frames: frames}
}

// process makes a process whose parent is of, with its main thread and others.
func process(pid, of int, name string, call *wire.SystemCall, frames []wire.Frame,
	others ...wire.ThreadStack,
) wire.ProcessStacks {
	p := wire.ProcessStacks{ProcessID: wire.ProcessID{PID: pid}, Parent: of, Of: min(of, 1), Name: name, State: "S"}
	t := thread(pid, call, frames)
	t.Main = true
	p.Threads = append([]wire.ThreadStack{t}, others...)
	return p
}

// worker is a worker of a DataLoader, which was forked from the program.
func worker(pid int, call *wire.SystemCall, inside ...string) wire.ProcessStacks {
	return process(pid, 1, "pt_data_worker", call, append(at(inside...), at("_worker_loop",
		reasonSite+"torch/utils/data/_utils/worker.py", "run", reasonStd+"multiprocessing/process.py", "_bootstrap",
		reasonStd+"multiprocessing/process.py", "_launch", reasonStd+"multiprocessing/popen_fork.py", "__init__", next, "main", own,
		"<module>", own)...))
}

var (
	loads   = at("select", reasonStd+"selectors.py", "_try_get_data", next, "__next__", next, "main", own, "<module>", own)
	idle    = []string{"_poll", reasonStd + "multiprocessing/connection.py", "get", reasonStd + "multiprocessing/queues.py"}
	reading = func(file string) *wire.SystemCall {
		return &wire.SystemCall{Does: wire.CallReads, FD: new(19), File: file}
	}
	module = []string{"main", own, "<module>", own}
	futex  = &wire.SystemCall{Does: wire.CallFutex}
)

func in(functions ...string) []wire.Frame { return at(append(functions, module...)...) }

// A wait is followed to its end, and only what was read is said.
func TestOf(t *testing.T) {
	for name, tc := range map[string]struct {
		p     wire.ProcessStacks
		other []wire.ProcessStacks
		want  string
	}{
		"a worker that reads, and one that waits for work": {process(1, 0, "python", reading("pipe:[7]"), loads),
			[]wire.ProcessStacks{worker(11, reading("pipe:[8]"), idle...),
				worker(12, reading("/data/shard-0317.tar"), "read_shard", own)},
			"waits for its DataLoader worker 12 (pt_data_worker), which is in read_shard (train.py:10), where it reads " +
				"/data/shard-0317.tar"},
		"two workers at work": {process(1, 0, "python", nil, loads), []wire.ProcessStacks{
			worker(11, nil, "tokenize", own), worker(12, reading("/data/a"), "load", reasonSite+"PIL/Image.py", "read_shard", own)},
			"waits for its DataLoader worker 12 (pt_data_worker), one of 2 that do not wait for work, which is in load " +
				"(PIL/Image.py:10) of read_shard (train.py:11), where it reads /data/a"},
		"all workers wait for work": {process(1, 0, "python", nil, loads),
			[]wire.ProcessStacks{worker(11, nil, idle...), worker(12, nil, idle...)},
			"waits for its processes, but all 2 of them wait for work"},
		"a worker that waits for its own child": {process(1, 0, "python", nil, loads), []wire.ProcessStacks{
			worker(11, &wire.SystemCall{Does: wire.CallChild, Child: 12}, "wait", reasonStd+"subprocess.py", "decode", own),
			process(12, 11, "ffmpeg", reading("/data/a.mp4"), nil)},
			"waits for its DataLoader worker 11 (pt_data_worker), which is in wait (subprocess.py:10) of decode " +
				"(train.py:11), where it waits for its process 12 (ffmpeg), which reads /data/a.mp4"},
		"a child": {process(1, 0, "python", &wire.SystemCall{Does: wire.CallChild, Child: 11},
			in("_wait", reasonStd+"subprocess.py", "run", reasonStd+"subprocess.py")),
			[]wire.ProcessStacks{process(11, 1, "cat", reading("/data/fifo"), nil), process(12, 1, "other", nil, nil)},
			"waits for its process 11 (cat), which reads /data/fifo"},
		"the output of a child": {process(1, 0, "python", &wire.SystemCall{Does: wire.CallReads, File: "pipe:[7]",
			Ends: []int{12}}, in()), []wire.ProcessStacks{process(11, 1, "other", nil, nil),
			process(12, 1, "sleep", &wire.SystemCall{Does: wire.CallSleeps}, nil)},
			"waits for its process 12 (sleep), which sleeps"},
		"a child of which nothing is known": {process(1, 0, "python", &wire.SystemCall{Does: wire.CallChild}, in()), nil,
			"waits for a child process"},
		"a lock of a file": {process(1, 0, "python", &wire.SystemCall{Does: wire.CallLocks, File: "/home/a/left"}, in()), nil,
			"waits for the lock of /home/a/left"},
		"a lock of a process": {locked(wire.SystemCall{Holder: 9, HolderName: "prep.py"}), nil,
			"waits for the lock of /home/a/left, which process 9 (prep.py) on the same node holds"},
		"a lock of a process that is hidden": {locked(wire.SystemCall{Holder: 9}), nil,
			"waits for the lock of /home/a/left, which process 9 on the same node holds"},
		"a lock of a process that has ended": {locked(wire.SystemCall{Holder: 9, HolderGone: true}), nil,
			"waits for the lock of /home/a/left, which process 9 on the same node took before it ended: a process that " +
				"inherited its file has it"},
		"a lock of another node": {locked(wire.SystemCall{HeldElsewhere: true}), nil,
			"waits for the lock of /home/a/left, which no process on the same node holds: another node has it"},
		"its output": {process(1, 0, "python", &wire.SystemCall{Does: wire.CallWrites, FD: new(1), File: "pipe:[7]"}, in()), nil,
			"writes its output to a pipe, which is full: nobody reads it"},
		"a server": {process(1, 0, "python", &wire.SystemCall{Does: wire.CallReads, File: "socket:[7]",
			Peer: "10.77.1.3:29600"}, in()), nil, "waits for data from 10.77.1.3:29600"},
		"a server that does not answer yet": {process(1, 0, "python", &wire.SystemCall{Does: wire.CallConnects,
			File: "socket:[7]", Peer: "10.77.1.3:29600"}, in()), nil, "waits for a connection to 10.77.1.3:29600"},
		"a client": {process(1, 0, "python", &wire.SystemCall{Does: wire.CallAccepts, Local: "0.0.0.0:42733"}, in()), nil,
			"waits until somebody connects to 0.0.0.0:42733"},
		"a collective, in a thread of its library": {process(1, 0, "python", futex, in("broadcast",
			reasonSite+"torch/distributed/distributed_c10d.py")), nil, ""},
		"a terminal": {process(1, 0, "python", reading("/dev/pts/3"), in()), nil, "waits for input from the terminal /dev/pts/3"},
		"pdb": {process(1, 0, "python", reading("/dev/pts/3"), in("cmdloop", reasonStd+"cmd.py", "interaction", reasonStd+"pdb.py",
			"trace_dispatch", reasonStd+"bdb.py")), nil, "waits in pdb for input"},
		"a thread that outlives its program": {process(1, 0, "python", futex, at("_shutdown", reasonStd+"threading.py"),
			thread(11, reading("socket:[7]"), at("upload", own, "run", reasonStd+"threading.py"))), nil,
			"has ended its program, and the interpreter waits for thread 11, which is in upload (train.py:10), where it " +
				"waits for input from a socket"},
		"a call at exit": {process(1, 0, "python", reading("socket:[7]"), at("upload", own)), nil,
			"seems to have ended its program: the interpreter itself calls upload (train.py:10), as at exit, and it waits for " +
				"input from a socket"},
		"a deadlock": {process(1, 0, "python", futex, at("step", own, "<module>", own), thread(11, futex,
			at("write_log", own, "run", reasonStd+"threading.py"))), nil,
			"waits for a lock or for another thread: thread 11 is in write_log (train.py:10), where it waits for a lock or for " +
				"another thread"},
		"a thread that is joined": {process(1, 0, "python", futex, in("_wait_for_tstate_lock", reasonStd+"threading.py", "join",
			reasonStd+"threading.py"), thread(11, reading("socket:[7]"), at("upload", own))), nil,
			"waits for a thread to end: thread 11 is in upload (train.py:10), where it waits for input from a socket"},
		"a kernel without a cell": {process(1, 0, "python", nil, at("select", reasonStd+"selectors.py", "_run_once",
			reasonStd+"asyncio/base_events.py", "run_forever", reasonStd+"asyncio/base_events.py", "start",
			reasonSite+"tornado/platform/asyncio.py", "start", reasonSite+"ipykernel/kernelapp.py", "main", own)), nil,
			"is a Jupyter kernel that waits for its next cell"},
		"a task of Dask": {process(1, 0, "python", nil, at("select", reasonStd+"selectors.py", "_run_once",
			reasonStd+"asyncio/base_events.py", "run_forever", reasonStd+"asyncio/base_events.py", "main",
			reasonSite+"distributed/cli/dask_worker.py", "<module>", "/usr/bin/dask-worker"), thread(11, nil, at("hold", own,
			"apply_function", reasonSite+"distributed/worker.py"))), nil,
			"runs an event loop, and thread 11 works: it is in hold (train.py:10)"},
		"an event loop": {process(1, 0, "python", nil, in("select", reasonStd+"selectors.py", "_run_once",
			reasonStd+"asyncio/base_events.py", "run_forever", reasonStd+"asyncio/base_events.py", "run", reasonStd+"asyncio/runners.py")), nil,
			"waits in an event loop"},
		"a place of which the kernel says nothing": {process(1, 0, "python", nil, in()), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ReasonOf(WaitingProcess{ProcessStacks: &tc.p, Descendants: tc.other, Others: true}); got != tc.want {
				t.Errorf("it %s\nwant: %s", got, tc.want)
			}
		})
	}
}

// locked is a process that waits for the lock of a file.
func locked(c wire.SystemCall) wire.ProcessStacks {
	c.Does, c.File = wire.CallLocks, "/home/a/left"
	return process(1, 0, "python", &c, in())
}

// Processes that wait for each other, or that make no sense, end the chain.
func TestChainEnds(t *testing.T) {
	call := &wire.SystemCall{Does: wire.CallReads, File: "pipe:[7]", Ends: []int{1, 11, 12}}
	p := process(1, 0, "python", call, in())
	others := []wire.ProcessStacks{process(11, 12, "a", call, in()), process(12, 11, "b", call, in()), {}}
	want := "waits for its process 11 (a), one of 2 that do not wait for work, which is in main (train.py:10), where it " +
		"waits for its process 12 (b), which is in main (train.py:10), where it waits for its process 11 (a), which is in " +
		"main (train.py:10), where it waits for input from a pipe"
	if got := ReasonOf(WaitingProcess{ProcessStacks: &p, Descendants: others}); got != want {
		t.Error(got)
	}
	for _, p := range []wire.ProcessStacks{{}, {State: "T", Threads: p.Threads},
		{Threads: []wire.ThreadStack{{State: "R"}}}} {
		if got := ReasonOf(WaitingProcess{ProcessStacks: &p}); got != "" {
			t.Errorf("it %s", got)
		}
	}
}

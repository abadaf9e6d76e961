//go:build linux

package stacks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/python"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// A refusal names what an administrator or the user can change.
func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		err   error
		files map[string]string
		uid   int
		id    string
		says  string
	}{
		"Yama": {syscall.EPERM, map[string]string{"sys/kernel/yama/ptrace_scope": "1\n"}, os.Getuid(), wire.RefusedPtrace,
			"sysctl kernel.yama.ptrace_scope=0"},
		"private memory": {&os.PathError{Err: syscall.EACCES}, map[string]string{"7/environ": "",
			"sys/kernel/yama/ptrace_scope": "1\n"}, os.Getuid() + 1, wire.RefusedDumpable, "PR_SET_DUMPABLE"},
		"a security module": {syscall.EPERM, map[string]string{"sys/kernel/yama/ptrace_scope": "0\n"}, os.Getuid(),
			wire.RefusedKernel, "security module"},
		"no Yama":        {syscall.EPERM, nil, os.Getuid(), wire.RefusedKernel, "security module"},
		"it ended":       {syscall.ESRCH, nil, os.Getuid(), wire.RefusedGone, "has exited"},
		"its files too":  {&os.PathError{Err: syscall.ENOENT}, nil, os.Getuid(), wire.RefusedGone, "has exited"},
		"an old kernel":  {syscall.ENOSYS, nil, os.Getuid(), wire.RefusedKernel, "kernel cannot"},
		"no Python":      {python.ErrNone, nil, os.Getuid(), wire.RefusedNoPython, "no Python"},
		"an old Python":  {&python.VersionError{Version: "3.6"}, nil, os.Getuid(), wire.RefusedVersion, "Python 3.6"},
		"another Python": {&python.OtherError{Name: "PyPy"}, nil, os.Getuid(), wire.RefusedVersion, "PyPy: not read"},
		"many files":     {python.ErrFiles, nil, os.Getuid(), wire.RefusedLimit, "more than 64 files"},
		"many areas":     {memory.ErrAreas, nil, os.Getuid(), wire.RefusedLimit, "maps too many files"},
		"a young one":    {python.ErrStarting, nil, os.Getuid(), wire.RefusedState, "starting"},
		"no time":        {memory.ErrTime, nil, os.Getuid(), wire.RefusedTime, "within 500ms"},
		"many threads":   {python.ErrThreads, nil, os.Getuid(), wire.RefusedLimit, "more than 65,536 Python threads"},
		"much memory":    {memory.ErrTotal, nil, os.Getuid(), wire.RefusedLimit, "more than 64 MiB"},
		"another reason": {errors.New("x\xffy"), nil, os.Getuid(), wire.RefusedState, "x?y"},
	} {
		r := New(fakeproc.Write(t, test.files))
		r.uid = test.uid
		got := r.explainRefusal(proc.Of(r.mount, 7), test.err)
		if got.ID != test.id || !strings.Contains(got.Cause+got.Hint, test.says) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A read that hangs is left behind, and too many of them end the reading.
func TestHungReads(t *testing.T) {
	r, release := New("/proc"), make(chan bool)
	defer close(release)
	for range maxHung {
		if got := r.callAside(time.Now().Add(-patience), func() any { <-release; return 1 }); got != nil {
			t.Fatal(got)
		}
	}
	if got := r.callAside(time.Now().Add(time.Minute), func() any { return 1 }); got != nil {
		t.Error(got)
	}
	stat, err := proc.Of("/proc", os.Getpid()).Stat()
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := r.Read(wire.Stacks{Processes: []wire.ProcessID{{PID: stat.PID, StartTicks: stat.Start}}})
	if err != nil || list[0].Refusal == nil || list[0].Refusal.ID != wire.RefusedTime || len(list[0].Threads) == 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// A read that hangs, and goes on when it has been given up, shares nothing with the rest. A FIFO stands for the file of
// the kernel that does not answer. The race detector is the judge.
func TestReadsThatGoOn(t *testing.T) {
	const stat = " (train) D 1 1 1 0 -1 4194304 10 0 0 0 100 50 0 0 20 0 4 0 77 1000000 256 1 1 1 0 0 0 0 0 0 0 0 0 0 17 " +
		"1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	files := fakeproc.Of("7", "train", "77", "", strconv.Itoa(os.Getuid()))
	for _, tid := range []string{"7", "8", "9"} {
		files["7/task/"+tid+"/stat"] = tid + stat
	}
	files["7/maps"] = "" // without it the process would have exited, for a reader that is quick enough to look
	r := New(fakeproc.Write(t, files))
	hangs := filepath.Join(r.mount, "7/task/7/syscall")
	if err := syscall.Mkfifo(hangs, 0o600); err != nil {
		t.Skip(err)
	}
	got := r.readProcess(&target{ProcessID: wire.ProcessID{PID: 7, StartTicks: 77}}, time.Now().Add(time.Minute))
	if len(got.Threads) != 3 || got.Threads[0].TID != 7 {
		t.Fatalf("%+v", got)
	}
	got.Threads[1].State = "R" // as a caller may
	if err := os.WriteFile(hangs, []byte("0 0x3 0x0"), 0); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); r.hung.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the read has not ended")
		}
	}
}

// When there is no time left the main thread is told, and the others are counted.
func TestThreadsWithoutTime(t *testing.T) {
	l := &stacksBuilder{process: proc.Of("/proc", os.Getpid())}
	list := l.listThreads(time.Now().Add(-time.Second))
	if n := len(l.process.Threads()); len(list) != 1 || list[0].TID != os.Getpid() || l.MoreThreads < min(n-1, 2) {
		t.Errorf("%+v and %d more", list, l.MoreThreads)
	}
}

// interpreter has threads of which some cannot be read.
type interpreter struct {
	natives []int // the newest first
	fails   map[int]bool
}

func (i interpreter) Threads() (list []python.Thread, err error) {
	for _, n := range i.natives {
		list = append(list, python.Thread{Native: n})
	}
	return list, nil
}

func (i interpreter) Number([]python.Thread, map[int]bool) {}

func (i interpreter) Stack(t *python.Thread, _ func() string) (python.Stack, error) {
	if i.fails[t.Native] {
		return python.Stack{}, errors.New("it runs too fast")
	}
	return python.Stack{Frames: []python.Frame{{Function: "f"}}}, nil
}

// Without the stack of the main thread it is not known where a process is, whatever its other threads do.
func TestMainThread(t *testing.T) {
	files := map[string]string{}
	var all []wire.ThreadStack
	for tid := 7; tid < 10; tid++ {
		all = append(all, wire.ThreadStack{TID: tid})
		files[fmt.Sprintf("7/task/%d/status", tid)] = fmt.Sprintf("Name:\tx\nUid:\t1\t1\t1\t1\nNSpid:\t%d\n", tid)
	}
	process := proc.Of(fakeproc.Write(t, files), 7)
	for name, test := range map[string]struct {
		of    interpreter
		read  int
		fails bool
	}{
		"all":                {interpreter{natives: []int{9, 8, 7}}, 3, false},
		"not the main one":   {interpreter{[]int{9, 8, 7}, map[int]bool{7: true}}, 2, true},
		"not another":        {interpreter{[]int{9, 8, 7}, map[int]bool{8: true, 9: true}}, 1, false},
		"none":               {interpreter{[]int{9, 8}, map[int]bool{8: true, 9: true}}, 0, true},
		"not an unknown one": {interpreter{[]int{9, 8, 0}, map[int]bool{0: true}}, 2, true},
	} {
		found := &pythonStacks{}
		if err := found.readStacks(test.of, process, 7, all); (err != nil) != test.fails || len(found.threads) != test.read {
			t.Errorf("%s: %d read, %v", name, len(found.threads), err)
		}
	}
}

// Greenlets are named where the main thread runs one, and not where their library is there only.
func TestGreenlets(t *testing.T) {
	program := []python.Frame{{Function: "main"}, {Function: "<module>"}, {Function: "_run_module_as_main"}}
	hub := []python.Frame{{Function: "run"}}
	for name, test := range map[string]struct {
		stack   python.Stack
		library bool
		tid     int
		want    bool
	}{
		"a hub":                  {python.Stack{Frames: hub}, true, 7, true},
		"without the library":    {python.Stack{Frames: hub}, false, 7, false},
		"the program itself":     {python.Stack{Frames: program}, true, 7, false},
		"another thread":         {python.Stack{Frames: hub}, true, 8, false},
		"nothing is known of it": {python.Stack{}, true, 7, false},
		"only the inner part is": {python.Stack{Frames: hub, Deeper: true}, true, 7, false},
	} {
		l := &stacksBuilder{}
		l.addPython([]wire.ThreadStack{{TID: 7, Main: true}, {TID: 8}},
			&pythonStacks{greenlets: test.library, threads: []pythonThread{{tid: test.tid, Stack: test.stack}}})
		if l.Greenlets != test.want {
			t.Errorf("%s: %v", name, l.Greenlets)
		}
	}
}

// A kernel that counts nothing for a thread says nothing about it.
func TestMark(t *testing.T) {
	for text, want := range map[string]string{"5 6 7\n": "5 6 7\n", "0 0 0\n": ""} {
		process := proc.Of(fakeproc.Write(t, map[string]string{"7/task/8/schedstat": text,
			"7/task/8/stat": fakeproc.Of("8", "x", "1", "", "0")["8/stat"]}), 7)
		if got := runMark(process, 8); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// A reply fits on the wire, whatever there is: deep stacks are cut first, then threads, and processes last.
func TestFitting(t *testing.T) {
	frames := make([]wire.Frame, wire.MaxStackFrames)
	for i := range frames {
		frames[i] = wire.Frame{Function: strings.Repeat("\x01", wire.MaxFunction), File: strings.Repeat("f", wire.MaxPath)}
	}
	for _, n := range []struct {
		processes, threads, frames int
		cut                        bool
	}{{1, 1, 10, false}, {1, 2, 1000, false}, {60, 8, 20, false}, {200, 8, 3, true}, {20, 2, 7, false}} {
		list := make([]wire.ProcessStacks, n.processes)
		for i := range list {
			for range n.threads {
				list[i].Threads = append(list[i].Threads, wire.ThreadStack{Frames: frames[:n.frames]})
			}
		}
		got, cut := shortenStacks(list)
		text, err := json.Marshal(got)
		if err != nil || len(text) > wire.MaxStacks+2 || len(got) == 0 || cut != n.cut ||
			cut != (len(got) < n.processes) {
			t.Errorf("%+v: %d bytes, %d processes, %v, %v", n, len(text), len(got), cut, err)
		}
		for i := range got {
			s := &got[i]
			if len(s.Threads)+s.MoreThreads != n.threads || len(s.Threads) == 0 ||
				s.Threads[0].Deeper != (len(s.Threads[0].Frames) < n.frames) {
				t.Errorf("%+v: %d threads, %d more, %d frames", n, len(s.Threads), s.MoreThreads, len(s.Threads[0].Frames))
				break
			}
		}
	}
}

// Threads that say most come first.
func TestThreadsInOrder(t *testing.T) {
	l := &stacksBuilder{}
	var all []wire.ThreadStack
	for tid := 1; tid <= 200; tid++ {
		all = append(all, wire.ThreadStack{TID: tid, State: "S"})
	}
	all[99].Main, all[149].State, all[159].State = true, "D", "R"
	all[169].Frames = []wire.Frame{{Function: "f"}}
	l.loose = []wire.ThreadStack{{Frames: []wire.Frame{{Function: "g"}}}}
	l.orderThreads(all)
	var first []int
	for i := range l.Threads[:5] {
		first = append(first, l.Threads[i].TID)
	}
	if want := [5]int{100, 0, 170, 150, 160}; [5]int(first) != want || len(l.Threads) != wire.MaxStackThreads ||
		l.MoreThreads != 201-wire.MaxStackThreads {
		t.Errorf("%v, %d and %d more", first, len(l.Threads), l.MoreThreads)
	}
}

// No process has the number 0 or less: it is gone, and no file of it is looked for.
func TestNoProcess(t *testing.T) {
	r := New("/proc")
	for _, pid := range []int{0, -1} {
		l := &stacksBuilder{}
		l.PID, l.process = pid, proc.Of("/proc", pid)
		if got := r.checkProcess(l); got == nil || got.ID != wire.RefusedGone {
			t.Errorf("PID %d: %+v", pid, got)
		}
	}
}

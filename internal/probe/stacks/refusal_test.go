//go:build linux

package stacks

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/fakeproc"
	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/python"
	"github.com/nvnodetop/nvnodetop/internal/wire"
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
		"a young one":    {python.ErrStarting, nil, os.Getuid(), wire.RefusedState, "starting"},
		"no time":        {memory.ErrTime, nil, os.Getuid(), wire.RefusedTime, "too long"},
		"another reason": {errors.New("x\xffy"), nil, os.Getuid(), wire.RefusedState, "x?y"},
	} {
		r := New(fakeproc.Write(t, test.files))
		r.uid = test.uid
		got := r.refused(proc.Of(r.mount, 7), test.err)
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
		if got := r.aside(time.Now().Add(-patience), func() any { <-release; return 1 }); got != nil {
			t.Fatal(got)
		}
	}
	if got := r.aside(time.Now().Add(time.Minute), func() any { return 1 }); got != nil {
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

// A reply fits on the wire, whatever there is: deep stacks are cut first, then threads, and processes last.
func TestFitting(t *testing.T) {
	frames := make([]wire.Frame, wire.MaxStackFrames)
	for i := range frames {
		frames[i] = wire.Frame{Function: strings.Repeat("\x01", wire.MaxFunction), File: strings.Repeat("f", wire.MaxPath)}
	}
	for _, n := range []struct{ processes, threads, frames int }{{1, 1, 10}, {1, 2, 1000}, {60, 8, 20}, {200, 8, 3}} {
		list := make([]wire.ProcessStacks, n.processes)
		for i := range list {
			for range n.threads {
				list[i].Threads = append(list[i].Threads, wire.ThreadStack{Frames: frames[:n.frames]})
			}
		}
		got, cut := fitting(list)
		text, err := json.Marshal(got)
		if err != nil || len(text) > wire.MaxStacks+2 || len(got) == 0 || cut != (len(got) < n.processes) {
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
	l := &look{}
	var all []wire.ThreadStack
	for tid := 1; tid <= 200; tid++ {
		all = append(all, wire.ThreadStack{TID: tid, State: "S"})
	}
	all[99].Main, all[149].State, all[159].State = true, "D", "R"
	all[169].Frames = []wire.Frame{{Function: "f"}}
	l.loose = []wire.ThreadStack{{Frames: []wire.Frame{{Function: "g"}}}}
	l.settle(all)
	var first []int
	for i := range l.Threads[:5] {
		first = append(first, l.Threads[i].TID)
	}
	if want := [5]int{100, 0, 170, 150, 160}; [5]int(first) != want || len(l.Threads) != wire.MaxStackThreads ||
		l.MoreThreads != 201-wire.MaxStackThreads {
		t.Errorf("%v, %d and %d more", first, len(l.Threads), l.MoreThreads)
	}
}

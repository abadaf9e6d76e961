//go:build linux

package stacks

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/cost"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// script starts a Python with a program, which says "1" when it is where it should be.
func script(t *testing.T, python, text string) *program {
	t.Helper()
	p := start(t, python, "-c", text)
	var ready int
	p.line(t, &ready)
	becomesStill(t, p.Process.Pid)
	return p
}

func functions(s *wire.ThreadStack) (names []string) {
	for _, f := range s.Frames {
		names = append(names, f.Function)
	}
	return names
}

const deep = `
import sys, time
sys.setrecursionlimit(9999)
def down(n):
    if n: down(n - 1)
    else: print("1", flush=True); time.sleep(1e6)
down(1000)
`

// counters are the voluntary context switches and the CPU time of all threads.
func counters(t *testing.T, pid int) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, tid := range proc.Of("/proc", pid).Threads() {
		task := proc.Of("/proc", pid).Thread(tid)
		status, err := task.Status()
		if err != nil {
			t.Fatal(err)
		}
		found[fmt.Sprint(tid, " switches")] = fmt.Sprint(status.Voluntary)
		text, err := os.ReadFile(string(task) + "/schedstat")
		if err != nil {
			t.Fatal(err)
		}
		found[fmt.Sprint(tid, " CPU time")] = string(text)
	}
	return found
}

// A process does not notice that it is looked at: it neither runs for it nor waits.
func TestLooksLeaveNoTrace(t *testing.T) {
	python := pythons(t)[0]
	p := script(t, python, `
import threading, time
lock = threading.Lock(); lock.acquire()
for f, a in ((time.sleep, (1e6,)), (lock.acquire, ())): threading.Thread(target=f, args=a, daemon=True).start()
time.sleep(0.1); print("1", flush=True); time.sleep(1e6)`)
	before := counters(t, p.Process.Pid)
	for range 100 {
		if got := lookAt(t, p.Process.Pid)[0]; len(got.Threads) != 3 || len(got.Threads[1].Frames) == 0 {
			t.Fatalf("%+v", got)
		}
	}
	if after := counters(t, p.Process.Pid); !maps.Equal(before, after) {
		t.Errorf("%v, before %v", after, before)
	}
	p = start(t, python, "-c", "import sys; print(1, flush=True)\nwhile True: pass")
	var ready int
	p.line(t, &ready)
	status := func() uint64 {
		s, err := proc.Of("/proc", p.Process.Pid).Status()
		if err != nil {
			t.Fatal(err)
		}
		return s.Voluntary
	}
	waits := status()
	for range 100 {
		if got := lookAt(t, p.Process.Pid)[0]; got.State != "R" || len(got.Threads[0].Frames) == 0 {
			t.Fatalf("%+v", got)
		}
	}
	if n := status(); n != waits {
		t.Errorf("it waited %d times", n-waits)
	}
}

// A look takes at most 20 ms of CPU time, also at a recursion of a thousand calls. Other programs may keep the CPUs, so
// the clock does not count.
func TestLooksAreFast(t *testing.T) {
	limit := 20 * time.Millisecond
	if raced.On { // it takes three times as long
		limit *= 5
	}
	for _, python := range pythons(t) {
		p := script(t, python, deep)
		best := time.Hour
		var got wire.ProcessStacks
		for range 20 {
			before := cost.CPU(t)
			got = lookAt(t, p.Process.Pid)[0]
			best = min(best, cost.CPU(t)-before)
		}
		names := functions(&got.Threads[0])
		t.Logf("Python %s deep: %v", version(t, python), best.Round(100*time.Microsecond))
		if best > limit || len(names) != wire.MaxStackFrames || names[999] != "down" ||
			!got.Threads[0].Deeper || got.Threads[0].Frames[0].Line != 6 || got.Threads[0].Frames[1].Line != 5 {
			t.Errorf("%v, %d frames, %+v", best, len(names), got.Refusal)
		}
	}
}

// Workers of a program belong to it, forked and started ones, with the numbers of their threads. They wait for the end
// of their input, which comes with the end of the test.
func TestChildren(t *testing.T) {
	for _, python := range pythons(t) {
		p := script(t, python, `
import os, subprocess, sys, threading, time
def helper(): time.sleep(1e6)
def worker():
    threading.Thread(target=helper, daemon=True).start()
    if os.fork() == 0: grandchild()
    os.read(0, 1)
    os._exit(0)
def grandchild(): os.read(0, 1); os._exit(0)
def parent(): time.sleep(0.5); print("1", flush=True); time.sleep(1e6)
other = subprocess.Popen([sys.executable, "-c", "import os\ndef started(): os.read(0, 1)\nstarted()"])
if os.fork() == 0: worker()
parent()`)
		list := lookAt(t, p.Process.Pid)
		found := map[string][]string{}
		parents := map[int]int{}
		for i := range list {
			s := &list[i]
			parents[s.PID] = s.Parent
			if s.Refusal != nil || s.Of != 0 && s.Of != p.Process.Pid || (s.Of == 0) != (i == 0) {
				t.Errorf("%s: %+v", python, s)
				continue
			}
			inner := ""
			for k := range s.Threads {
				th := &s.Threads[k]
				if th.Main != (k == 0) || len(th.Frames) == 0 || th.GIL == nil || *th.GIL {
					t.Errorf("%s: %+v", python, th)
					continue
				}
				inner += th.Frames[0].Function + " "
			}
			above := ""
			if i > 0 {
				above = strings.Join(found[fmt.Sprint(s.Parent)], "")
			}
			found[fmt.Sprint(s.PID)] = []string{above + "/" + strings.TrimSpace(inner)}
		}
		got := slices.Sorted(func(yield func(string) bool) {
			for _, v := range found {
				if !yield(v[0]) {
					return
				}
			}
		})
		want := []string{"/parent", "/parent/started", "/parent/worker helper", "/parent/worker helper/grandchild"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", python, got, want)
		}
	}
}

// A process that runs another program, or ends, while it is looked at, gives no wrong frames.
func TestExecAndExitMeanwhile(t *testing.T) {
	file, err := filepath.Abs("testdata/moving.py")
	if err != nil {
		t.Fatal(err)
	}
	j := newJudge(t, file)
	for _, python := range pythons(t) {
		text := fmt.Sprintf(`
import os, random, signal, sys, time
def again(*_): os.execv(sys.executable, [sys.executable, "-c", sys.orig_argv[2] if hasattr(sys, "orig_argv") else os.environ["TEXT"]])
os.environ["TEXT"] = os.environ.get("TEXT", "")
signal.signal(signal.SIGALRM, again)
signal.setitimer(signal.ITIMER_REAL, random.uniform(0.001, 0.03))
sys.argv = ["x", "0"]; exec(compile(open(%q).read(), %[1]q, "exec"))`, file)
		t.Setenv("TEXT", text)
		p := start(t, python, "-c", text)
		p.out = nil
		reads, wrongs, refused := 0, 0, map[string]int{}
		for range moments(40) {
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
			got := lookAt(t, p.Process.Pid)[0]
			if got.Refusal != nil {
				refused[got.Refusal.ID]++
				continue
			}
			for i := range got.Threads {
				s := &got.Threads[i]
				reads++
				for _, f := range s.Frames {
					if why := j.wrongFrame(&f); why != "" && f.Function != "again" && f.Function != "<module>" {
						wrongs++
						t.Log(why)
					}
				}
			}
		}
		t.Logf("Python %s meanwhile: %d stacks, %d wrong", version(t, python), reads, wrongs)
		t.Log("refused: ", refused)
		if wrongs > 0 || reads == 0 {
			t.Errorf("%s: %d read, %d wrong", python, reads, wrongs)
		}
		stat, err := proc.Of("/proc", p.Process.Pid).Stat()
		if err != nil {
			t.Fatal(err)
		}
		_ = p.Process.Kill()
		list, _, err := New("/proc").Read(wire.Stacks{Processes: []wire.ProcessID{{PID: stat.PID, StartTicks: stat.Start}}})
		for until := time.Now().Add(time.Minute); time.Now().Before(until); {
			if err != nil || list[0].Refusal != nil && list[0].Refusal.ID == wire.RefusedGone {
				break
			}
			time.Sleep(time.Millisecond)
			list, _, err = New("/proc").Read(wire.Stacks{Processes: []wire.ProcessID{{PID: stat.PID,
				StartTicks: stat.Start}}})
		}
		if err != nil || list[0].Refusal == nil || list[0].Refusal.ID != wire.RefusedGone || list[0].Threads != nil {
			t.Errorf("%+v, %v", list, err)
		}
	}
}

// lookInTime looks at a process until its time is enough for that, which depends on how busy the machine is.
func lookInTime(t *testing.T, pid int) (got wire.ProcessStacks) {
	t.Helper()
	for range 50 {
		got = lookAt(t, pid)[0]
		if got.Refusal == nil || got.Refusal.ID != wire.RefusedTime {
			break
		}
	}
	return got
}

// Of a program with more threads than are told the main thread is among them, with its stack.
func TestManyThreads(t *testing.T) {
	for _, python := range pythons(t) {
		for _, threads := range []int{wire.MaxStackThreads + 21, maxTasks + 100} {
			p := script(t, python, fmt.Sprintf(`
import threading, time
threading.stack_size(65536)
def helper(): time.sleep(1e6)
def main(): print("1", flush=True); time.sleep(1e6)
for i in range(%d): threading.Thread(target=helper, daemon=True).start()
main()`, threads-1))
			got := lookInTime(t, p.Process.Pid)
			if names := functions(&got.Threads[0]); !got.Threads[0].Main || len(names) == 0 || names[0] != "main" ||
				got.Refusal != nil || len(got.Threads) != wire.MaxStackThreads ||
				got.MoreThreads != threads-wire.MaxStackThreads {
				t.Errorf("%d threads: %q, %+v, %d and %d more", threads, names, got.Refusal, len(got.Threads),
					got.MoreThreads)
			}
			_ = p.Process.Kill() // they are many
			_ = p.Wait()
		}
	}
}

// A process in a container has PIDs and files of its own.
func TestContainer(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root makes PID namespaces")
	}
	python := pythons(t)[0]
	cmd := exec.Command(python, "-c", `
import threading, time
def helper(): time.sleep(1e6)
threading.Thread(target=helper, daemon=True).start(); print("1", flush=True); time.sleep(1e6)`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
		Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	got := lookAt(t, cmd.Process.Pid)[0]
	tids := proc.Of("/proc", cmd.Process.Pid).Threads()
	if got.Refusal != nil || len(got.Threads) != 2 || !got.Threads[0].Main || len(got.Threads[0].Frames) != 1 ||
		len(got.Threads[1].Frames) != 4 || !slices.Contains(tids, got.Threads[1].TID) {
		t.Errorf("%+v", got)
	}
}

// The program may be deleted while it runs.
func TestDeletedProgram(t *testing.T) {
	python := pythons(t)[0]
	text, err := os.ReadFile(python)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "trainer (deleted) x")
	if err := os.WriteFile(name, text, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONHOME", filepath.Dir(filepath.Dir(python)))
	p := script(t, name, "import time; print(1, flush=True); time.sleep(1e6)")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if got := lookAt(t, p.Process.Pid)[0]; got.Refusal != nil || len(got.Threads[0].Frames) != 1 {
		t.Errorf("%+v", got)
	}
}

// What is not Python has threads, and says so.
func TestNoPython(t *testing.T) {
	p := start(t, "sleep", "600")
	becomesStill(t, p.Process.Pid)
	got := lookAt(t, p.Process.Pid)[0]
	if got.Refusal == nil || got.Refusal.ID != wire.RefusedNoPython || len(got.Threads) != 1 ||
		got.Threads[0].State != "S" || got.Threads[0].Name != "sleep" || got.Threads[0].CPUTicks == nil {
		t.Errorf("%+v", got)
	}
	if wait := got.Threads[0].WChan; !strings.Contains(wait, "nanosleep") && wait != "" {
		t.Errorf("it waits in %q", wait)
	}
}

// Root reads no processes of others.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root starts processes of others")
	}
	cmd := exec.Command("sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534},
		Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	got := lookAt(t, cmd.Process.Pid)[0]
	if got.Refusal == nil || got.Refusal.ID != wire.RefusedUser || got.Threads != nil {
		t.Errorf("%+v", got)
	}
	if list := lookAt(t, os.Getpid()); slices.ContainsFunc(list, func(s wire.ProcessStacks) bool {
		return s.PID == cmd.Process.Pid
	}) {
		t.Error("a child of another user is listed")
	}
}

// Requests need identities, and are bounded.
func TestBadRequests(t *testing.T) {
	r := New("/proc")
	many := make([]wire.ProcessID, wire.MaxStackTargets+1)
	for _, of := range [][]wire.ProcessID{nil, many, {{PID: 1}}} {
		if list, _, err := r.Read(wire.Stacks{Processes: of}); err == nil {
			t.Errorf("%v: %+v", of, list)
		}
	}
	list, _, err := r.Read(wire.Stacks{Processes: []wire.ProcessID{{PID: os.Getpid(), StartTicks: 1},
		{PID: -1, StartTicks: 1}, {PID: 1 << 30, StartTicks: 1}}})
	if err != nil || len(list) < 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i := range list {
		if list[i].Of == 0 && (list[i].Refusal == nil || list[i].Refusal.ID != wire.RefusedGone) {
			t.Errorf("%+v", list[i])
		}
	}
}

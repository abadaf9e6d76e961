//go:build linux

package stacks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/inputs"
)

// pythons are the interpreters of the tests: NVNODETOP_PYTHONS, with spaces between them, else that of this machine.
func pythons(t *testing.T) []string {
	t.Helper()
	list := strings.Fields(os.Getenv("NVNODETOP_PYTHONS"))
	if len(list) > 0 {
		return list
	}
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if path, err := exec.Command(name, "-c", "import sys; print(sys.executable)").Output(); err == nil {
			return []string{strings.TrimSpace(string(path))}
		}
	}
	t.Skip("no python3 here: apt-get install python3")
	return nil
}

// moments is how many stacks are read in each test: NVNODETOP_MOMENTS, or the number for every day.
func moments(everyDay int) int {
	if n, err := strconv.Atoi(os.Getenv("NVNODETOP_MOMENTS")); err == nil {
		return n
	}
	return everyDay
}

// program is a running program of testdata.
type program struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, name string, args ...string) *program {
	t.Helper()
	inputs.Watch(t, "testdata")
	p := &program{Cmd: exec.Command(name, args...)}
	p.Stderr = os.Stderr
	// So that its children end with it, and it with the test.
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL); _ = p.Wait() })
	return p
}

// line reads a line of the program as JSON.
func (p *program) line(t *testing.T, to any) {
	t.Helper()
	line, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, to)
	}
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
}

// look reads the stacks of a process and its descendants.
func lookAt(t *testing.T, pid int) []wire.ProcessStacks {
	t.Helper()
	stat, err := proc.Of("/proc", pid).Stat()
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := New("/proc").Read(wire.Stacks{Processes: []wire.ProcessID{{PID: pid, StartTicks: stat.Start}}})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// truth is what a program says of its stacks: function, file and line of each frame.
type truth struct {
	Kind   string
	Me     [][3]any
	Others map[int][][3]any
}

func words(frames [][3]any) (list []string) {
	for _, f := range frames {
		list = append(list, fmt.Sprintf("%v %v:%v", f[0], f[1], f[2]))
	}
	return list
}

func read(frames []wire.Frame) (list []string) {
	for _, f := range frames {
		list = append(list, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
	}
	return list
}

// Stacks of a program that stands still are those that it knows, in every frame.
func TestStillStacks(t *testing.T) {
	file, err := filepath.Abs("testdata/still.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, python := range pythons(t) {
		t.Run(filepath.Base(python), func(t *testing.T) {
			p := start(t, python, file)
			var want truth
			var n tally
			p.line(t, &want)
			for i := range moments(60) {
				if _, err := fmt.Fprintf(p.in, "%d\n", i); err != nil {
					t.Fatal(err)
				}
				p.line(t, &want)
				becomesStill(t, p.Process.Pid)
				waitsForInput(t, p.Process.Pid)
				got := lookAt(t, p.Process.Pid)[0]
				compare(t, &want, &got, &n)
			}
			t.Logf("Python %s still: %s", version(t, python), n)
			if n.wrong > 0 || float64(n.unread) > 0.01*float64(n.stacks) {
				t.Error(n)
			}
		})
	}
}

func becomesStill(t *testing.T, pid int) {
	t.Helper()
	for range 10000 {
		if stat, _ := proc.Of("/proc", pid).Stat(); stat.State == "S" {
			return
		}
	}
}

// waitsForInput waits until a program reads its standard input.
func waitsForInput(t *testing.T, pid int) {
	t.Helper()
	for range 10000 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", pid))
		if err != nil || strings.HasPrefix(string(text), fmt.Sprintf("%d 0x0 ", syscall.SYS_READ)) {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func compare(t *testing.T, want *truth, got *wire.ProcessStacks, n *tally) {
	t.Helper()
	want.Others[got.PID] = want.Me
	for tid, frames := range want.Others {
		n.stacks++
		i := slices.IndexFunc(got.Threads, func(s wire.ThreadStack) bool { return s.TID == tid })
		if i < 0 || len(got.Threads[i].Frames) == 0 {
			n.unread++
			t.Logf("%s: thread %d is not read", want.Kind, tid)
			continue
		}
		s := &got.Threads[i]
		n.frames += len(s.Frames)
		if !s.Moving && !s.Deeper {
			n.whole++
		}
		if a, b := read(s.Frames), words(frames); !slices.Equal(a, b) {
			n.wrong++
			t.Logf("%s: thread %d\n%s\nwant\n%s", want.Kind, tid, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
}

// version is what an interpreter says of itself.
func version(t *testing.T, python string) string {
	t.Helper()
	text, err := exec.Command(python, "-c", "import platform; print(platform.python_version())").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

//go:build linux

package track

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/nvnodetop/nvnodetop/test/heed"
)

// ChildMain makes this test binary a tracker, which runs itself as its command. The command prints its signals, one per
// line.
func ChildMain(m *testing.M) {
	switch os.Getenv("ROLE") {
	case "":
		heed.Signals()
		os.Exit(m.Run())
	case "tracker":
		os.Setenv("ROLE", "command")
		c, err := StartChild([]string{"/proc/self/exe"}, ChildStreams{os.Stdin, os.Stdout, os.Stderr})
		if err != nil {
			panic(err)
		}
		<-c.Ended()
		fmt.Println("status", c.Reap().Status)
	case "nohup":
		c, err := StartChild([]string{"sleep", "60"}, ChildStreams{os.Stdin, os.Stdout, os.Stderr})
		if err != nil {
			panic(err)
		}
		fmt.Println("ready", c.PID())
		<-c.Ended()
		fmt.Println("status", c.Reap().Status)
	case "command":
		signals := make(chan os.Signal, 16)
		if os.Getenv("GOES_ON") != "" {
			signal.Ignore(syscall.SIGTSTP)
		}
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1,
			syscall.SIGUSR2, syscall.SIGCONT)
		fmt.Println("ready", os.Getpid())
		for s := range signals {
			fmt.Println(s)
			if s == syscall.SIGTERM {
				os.Exit(7)
			}
		}
	}
}

// tracker is a tracker that runs in a process group of its own.
type tracker struct {
	*exec.Cmd
	lines   chan string
	command int // its PID
}

func startTracker(t *testing.T, prepare func(*exec.Cmd) (io.Reader, error)) *tracker {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "ROLE=tracker")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := prepare(cmd)
	if err != nil {
		t.Fatal(err)
	}
	tr := &tracker{Cmd: cmd, lines: make(chan string, 64)}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			tr.lines <- strings.Trim(s.Text(), "\r")
		}
		close(tr.lines)
	}()
	t.Cleanup(func() { _ = syscall.Kill(tr.command, syscall.SIGKILL) })
	if _, err := fmt.Sscanf(tr.next(t), "ready %d", &tr.command); err != nil {
		t.Fatal(err)
	}
	return tr
}

// piped is a tracker with a pipe as its output.
func piped(t *testing.T) *tracker {
	return startTracker(t, func(cmd *exec.Cmd) (io.Reader, error) {
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		return out, err
	})
}

// next is the next line of the output, without the terminal's echo.
func (tr *tracker) next(t *testing.T) string {
	t.Helper()
	for {
		select {
		case line := <-tr.lines:
			if !strings.HasPrefix(line, "^") {
				return line
			}
			return line[2:]
		case <-time.After(10 * time.Second):
			t.Fatal("no line comes")
		}
	}
}

// silent checks that no line comes for a while.
func (tr *tracker) silent(t *testing.T) {
	t.Helper()
	select {
	case line := <-tr.lines:
		t.Errorf("another line: %q", line)
	case <-time.After(4 * hearing):
	}
}

func (tr *tracker) end(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(tr.command, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := tr.next(t); got != "terminated" {
		t.Errorf("%q", got)
	}
	if got := tr.next(t); got != "status 7" {
		t.Errorf("%q", got)
	}
	_ = tr.Wait()
}

// TestSignals sends each signal to the tracker alone, and then to its whole group: the command gets it once in both
// cases.
func TestSignals(t *testing.T) {
	tr := piped(t)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1,
		syscall.SIGUSR2, syscall.SIGINT} {
		for _, to := range []int{tr.Process.Pid, -tr.Process.Pid} {
			if err := syscall.Kill(to, s); err != nil {
				t.Fatal(err)
			}
			if got := tr.next(t); got != s.String() {
				t.Errorf("%v to %d: %q", s, to, got)
			}
			tr.silent(t)
		}
	}
	tr.end(t)
}

// TestIgnored tracks a command where signals are ignored, as under nohup and in the background of a script: it ignores
// them as well, and is not told of them. SIGTERM still ends it.
func TestIgnored(t *testing.T) {
	t.Setenv("ROLE", "nohup")
	for ignored, dies := range map[string]syscall.Signal{"": syscall.SIGHUP, "HUP": syscall.SIGINT,
		"HUP INT": syscall.SIGTERM} {
		tr := startTracker(t, func(cmd *exec.Cmd) (io.Reader, error) {
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "trap '' " + ignored + " USR2; exec \"$0\"",
				os.Args[0]}
			cmd.Env = os.Environ()
			out, err := cmd.StdoutPipe()
			return out, errors.Join(err, cmd.Start())
		})
		for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
			if err := syscall.Kill(tr.Process.Pid, s); err != nil {
				t.Fatal(err)
			}
			if s == dies { // it is passed on
				break
			}
			if err := syscall.Kill(tr.command, s); err != nil {
				t.Fatal(err)
			}
			tr.silent(t)
		}
		if got, want := tr.next(t), fmt.Sprint("status ", ExitSignaled+int(dies)); got != want {
			t.Errorf("with %q ignored: %q, want %q", ignored, got, want)
		}
		_ = tr.Wait()
	}
}

// TestStop stops the tracker alone: its command stops, and then it stops itself. SIGCONT continues both.
func TestStop(t *testing.T) {
	tr := piped(t)
	for range 2 {
		if err := syscall.Kill(tr.Process.Pid, syscall.SIGTSTP); err != nil {
			t.Fatal(err)
		}
		awaitState(t, tr.command, stopped)
		awaitState(t, tr.Process.Pid, stopped)
		if err := syscall.Kill(tr.Process.Pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if got := tr.next(t); got != "continued" {
			t.Errorf("%q", got)
		}
	}
	tr.end(t)
}

// TestGoesOn stops the whole group, but the command ignores that: later signals still reach it.
func TestGoesOn(t *testing.T) {
	t.Setenv("GOES_ON", "1")
	tr := piped(t)
	if err := syscall.Kill(-tr.Process.Pid, syscall.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(stopping + 4*hearing)
	if err := syscall.Kill(tr.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := tr.next(t); got != "interrupt" {
		t.Errorf("%q", got)
	}
	tr.end(t)
}

func awaitState(t *testing.T, pid int, state string) {
	t.Helper()
	for range 1000 {
		if stateOf(pid) == state {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("process %d is %q, not %q", pid, stateOf(pid), state)
}

// TestTerminal presses Ctrl-C, which the command gets once.
func TestTerminal(t *testing.T) {
	var terminal *os.File
	tr := startTracker(t, func(cmd *exec.Cmd) (io.Reader, error) {
		cmd.SysProcAttr = nil // pty makes it the leader of a session
		var err error
		terminal, err = pty.Start(cmd)
		return terminal, err
	})
	defer terminal.Close()
	for range 2 {
		if _, err := terminal.WriteString("\x03"); err != nil {
			t.Fatal(err)
		}
		if got := tr.next(t); got != "interrupt" {
			t.Errorf("%q", got)
		}
		tr.silent(t)
	}
	tr.end(t)
}

func TestStatus(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 3": 3, "kill -KILL $$": ExitSignaled + 9,
		"kill -TERM $$": ExitSignaled + 15} {
		c, err := StartChild([]string{"sh", "-c", script}, ChildStreams{os.Stdin, os.Stdout, os.Stderr})
		if err != nil {
			t.Fatal(err)
		}
		<-c.Ended()
		if got := stateOf(c.PID()); got != ended {
			t.Errorf("%s: state %q", script, got)
		}
		if err := syscall.Kill(c.PID(), 0); err != nil {
			t.Errorf("%s: the command is gone before it is waited for: %v", script, err)
		}
		if got := c.Reap().Status; got != want {
			t.Errorf("%s: status %d, want %d", script, got, want)
		}
	}
}

func TestCannotStart(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"no-such-command": ExitNotFound, plain + "/": ExitCannotRun,
		plain + "-not": ExitNotFound, plain: ExitCannotRun} {
		_, err := StartChild([]string{name}, ChildStreams{os.Stdin, os.Stdout, os.Stderr})
		if err == nil {
			t.Errorf("%s was started", name)
		} else if got := StartStatus(err); got != want {
			t.Errorf("%s: status %d, want %d (%v)", name, got, want, err)
		}
	}
}

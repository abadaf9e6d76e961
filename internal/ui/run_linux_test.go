package ui

import (
	"context"
	"errors"
	"flag"
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

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/test/heed"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// childMode is the environment variable that makes this test binary a program with the screen, for the tests that need
// a terminal.
const childMode = "NVNODETOP_UI_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(child(mode))
	}
	heed.Signals()
	_ = flag.Set("test.parallel", "6") // what is parallel waits for programs on terminals
	os.Exit(m.Run())
}

// stuck takes one frame and blocks in the second, as a frozen terminal does.
type stuck struct {
	*os.File
	writes int
}

func (s *stuck) Write(p []byte) (int, error) {
	if s.writes++; s.writes > 1 {
		select {}
	}
	return s.File.Write(p)
}

// child shows the fixture on its terminal. In mode "panic" the third Snapshot panics, in mode "frozen" the terminal is
// stuck, in mode "hung" what tells whether it is detached is.
func child(mode string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	snaps := 0
	var out io.Writer = os.Stdout
	if mode == "frozen" {
		out = &stuck{File: os.Stdout}
	}
	var watch func(context.Context, func(bool))
	if mode == "hung" {
		watch = func(context.Context, func(bool)) { select {} }
	}
	err := Run(ctx, Options{
		Watch: watch,
		Snapshot: func(now time.Time) *cluster.Snapshot {
			if snaps++; mode == "panic" && snaps > 2 {
				panic("a fixture that panics")
			}
			s := uitest.Fixture()
			s.At = now
			return s
		},
		Now: time.Now, Controls: &asked{}, Display: 50 * time.Millisecond, Profile: colorprofile.ANSI,
		Choices: settings.Choices{Theme: "dark", View: ViewNode},
	}, os.Stdin, out)
	fmt.Printf("ended: %v\r\n", err)
	if errors.Is(err, tea.ErrProgramPanic) {
		return 3
	}
	return 0
}

// trial is a child on a terminal. The steps are done one after the other, each as soon as its time has come.
type trial struct {
	mode  string
	shell string // a script that runs the child as "$0"; "": the child alone
	w, h  uint16
	steps []step
}

type step struct {
	when func(s *vt.Emulator) bool
	do   func(p *os.Process, tty *os.File)
}

// shows says that the terminal shows a text, on the alternate screen or on the main one.
func shows(text string, alternate bool) func(*vt.Emulator) bool {
	return func(s *vt.Emulator) bool { return s.IsAltScreen() == alternate && strings.Contains(s.String(), text) }
}

// types is what to do in a step that presses keys.
func types(keys string) func(*os.Process, *os.File) {
	return func(_ *os.Process, tty *os.File) { io.WriteString(tty, keys) }
}

// outcome is what is left of a trial.
type outcome struct {
	screen *vt.Emulator
	cursor bool
	code   int
	maxRSS int64 // KiB
}

func (r trial) command() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	if r.shell != "" {
		cmd = exec.Command("/bin/sh", "-c", r.shell, os.Args[0])
	}
	cmd.Env = append(os.Environ(), childMode+"="+r.mode, "TERM=xterm-256color", "TMUX=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return cmd
}

func termios(t *testing.T, tty *os.File) *unix.Termios {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// run runs the child until it ends. The terminal's settings must then be what they were.
func (r trial) run(t *testing.T) (o outcome) {
	t.Helper()
	cmd := r.command()
	races := filepath.Join(t.TempDir(), "race")
	cmd.Env = append(cmd.Env, "GORACE=log_path="+races) // and not on the screen
	defer r.raced(t, races)
	tty, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: r.h, Cols: r.w}); err != nil {
		t.Fatal(err)
	}
	o.screen = vt.NewEmulator(100, 30)
	o.screen.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { o.cursor = visible }})
	defer answer(tty, o.screen)()
	before := termios(t, tty)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	began := time.Now()
	left, came := r.watch(cmd.Process, tty, o.screen)
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if left > 0 {
		t.Fatalf("the time of step %d has never come: %v after %v and %d bytes; the terminal has\n%s",
			len(r.steps)-left, cmd.ProcessState, time.Since(began), came, o.screen.String())
	}
	if diff := cmp.Diff(before, termios(t, tty)); diff != "" {
		t.Errorf("the terminal's settings have changed (-before +after):\n%s", diff)
	}
	o.code, o.maxRSS = cmd.ProcessState.ExitCode(), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	return o
}

// raced fails for what the race detector has written to files. After a panic Bubble Tea does not wait for the reader of
// keys before it closes what that one reads from, which is its own affair.
func (r trial) raced(t *testing.T, files string) {
	t.Helper()
	names, err := filepath.Glob(files + ".*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for report := range strings.SplitSeq(string(text), "==================\n") {
			if strings.Contains(report, "WARNING: DATA RACE") &&
				(r.mode != "panic" || !strings.Contains(report, "(*epollCancelReader).Close()")) {
				t.Errorf("the child has a race:\n%s", report)
			}
		}
	}
}

// answer passes on what the terminal answers, until the result is called.
func answer(tty *os.File, screen *vt.Emulator) (stop func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(tty, screen)
	}()
	return func() {
		if answers, ok := screen.InputPipe().(io.Closer); ok {
			_ = answers.Close()
		}
		<-done
	}
}

// patient is the time after which a trial hangs. A host with twenty times as many tasks as cores needs a minute until
// the child has a first frame.
const patient = 4 * time.Minute

// watch shows what comes until the terminal's other end is closed. It returns how many steps were not done, and how
// many bytes came.
func (r trial) watch(p *os.Process, tty *os.File, screen *vt.Emulator) (left, came int) {
	timer := time.AfterFunc(patient, func() { unix.Kill(-p.Pid, unix.SIGKILL); killForeground(tty) })
	defer timer.Stop()
	steps := r.steps
	buf := make([]byte, 1<<16)
	for {
		n, err := tty.Read(buf)
		came += n
		screen.Write(buf[:n])
		for len(steps) > 0 && steps[0].when(screen) {
			steps[0].do(p, tty)
			steps = steps[1:]
		}
		if err != nil { // EIO: the child has closed its end
			return len(steps), came
		}
	}
}

// foreground is the process group that has the terminal.
func foreground(tty *os.File) int {
	group, _ := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return group
}

func killForeground(tty *os.File) {
	if group := foreground(tty); group > 0 {
		unix.Kill(-group, unix.SIGKILL)
	}
}

// onTerminal runs a child on a terminal of 100×30 until end has ended it.
func onTerminal(t *testing.T, mode string, end func(p *os.Process, tty *os.File)) outcome {
	t.Helper()
	return trial{mode: mode, w: 100, h: 30, steps: []step{{shows("gpu-n01", true), end}}}.run(t)
}

// However the program ends, the terminal is as it was: the main screen, with a cursor, and cooked.
func TestTerminalIsGivenBack(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, mode string
		end        func(p *os.Process, tty *os.File)
		code       int
		says       string
	}{
		{"quit", "run", types("q"), 0, "ended: <nil>"},
		{"Ctrl-C", "run", types("\x03"), 0, "ended: <nil>"},
		{"SIGTERM", "run", func(p *os.Process, _ *os.File) { p.Signal(syscall.SIGTERM) }, 0, "ended: <nil>"},
		{"SIGHUP", "run", func(p *os.Process, _ *os.File) { p.Signal(syscall.SIGHUP) }, 0, "ended: <nil>"},
		{"quit while a file system hangs", "hung", types("q"), 0, "ended: <nil>"},
		{"panic", "panic", func(*os.Process, *os.File) {}, 3, "(*model).takeSnapshot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := onTerminal(t, test.mode, test.end)
			if got.code != test.code {
				t.Errorf("exit status %d, want %d", got.code, test.code)
			}
			if got.screen.IsAltScreen() {
				t.Error("the alternate screen is still on")
			}
			if !got.cursor {
				t.Error("the cursor is hidden")
			}
			if text := got.screen.String(); !strings.Contains(text, test.says) {
				t.Errorf("the main screen has no %q:\n%s", test.says, text)
			}
		})
	}
}

// The wheel's bytes change neither the job nor the page: a terminal would send them as arrows if nobody asked for the
// mouse.
func TestWheelOfATerminal(t *testing.T) {
	t.Parallel()
	got := trial{mode: "run", w: 100, h: 30, steps: []step{
		{shows("Job 48211", true), types("\x1b[<65;10;10M\x1b[<65;10;10M\x1b[<64;10;10MM")},
		{shows("M mouse: off", true), types("M]")},
		{shows("Job 48377", true), types("q")},
	}}.run(t)
	if got.code != 0 {
		t.Errorf("exit status %d", got.code)
	}
}

// A terminal that nobody reads keeps the program neither from hearing its keys nor from ending.
func TestFrozenTerminalIsLeft(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p *os.Process, tty *os.File){
		"quit":    types("oq"),
		"SIGTERM": func(p *os.Process, tty *os.File) { io.WriteString(tty, "o"); p.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := onTerminal(t, "frozen", end); got.code != 0 {
				t.Errorf("exit status %d", got.code)
			}
		})
	}
}

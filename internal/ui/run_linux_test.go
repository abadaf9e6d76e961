package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
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
)

// childMode is the environment variable that makes this test binary a program with the screen, for the tests that need a terminal.
const childMode = "NVNODETOP_UI_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(child(mode))
	}
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

// child shows the fixture on its terminal. In mode "panic" the third Snapshot panics, in mode "frozen" the terminal is stuck.
func child(mode string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	snaps := 0
	var out io.Writer = os.Stdout
	if mode == "frozen" {
		out = &stuck{File: os.Stdout}
	}
	err := Run(ctx, Options{
		Snapshot: func(now time.Time) *cluster.Snapshot {
			if snaps++; mode == "panic" && snaps > 2 {
				panic("a fixture that panics")
			}
			s := fixture()
			s.At = now
			return s
		},
		Now: time.Now, Controls: &asked{}, Poll: 3 * time.Second, Display: 50 * time.Millisecond, Profile: colorprofile.ANSI, Theme: "dark",
	}, os.Stdin, out)
	fmt.Printf("ended: %v\r\n", err)
	if errors.Is(err, tea.ErrProgramPanic) {
		return 3
	}
	return 0
}

// onTerminal runs a child on a terminal of 100×30 until end has ended it. It returns what the
// terminal then shows, whether it shows the cursor, and the exit status.
func onTerminal(t *testing.T, mode string, end func(p *os.Process, tty io.Writer)) (screen *vt.Emulator, cursor bool, code int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childMode+"="+mode, "TERM=xterm-256color")
	tty, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	screen = vt.NewEmulator(100, 30)
	screen.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { cursor = visible }})
	before, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	shown := false
	buf := make([]byte, 1<<16)
	timer := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer timer.Stop()
	for {
		n, err := tty.Read(buf)
		screen.Write(buf[:n])
		if !shown && strings.Contains(screen.String(), "gpu-n01") {
			shown = true
			end(cmd.Process, tty)
		}
		if err != nil { // EIO: the child has closed its end
			break
		}
	}
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if !shown {
		t.Fatalf("the screen was never shown; the terminal has\n%s", screen.String())
	}
	after, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the terminal's settings have changed (-before +after):\n%s", diff)
	}
	return screen, cursor, cmd.ProcessState.ExitCode()
}

// However the program ends, the terminal is as it was: the main screen, with a cursor, and cooked.
func TestTerminalIsGivenBack(t *testing.T) {
	for _, test := range []struct {
		name, mode string
		end        func(p *os.Process, tty io.Writer)
		code       int
		says       string
	}{
		{"quit", "run", func(_ *os.Process, tty io.Writer) { io.WriteString(tty, "q") }, 0, "ended: <nil>"},
		{"Ctrl-C", "run", func(_ *os.Process, tty io.Writer) { io.WriteString(tty, "\x03") }, 0, "ended: <nil>"},
		{"SIGTERM", "run", func(p *os.Process, _ io.Writer) { p.Signal(syscall.SIGTERM) }, 0, "ended: <nil>"},
		{"SIGHUP", "run", func(p *os.Process, _ io.Writer) { p.Signal(syscall.SIGHUP) }, 0, "ended: <nil>"},
		{"panic", "panic", func(*os.Process, io.Writer) {}, 3, "(*model).pull"},
	} {
		t.Run(test.name, func(t *testing.T) {
			screen, cursor, code := onTerminal(t, test.mode, test.end)
			if code != test.code {
				t.Errorf("exit status %d, want %d", code, test.code)
			}
			if screen.IsAltScreen() {
				t.Error("the alternate screen is still on")
			}
			if !cursor {
				t.Error("the cursor is hidden")
			}
			if text := screen.String(); !strings.Contains(text, test.says) {
				t.Errorf("the main screen has no %q:\n%s", test.says, text)
			}
		})
	}
}

// A terminal that nobody reads keeps the program neither from hearing its keys nor from ending.
func TestFrozenTerminalIsLeft(t *testing.T) {
	for name, end := range map[string]func(p *os.Process, tty io.Writer){
		"quit":    func(_ *os.Process, tty io.Writer) { io.WriteString(tty, "oq") },
		"SIGTERM": func(p *os.Process, tty io.Writer) { io.WriteString(tty, "o"); p.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, code := onTerminal(t, "frozen", end); code != 0 {
				t.Errorf("exit status %d", code)
			}
		})
	}
}

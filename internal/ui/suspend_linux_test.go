package ui

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// jobControl runs the child as an interactive shell does, and goes on with it after an Enter.
const jobControl = `set -m; "$0"; printf '\r\nis stopped\r\n'; read x; fg >/dev/null; echo is over`

// last is the last row that shows something.
func last(s *vt.Emulator) int {
	return strings.Count(strings.TrimRight(s.String(), " \n"), "\n")
}

// Ctrl-Z gives the terminal to the shell as it was, and fg takes it again and paints all of it, in the size that the
// window has then.
func TestSuspend(t *testing.T) {
	t.Parallel()
	var before, stopped, raw *unix.Termios
	note := func(into **unix.Termios, keys string) func(*os.Process, *os.File) {
		return func(_ *os.Process, tty *os.File) {
			*into = termios(t, tty)
			io.WriteString(tty, keys)
		}
	}
	got := trial{mode: "run", shell: "echo begins; read x; " + jobControl, w: 100, h: 30, steps: []step{
		{shows("begins", false), note(&before, "\n")},
		{shows("gpu-n01", true), types("\x1a")},
		{shows("is stopped", false), func(p *os.Process, tty *os.File) {
			pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 90}) // the shell alone hears of it
			note(&stopped, "\n")(p, tty)
		}},
		{func(s *vt.Emulator) bool { return shows("q quit", true)(s) && last(s) == 23 }, note(&raw, "o")},
		{shows("s sort", true), types("q")},
	}}.run(t)
	if diff := cmp.Diff(before, stopped); diff != "" {
		t.Errorf("the shell gets other settings (-want +got):\n%s", diff)
	}
	if raw.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) != 0 {
		t.Error("the terminal is not raw after fg")
	}
	if text := got.screen.String(); got.screen.IsAltScreen() || !got.cursor || !strings.Contains(text, "is over") {
		t.Errorf("alternate screen %v, cursor %v:\n%s", got.screen.IsAltScreen(), got.cursor, text)
	}
}

// A program that something else has stopped makes the terminal raw and paints all of it when it is continued, whatever
// a shell has done.
func TestStoppedFromOutside(t *testing.T) {
	t.Parallel()
	for _, sig := range []unix.Signal{unix.SIGSTOP, unix.SIGTSTP} {
		t.Run(unix.SignalName(sig), func(t *testing.T) {
			t.Parallel()
			var before *unix.Termios
			trial{mode: "run", shell: "echo begins; read x; " + jobControl, w: 100, h: 30, steps: []step{
				{shows("begins", false),
					func(_ *os.Process, tty *os.File) { before = termios(t, tty); io.WriteString(tty, "\n") }},
				// the frame is complete
				{shows("q quit", true), func(_ *os.Process, tty *os.File) { unix.Kill(-foreground(tty), sig) }},
				{shows("is stopped", true), func(_ *os.Process, tty *os.File) {
					unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, before)
					io.WriteString(tty, "\n")
				}},
				{func(s *vt.Emulator) bool { return shows("gpu-n01", true)(s) && !shows("is stopped", true)(s) },
					types("o")},
				{shows("USED/TOT", true), types("q")},
			}}.run(t)
		})
	}
}

// endInBackground continues the child in the background, and ends it there once it has stopped itself again.
const endInBackground = `set -m; "$0"; f=$(mktemp); jobs -p >$f; read p <$f; rm $f; bg >/dev/null
	until grep -q "^State:.T" /proc/$p/status; do sleep 0.1; done
	kill %1; kill -CONT %1; while kill -0 %1; do sleep 0.1; done 2>/dev/null; echo is over`

// A program that is continued in the background leaves the terminal alone, and can be ended there.
func TestEndInBackground(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(p *os.Process, tty *os.File){
		"suspended":                  types("\x1a"),
		"suspended from the palette": types(":suspend\r"),
		"stopped":                    func(_ *os.Process, tty *os.File) { unix.Kill(-foreground(tty), unix.SIGSTOP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := trial{mode: "run", shell: endInBackground, w: 100, h: 30,
				steps: []step{{shows("q quit", true), stop}}}.run(t)
			text := got.screen.String()
			if end := strings.Index(text, "ended: <nil>"); got.screen.IsAltScreen() || end < 0 ||
				end > strings.Index(text, "is over") {
				t.Errorf("alternate screen %v:\n%s", got.screen.IsAltScreen(), text)
			}
		})
	}
}

// If no shell could continue the program, the kernel does not stop it, and Ctrl-Z must not end it.
func TestSuspendWithoutShell(t *testing.T) {
	t.Parallel()
	trial{mode: "run", w: 100, h: 30, steps: []step{
		{shows("gpu-n01", true), types("\x1a")},
		{shows("", false), types("")},
		{shows("gpu-n01", true), types("q")},
	}}.run(t)
}

// Package term runs a program in a terminal that a test can read: a pseudo terminal with an emulator at its other end.
// The tests on the cluster and the benchmark use it to see nvnodetop as a user does.
//
// The methods of a Terminal may be called from any goroutine.
package term

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Terminal is a running program and its screen.
type Terminal struct {
	cmd  *exec.Cmd
	tty  *os.File
	done chan struct{} // closed when the program has exited and all its output is on the screen

	answering sync.WaitGroup

	mu      sync.Mutex // protects the following
	screen  *vt.Emulator
	written int64
	arrived time.Time     // arrival of the last output on the screen
	changed chan struct{} // closed and replaced whenever there is new output
	raw     []byte        // the last keepRaw bytes of output
}

const keepRaw = 64 << 10

// Start runs cmd in a terminal of w columns and h rows.
func Start(cmd *exec.Cmd, w, h int) (*Terminal, error) {
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
	if err != nil {
		return nil, err
	}
	t := &Terminal{cmd: cmd, tty: tty, done: make(chan struct{}), screen: vt.NewEmulator(w, h),
		changed: make(chan struct{})}
	t.answering.Go(func() { _, _ = io.Copy(tty, t.screen) }) // the terminal's answers to queries of the program
	go t.show()
	return t, nil
}

// output is some output of the program.
type output struct {
	bytes []byte
	at    time.Time
}

// receive reads the output, so that the program never waits for the emulator and the time of each piece is known.
func (t *Terminal) receive(pieces chan<- output) {
	defer close(pieces)
	for {
		buf := make([]byte, 32<<10)
		n, err := t.tty.Read(buf)
		if n > 0 {
			pieces <- output{buf[:n], time.Now()}
		}
		if err != nil {
			return
		}
	}
}

func (t *Terminal) show() {
	pieces := make(chan output, 64)
	go t.receive(pieces)
	for o := range pieces {
		t.mu.Lock()
		_, _ = t.screen.Write(o.bytes)
		t.written += int64(len(o.bytes))
		t.arrived = o.at
		t.raw = append(t.raw, o.bytes...)
		t.raw = t.raw[max(0, len(t.raw)-keepRaw):]
		close(t.changed)
		t.changed = make(chan struct{})
		t.mu.Unlock()
	}
	_ = t.cmd.Wait()
	close(t.done)
}

// Screen returns the text on the screen, as lines without trailing spaces.
func (t *Terminal) Screen() string {
	text, _, _ := t.look()
	return text
}

func (t *Terminal) look() (text string, arrived time.Time, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(t.screen.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \r")
	}
	return strings.Join(lines, "\n"), t.arrived, t.changed
}

// AltScreen reports whether the alternate screen is on. It must be off when the program has exited.
func (t *Terminal) AltScreen() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.IsAltScreen()
}

// Written returns the number of bytes that the program has sent to the terminal.
func (t *Terminal) Written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written
}

// Raw returns the last bytes that the program has sent.
func (t *Terminal) Raw() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.raw)
}

// WaitFor waits until want is true for the screen. It returns the time until the output that made it true; 0: it was
// true before. It checks after all output.
func (t *Terminal) WaitFor(within time.Duration, what string, want func(screen string) bool) (time.Duration, error) {
	began := time.Now()
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	for {
		text, arrived, changed := t.look()
		if want(text) {
			return max(0, arrived.Sub(began)), nil
		}
		select {
		case <-changed:
		case <-t.done:
			if text := t.Screen(); !want(text) {
				return 0, fmt.Errorf("the program exited before %s; the screen:\n%s", what, text)
			}
		case <-deadline.C:
			return 0, fmt.Errorf("%s not seen within %v; the screen:\n%s", what, within, t.Screen())
		}
	}
}

// Type sends keys.
func (t *Terminal) Type(keys string) error {
	_, err := t.tty.WriteString(keys)
	return err
}

// Resize changes the size of the terminal.
func (t *Terminal) Resize(w, h int) error {
	t.mu.Lock()
	t.screen.Resize(w, h)
	t.mu.Unlock()
	return pty.Setsize(t.tty, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
}

// Signal sends a signal to the program and its parent.
func (t *Terminal) Signal(sig syscall.Signal) error { return syscall.Kill(-t.cmd.Process.Pid, sig) }

// Wait waits for the program to exit by itself, and returns its exit code.
func (t *Terminal) Wait(within time.Duration) (int, error) {
	select {
	case <-t.done:
		return t.cmd.ProcessState.ExitCode(), nil
	case <-time.After(within):
		return 0, fmt.Errorf("the program is still running after %v; the screen:\n%s", within, t.Screen())
	}
}

// Close kills the program, if it is still running, and frees the terminal.
func (t *Terminal) Close() {
	select {
	case <-t.done:
	default:
		_ = t.Signal(syscall.SIGKILL)
	}
	_ = t.tty.Close()
	<-t.done
	// The emulator's own Close would race with the goroutine that reads its answers. Closing the answers ends that
	// goroutine.
	if answers, ok := t.screen.InputPipe().(io.Closer); ok {
		_ = answers.Close()
	}
	t.answering.Wait()
}

package terminal

import (
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// Shell handles job control (Ctrl-Z, fg) and window sizes. Bubble Tea can suspend a program, but hangs if nothing
// actually stops it, as under "ssh -t host nvnodetop". It also does not notice when something else stops and continues
// the program.
//
// SIGTSTP is not caught, because Go never removes a handler, and then nothing could stop the program. So a program
// stopped from outside leaves the terminal in raw mode, and repairs it when it is continued.
type Shell struct {
	tty      uintptr
	isTTY    bool
	ended    <-chan struct{} // closed when the program should end
	terminal *Terminal

	signals chan os.Signal
	leaving bool        // Ctrl-Z waits for the terminal's answer, or for Bubble Tea; used only on its goroutine
	waiting atomic.Bool // in rest
	resumed bell.Bell   // rung by SIGCONT
}

const (
	// If the program has not stopped after this many times 50 ms, it never will: the kernel does not stop a program
	// that has no shell to continue it.
	unstopped = 5
	// "kill %1" continues a stopped program so that it can end: both signals arrive together. On a busy host the
	// program may get no time to run for long, so its runs are counted, not the time.
	parting, partings = 5 * time.Millisecond, 20
)

func NewShell(out io.Writer, ended <-chan struct{}, t *Terminal) *Shell {
	s := &Shell{ended: ended, terminal: t, signals: make(chan os.Signal, 8), resumed: bell.New()}
	if f, ok := out.(term.File); ok && term.IsTerminal(f.Fd()) {
		s.tty, s.isTTY = f.Fd(), true
	}
	return s
}

// Size returns the usable size of the window: some terminals report 0×0 before they are shown, and some report
// nonsense.
func (s *Shell) Size() tea.WindowSizeMsg {
	var w, h int
	if s.isTTY {
		w, h, _ = term.GetSize(s.tty)
	}
	return limitSize(w, h)
}

func limitSize(w, h int) tea.WindowSizeMsg {
	if w <= 0 || h <= 0 {
		w, h = 80, 24
	}
	return tea.WindowSizeMsg{Width: min(w, 1000), Height: min(h, 500)}
}

// Watch handles signals until stop is called.
func (s *Shell) Watch(send func(tea.Msg)) (stop func()) {
	signal.Notify(s.signals, syscall.SIGCONT, syscall.SIGWINCH)
	go func() {
		defer crash.End()
		for sig := range s.signals {
			s.handleSignal(sig, send)
		}
	}()
	return func() {
		signal.Stop(s.signals)
		close(s.signals)
	}
}

func (s *Shell) handleSignal(sig os.Signal, send func(tea.Msg)) {
	switch {
	case sig == syscall.SIGWINCH:
		send(s.Size())
	case s.waiting.Load():
		s.resumed.Ring()
	case !s.isInBackground():
		send(s.suspendMessage(false)) // stopped from outside; a shell may have used the terminal since then
	case !s.shouldEnd():
		stopInBackground()
	}
}

// Suspend is the message that suspends the program, as Ctrl-Z does.
type Suspend struct{}

// Filter makes Ctrl-Z suspend the program. It also limits window sizes, which terminals can also report as input.
func (s *Shell) Filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if key.Matches(msg, keys.Suspend) {
			return s.suspendAfterAnswer()
		}
	case Suspend:
		return s.suspendAfterAnswer()
	case tea.WindowSizeMsg:
		return limitSize(msg.Width, msg.Height)
	}
	return msg
}

// suspendAfterAnswer returns the message that suspends the program when the terminal has answered, or has taken too
// long. Pressing Ctrl-Z again before that has no effect.
func (s *Shell) suspendAfterAnswer() tea.Msg {
	if s.leaving {
		return nil
	}
	s.leaving = true
	return tea.BatchMsg{s.terminal.Hush(func() tea.Msg { return s.suspendMessage(true) })}
}

// suspendMessage returns the message that makes Bubble Tea release its input, run the suspension, and continue.
func (s *Shell) suspendMessage(stop bool) tea.Msg { return tea.Exec(&suspension{s, stop}, nil)() }

type suspension struct {
	*Shell
	stop bool // stop the program; otherwise it has been stopped already
}

func (s *suspension) SetStdin(io.Reader)  {}
func (s *suspension) SetStdout(io.Writer) {}
func (s *suspension) SetStderr(io.Writer) {}

// Run returns when the terminal belongs to this program again, or when the program should end.
func (s *suspension) Run() error {
	s.leaving = false
	s.terminal.suspendOutput()
	if s.stop {
		s.stopUntilContinued(func() { _ = syscall.Kill(0, syscall.SIGTSTP) }) // the whole group, as the terminal does
	}
	for s.isInBackground() {
		if s.shouldEnd() {
			return nil
		}
		s.stopUntilContinued(stopInBackground)
	}
	s.terminal.resumeOutput()
	select {
	case s.signals <- syscall.SIGWINCH: // the window may have changed; the model redraws
	default:
	}
	return nil
}

// stopInBackground stops the program if it was continued in the background, as the kernel would if the program used the
// terminal.
func stopInBackground() { _ = syscall.Kill(os.Getpid(), syscall.SIGTTOU) }

// stopUntilContinued stops the program and returns when it is continued.
func (s *Shell) stopUntilContinued(stop func()) {
	s.waiting.Store(true)
	defer s.waiting.Store(false)
	select {
	case <-s.resumed: // left over from an earlier stop
	default:
	}
	stop()
	// the first wait ends as soon as the program is continued, but the signal may arrive a little later
	for range unstopped {
		select {
		case <-s.resumed:
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// isInBackground reports whether another program has the terminal and must not be disturbed.
func (s *Shell) isInBackground() bool { return s.isTTY && inBackground(s.tty) }

func inBackground(tty uintptr) bool {
	foreground, err := unix.IoctlGetInt(int(tty), unix.TIOCGPGRP)
	return err == nil && foreground != unix.Getpgrp()
}

// shouldEnd reports whether the program should end while in the background.
func (s *Shell) shouldEnd() bool {
	for range partings {
		select {
		case <-s.ended:
			s.Unstoppable()
			return true
		case <-time.After(parting):
		}
	}
	return false
}

// Unstoppable lets a program in the background end: restoring the terminal settings would stop it again.
func (s *Shell) Unstoppable() {
	if s.isInBackground() {
		signal.Ignore(syscall.SIGTTOU)
	}
}

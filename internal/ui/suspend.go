package ui

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

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// shell is the other side of job control: it stops and continues this program, and tells it the size of its window. Bubble Tea can suspend
// a program, but waits for ever for its continuation where nothing has stopped it, as under "ssh -t host nvnodetop", and it does not see
// that something else has stopped the program and continues it.
//
// SIGTSTP is not caught: Go never takes back a handler that it has installed for it, and then nothing could stop the program. So one that
// is stopped from outside leaves the terminal as it was, and mends that when it is continued.
type shell struct {
	tty      uintptr
	isTTY    bool
	ended    <-chan struct{} // the program is to end
	terminal *terminal

	signals chan os.Signal
	waiting atomic.Bool // for continued
	resumed bell.Bell   // by SIGCONT, for who waits
}

const (
	// A stop that has not come after so many times 50 ms never comes: the kernel stops no program without a shell to continue it.
	unstopped = 5
	// "kill %1" continues the program to have it end. The two signals come together.
	parting = 100 * time.Millisecond
)

func newShell(out io.Writer, ended <-chan struct{}, t *terminal) *shell {
	s := &shell{ended: ended, terminal: t, signals: make(chan os.Signal, 8), resumed: bell.New()}
	if f, ok := out.(term.File); ok && term.IsTerminal(f.Fd()) {
		s.tty, s.isTTY = f.Fd(), true
	}
	return s
}

// size is that of the window, as frames may use it: some terminals say 0×0 before they are shown, and some say nonsense.
func (s *shell) size() tea.WindowSizeMsg {
	var w, h int
	if s.isTTY {
		w, h, _ = term.GetSize(s.tty)
	}
	return usable(w, h)
}

func usable(w, h int) tea.WindowSizeMsg {
	if w <= 0 || h <= 0 {
		w, h = 80, 24
	}
	return tea.WindowSizeMsg{Width: min(w, 1000), Height: min(h, 500)}
}

// watch answers the shell's signals until stop is called.
func (s *shell) watch(send func(tea.Msg)) (stop func()) {
	signal.Notify(s.signals, syscall.SIGCONT, syscall.SIGWINCH)
	go func() {
		for sig := range s.signals {
			s.answer(sig, send)
		}
	}()
	return func() {
		signal.Stop(s.signals)
		close(s.signals)
	}
}

func (s *shell) answer(sig os.Signal, send func(tea.Msg)) {
	switch {
	case sig == syscall.SIGWINCH:
		send(s.size())
	case s.waiting.Load():
		s.resumed.Ring()
	case !s.background():
		send(s.suspend(false)) // it was stopped from outside, and a shell may have used the terminal since
	case !s.ending():
		again()
	}
}

// filter makes Ctrl-Z what it is in a terminal that is not raw, and sizes what frames may use: terminals can report those as input, too.
func (s *shell) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if key.Matches(msg, keys.Suspend) {
			return s.suspend(true)
		}
	case tea.WindowSizeMsg:
		return usable(msg.Width, msg.Height)
	}
	return msg
}

// suspend is the message that has Bubble Tea give its input back, run the suspension, and go on.
func (s *shell) suspend(stop bool) tea.Msg { return tea.Exec(&suspension{s, stop}, nil)() }

type suspension struct {
	*shell
	stop bool // the program; else it has been stopped already
}

func (s *suspension) SetStdin(io.Reader)  {}
func (s *suspension) SetStdout(io.Writer) {}
func (s *suspension) SetStderr(io.Writer) {}

// Run returns when the terminal belongs to this program again, or when the program is to end.
func (s *suspension) Run() error {
	s.terminal.suspend()
	if s.stop {
		s.rest(func() { _ = syscall.Kill(0, syscall.SIGTSTP) }) // the whole group, as the terminal does
	}
	for s.background() {
		if s.ending() {
			return nil
		}
		s.rest(again)
	}
	s.terminal.resume()
	select {
	case s.signals <- syscall.SIGWINCH: // the window may have changed, and the model draws anew
	default:
	}
	return nil
}

// again stops a program that was continued in the background, as the kernel would when it touched the terminal.
func again() { _ = syscall.Kill(os.Getpid(), syscall.SIGTTOU) }

// rest has the program stopped, and returns when it is continued.
func (s *shell) rest(stop func()) {
	s.waiting.Store(true)
	defer s.waiting.Store(false)
	select {
	case <-s.resumed: // a late one, of another time
	default:
	}
	stop()
	for range unstopped { // the first has run out when the program is continued: the signal may come a little later
		select {
		case <-s.resumed:
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// background says that the terminal is another program's: to change it would disturb that.
func (s *shell) background() bool {
	if !s.isTTY {
		return false
	}
	foreground, err := unix.IoctlGetInt(int(s.tty), unix.TIOCGPGRP)
	return err == nil && foreground != unix.Getpgrp()
}

// ending says whether the program is to end, in the background.
func (s *shell) ending() bool {
	select {
	case <-s.ended:
		s.unstoppable()
		return true
	case <-time.After(parting):
		return false
	}
}

// unstoppable lets a program in the background end: to give the terminal's settings back would stop it once more.
func (s *shell) unstoppable() {
	if s.background() {
		signal.Ignore(syscall.SIGTTOU)
	}
}

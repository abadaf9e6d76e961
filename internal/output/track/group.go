package track

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
)

// signalForwarder distinguishes a signal to this process from a signal to its whole process group. The kernel knows the
// difference, but Go does not pass it on. So the witness, another process of the group, which does nothing, is checked:
// has it also got the signal?
type signalForwarder struct {
	mu      sync.Mutex // protects the following
	witness *exec.Cmd  // nil: there is none
	input   io.Closer
	gone    chan struct{}
}

// hearing is how long the witness must be calm before it counts as not having got the signal. mostHearing is the
// longest time until it is calm, ends or stops. On a busy machine it may not run for a while.
const (
	hearing     = 50 * time.Millisecond
	mostHearing = 5 * time.Second
)

// States of a process, as /proc has them.
const (
	stopped = "T"
	asleep  = "S"
	ended   = "" // or a zombie
)

func newGroup() *signalForwarder {
	g := &signalForwarder{}
	g.startWitness()
	return g
}

// startWitness starts the witness. It reads until its input is closed, at the latest when this process ends. Without a
// witness every signal is passed on.
func (g *signalForwarder) startWitness() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.witness = nil
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", "ulimit -c 0; exec cat >/dev/null")
	input, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	if err := cmd.Start(); err != nil {
		_ = input.Close()
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer crash.End()
		_ = cmd.Wait() // only its end matters
	}()
	g.witness, g.input, g.gone = cmd, input, gone
}

// isWitness reports whether a process is the witness.
func (g *signalForwarder) isWitness(pid int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.witness != nil && g.witness.Process.Pid == pid
}

// hasReachedGroup reports whether a signal to this process has reached the whole group.
func (g *signalForwarder) hasReachedGroup() bool {
	if g.witness == nil {
		return false
	}
	pid, began := g.witness.Process.Pid, time.Now()
	for calm := began; ; time.Sleep(hearing / 10) {
		waits := signalWaits(pid) // checked before the state: a signal is taken before it shows there
		switch state := stateOf(pid); {
		case state == ended:
			<-g.gone
			g.startWitness()
			return true
		case state == stopped:
			return true
		case (waits || state != asleep) && time.Since(began) < mostHearing: // it is starting or ending
			calm = time.Now()
		case time.Since(calm) > hearing:
			return false
		}
	}
}

// signalWitness sends a signal to the witness.
func (g *signalForwarder) signalWitness(s syscall.Signal) {
	if g.witness != nil {
		_ = g.witness.Process.Signal(s) // it may have ended
	}
}

func (g *signalForwarder) closeWitness() {
	if g.witness == nil {
		return
	}
	_ = g.input.Close()
	_ = g.witness.Process.Kill() // it may have ended, or be stopped
	<-g.gone
}

// signalWaits reports whether a process has not yet taken a signal that was sent to it.
func signalWaits(pid int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		name, mask, _ := strings.Cut(line, ":")
		if (name == "SigPnd" || name == "ShdPnd") && strings.Trim(mask, "0 \t\n") != "" {
			return true
		}
	}
	return false
}

// stateOf returns the state of a process.
func stateOf(pid int) string {
	stat, err := proc.Of("/proc", pid).Stat()
	if err != nil || stat.Dead() {
		return ended
	}
	return stat.State
}

package track

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// passedSignals lists the signals that are passed on. A signal that was ignored when this program started, such as
// SIGHUP under nohup, stays ignored by the command too.
func passedSignals() []os.Signal {
	all := []os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGTSTP, syscall.SIGCONT,
	}
	return slices.DeleteFunc(all, signal.Ignored)
}

// passSignals passes signals on to the command. Signals to the whole process group, such as Ctrl-C, have already
// reached it: a second SIGINT would end a program that has begun to save its work.
func (c *Child) passSignals() {
	defer close(c.passing)
	for {
		select {
		case <-c.quit:
			return
		case s := <-c.signals:
			if s == syscall.SIGCONT { // harmless if it comes twice
				c.group.signalWitness(syscall.SIGCONT)
				c.sendSignal(s)
				continue
			}
			if !c.group.hasReachedGroup() {
				c.sendSignal(s)
			}
			if s == syscall.SIGTSTP {
				c.stopSelf()
			}
		}
	}
}

// sendSignal sends a signal to the command. At worst the command is a zombie, so its PID still belongs to it.
func (c *Child) sendSignal(s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		_ = syscall.Kill(c.PID(), number) // it may have ended
	}
}

// stopping is how long the command has to stop after SIGTSTP.
const stopping = 500 * time.Millisecond

// stopSelf stops this process if the command stops, so that the shell notices. If a command ignores SIGTSTP, it
// continues, and so does this process. The witness also continues in both cases: while it is stopped, every signal
// would seem to have been sent to the whole group.
func (c *Child) stopSelf() {
	defer c.group.signalWitness(syscall.SIGCONT)
	for began := time.Now(); time.Since(began) < stopping; time.Sleep(hearing / 10) {
		if stateOf(c.PID()) == stopped {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			return
		}
	}
}

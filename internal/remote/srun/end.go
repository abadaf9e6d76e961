package srun

import (
	"context"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// isSuspended is the reason given to the sessions of a step whose job is suspended.
const isSuspended = "nvnodetop: the job is suspended"

// endSuspended ends the step of a suspended job. Its probes are frozen, and srun ignores SIGTERM until the job goes on.
// When it does, the probes end at once, as their input has ended.
func (s *step) endSuspended() {
	s.mu.Lock()
	proc := s.proc
	s.mu.Unlock()
	if proc == nil { // not started yet: now it never will
		return
	}
	_, _ = s.words.Write([]byte(isSuspended + "\n"))
	for _, t := range s.tasks {
		t.closeTask(link.Exit{}, isSuspended+"\n")
	}
	_ = s.in.Close()
	time.Sleep(s.d.limits.parting)   // lets srun pass on the end of the input: not all probes notice the end of srun
	_ = proc.Signal(syscall.SIGKILL) // it may have ended already
}

// Close ends the steps that still run once all sessions are closed. An srun whose job is suspended ignores SIGTERM, and
// would outlive this process. An srun that has been ending its step for a while, as when a node is dead, is left alone:
// if it were killed, it could not tell SLURM, which would list the step until the job ends. Close takes at most three
// times limits.parting.
func (d *Door) Close() {
	d.mu.Lock()
	open := slices.Collect(maps.Keys(d.open))
	d.mu.Unlock()
	for _, signal := range []syscall.Signal{0, syscall.SIGTERM, syscall.SIGKILL} { // 0: most end by themselves
		late, cancel := context.WithTimeout(context.Background(), d.limits.parting)
		open = slices.DeleteFunc(open, func(s *step) bool {
			return signal == syscall.SIGKILL && s.wasAborting() ||
				s.endsBefore(late, signal)
		})
		cancel()
	}
}

// endsBefore sends srun a signal, and waits for its end. It reports whether srun has ended, or never started.
func (s *step) endsBefore(late context.Context, signal syscall.Signal) bool {
	s.mu.Lock()
	proc := s.proc
	s.mu.Unlock()
	if proc == nil {
		return true
	}
	_ = proc.Signal(signal) // it may have ended
	select {
	case <-s.ended:
		return true
	case <-late.Done():
		return false
	}
}

// wasAborting reports whether srun was already ending its step, and had said so, before this process began to end;
// sessions take up to 2 s to end with this process. srun waits for the nodes, up to KillWait and 2 s.
func (s *step) wasAborting() bool {
	s.mu.Lock()
	before := !s.closed.IsZero() && time.Since(s.closed) > 2*s.d.limits.closing
	s.mu.Unlock()
	words := s.words.String() // the srun of a suspended job says so too, and does not end
	return before && (strings.Contains(words, "forcing job termination") || strings.Contains(words, "Job step aborted"))
}

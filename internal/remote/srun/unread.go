package srun

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// movesOn is the reason given to the sessions of a step that ends for the sake of its other nodes.
const movesOn = "nvnodetop: another task of the step no longer reads its input"

// maxUnread is how many requests a task may leave unread once its session has ended. The input of a step goes to all of
// its tasks: slurmstepd and srun each buffer 1,024 pieces for a task that reads nothing, and then srun passes nothing
// on to any task.
const maxUnread = 1024

// countRequest counts a request that is about to be sent to the step. If a task that was given up does not end and
// leaves too much unread, it ends the step for all of its nodes: such a task is stopped, or a driver call hangs while
// it exits.
func (s *step) countRequest() {
	sent := s.sent.Add(1)
	s.mu.Lock()
	s.deaf = slices.DeleteFunc(s.deaf, (*task).gone)
	full := !s.over && slices.ContainsFunc(s.deaf, func(t *task) bool {
		return time.Since(t.left) > s.d.limits.closing && sent-t.heard.Load() > s.d.limits.unread
	})
	s.over = s.over || full
	s.mu.Unlock()
	if full {
		crash.Go(s.retireStep)
	}
}

// retireStep makes the nodes of the step ask for another step. srun is not told to end this one: SLURM would try to
// kill a task that perhaps cannot be killed, and would then drain the node. The step ends with the deaf task, or with
// this process.
func (s *step) retireStep() {
	_ = s.in.Close() // before another write; it wakes one that blocks
	for _, t := range s.tasks {
		t.closeTask(link.Exit{}, movesOn+"\n")
	}
}

// abandonTask records that nobody wants a task any longer. The message to the task follows.
func (s *step) abandonTask(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.left = time.Now()
	s.deaf = append(s.deaf, t)
}

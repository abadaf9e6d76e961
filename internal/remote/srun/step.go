package srun

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// step is one srun, with a task on each of its nodes.
type step struct {
	stepOptions
	d     *Door
	job   Job // as it was known at the start
	nodes []string
	tasks map[string]*task // by node; never changes

	words text.Capture  // srun's own messages, about the step
	up    chan struct{} // closed when all tasks have started
	apart chan struct{} // closed when the step is given up because some tasks did not start
	ended chan struct{} // closed after srun has ended
	err   error         // why srun could not be started; set before ended is closed
	held  atomic.Bool   // SLURM held it back, and it was given up
	sent  atomic.Int64  // requests

	mu     sync.Mutex // protects the following
	labels map[int]*task
	// for tasks whose first output has not been read yet: standard error may overtake standard output
	early  map[int][]func(*task)
	here   int // tasks that somebody may still want
	proc   *os.Process
	over   bool      // it has to end
	closed time.Time // when over was set
	deaf   []*task   // tasks that nobody wants, and that have not ended

	handing sync.Mutex // keeps what standard error passes to tasks in order; locked before mu

	writing sync.Mutex // protects in
	in      io.WriteCloser
	pulse   *link.Pulse
}

// newStep prepares the step for a batch. d.mu is held.
func (d *Door) newStep(b *batch) *step {
	s := &step{
		stepOptions: b.stepOptions, d: d, job: b.crew.Job, nodes: b.nodeNames(), tasks: map[string]*task{},
		labels: map[int]*task{},
		early:  map[int][]func(*task){},
		words:  text.Capture{Limit: 4 << 10}, up: make(chan struct{}), apart: make(chan struct{}),
		ended: make(chan struct{}),
	}
	s.pulse = link.NewPulse(&stepBroadcast{s})
	for _, node := range s.nodes {
		s.tasks[node] = newTask(s, node)
	}
	s.here = len(s.tasks)
	return s
}

// starter starts each srun, on a thread that ends with this process.
var starter remote.Starter

// startSrun starts srun. It ends when its last task is left, or by itself.
func (s *step) startSrun() {
	cmd := exec.CommandContext(context.Background(), s.d.program,
		srunArguments(s.job, s.nodes, s.rung.srunOptions(len(s.nodes), s.gpus), s.script)...)
	cmd.Env, cmd.Dir = srunEnviron(os.Environ()), "/"
	cmd.SysProcAttr = sysProcAttr()
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	errs, err3 := cmd.StderrPipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		s.end(err)
		return
	}
	s.in = in
	if err := starter.Do(cmd.Start); err != nil {
		s.end(err)
		return
	}
	s.mu.Lock()
	s.proc = cmd.Process
	s.mu.Unlock()
	var reading sync.WaitGroup
	reading.Go(func() {
		defer crash.End()
		readLines(out, s.handleOutput)
	})
	reading.Go(func() {
		defer crash.End()
		readLines(errs, s.handleErrors)
	})
	go func() {
		defer crash.End()
		reading.Wait()
		_ = cmd.Wait() // its messages say more than its status
		s.end(nil)
	}()
}

// end records that srun has ended, and with it all tasks.
func (s *step) end(err error) {
	if err != nil { // otherwise a task that has ended may be reading it
		s.err = err
	}
	words := s.words.String()
	for _, t := range s.tasks {
		t.closeTask(link.Exit{}, words)
	}
	s.d.noteStepEnd(s)
	close(s.ended)
}

func (s *step) hasStarted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.labels) > 0
}

// handleOutput handles a line that srun prints on its standard output.
func (s *step) handleOutput(label int, line []byte) {
	s.mu.Lock()
	t := s.labels[label]
	s.mu.Unlock()
	if name, ok := bytes.CutPrefix(line, []byte(taskMark)); ok && t == nil {
		s.noteNode(label, string(bytes.TrimSpace(name)))
		return
	}
	switch {
	case t != nil:
		t.handleOutput(line)
	default:
		_, _ = s.words.Write(line) // for example from a prolog
	}
}

// noteNode records which node a label stands for.
func (s *step) noteNode(label int, node string) {
	s.handing.Lock()
	defer s.handing.Unlock()
	s.mu.Lock()
	t := s.tasks[node]
	if label < 0 || t == nil || t.arrived {
		s.mu.Unlock()
		return
	}
	t.arrived = true
	s.labels[label] = t
	first, all := len(s.labels) == 1, len(s.labels) == len(s.tasks)
	early := s.early[label]
	delete(s.early, label)
	s.mu.Unlock()
	close(t.up)
	for _, do := range early {
		do(t)
	}
	switch {
	case all:
		close(s.up)
	case first:
		time.AfterFunc(s.d.limits.partial+time.Duration(len(s.tasks))*startsEach, func() { s.d.replacePartial(s) })
	}
}

// missingNodes returns the nodes whose tasks have not started.
func (s *step) missingNodes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.nodes), func(node string) bool { return s.tasks[node].arrived })
}

// handleErrors handles a line that srun prints on its standard error.
func (s *step) handleErrors(label int, line []byte) {
	if label < 0 {
		s.handleOwnLine(string(line))
		return
	}
	line = bytes.Clone(line)
	if s.withTask(label, func(t *task) { t.handleErrors(line) }) {
		return
	}
	if !bytes.HasPrefix(line, []byte(exitMark)) {
		_, _ = s.words.Write(line) // the task may never begin
	}
}

// handleOwnLine handles a line that is srun's own.
func (s *step) handleOwnLine(said string) {
	if labels, exit, ok := taskEnd(said); ok {
		for _, l := range labels {
			s.withTask(l, func(t *task) { t.closeTask(exit, said) })
		}
		return
	}
	if node := nodeFailure(said); s.tasks[node] != nil {
		s.tasks[node].leaveTask() // before its end: the probe may be alive, and would stay so as long as the step does
		s.tasks[node].closeTask(link.Exit{}, said)
		return
	}
	_, _ = s.words.Write([]byte(said))
	if isBusy(said) && s.rung != without {
		time.AfterFunc(s.d.limits.held, s.giveUp)
	}
}

// maxEarly limits what is kept for a task whose first output has not been read yet.
const maxEarly = 256

// withTask calls do for the task of a label, now or once its first output has been read. It reports whether it called
// do now.
func (s *step) withTask(label int, do func(*task)) bool {
	s.handing.Lock()
	defer s.handing.Unlock()
	s.mu.Lock()
	t := s.labels[label]
	if t == nil && label < len(s.nodes) && len(s.early[label]) < maxEarly {
		s.early[label] = append(s.early[label], do)
	}
	s.mu.Unlock()
	if t != nil {
		do(t)
	}
	return t != nil
}

// giveUp ends a step that SLURM still holds back.
func (s *step) giveUp() {
	if !s.hasStarted() && s.held.CompareAndSwap(false, true) {
		s.closeStep()
	}
}

// stepBroadcast writes to all tasks of a step.
type stepBroadcast struct{ s *step }

func (e *stepBroadcast) Write(lines []byte) (int, error) {
	if err := e.s.sendLines(lines); err != nil {
		return 0, err
	}
	return len(lines), nil
}

// sendLines writes whole lines to all tasks.
func (s *step) sendLines(lines []byte) error {
	s.countRequest()
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.in.Write(lines)
	return err
}

// sendFirst writes input before any later input. It does not wait: the input may be long.
func (s *step) sendFirst(in *input) {
	s.writing.Lock()
	go func() {
		defer s.writing.Unlock()
		defer crash.End()
		_, _ = io.Copy(s.in, in.fromBeginning()) // on an error the task has ended: its status says more
	}()
}

// noteTaskLeft records that nobody wants a task any longer. When the last task is left, the step ends.
func (s *step) noteTaskLeft() {
	s.mu.Lock()
	s.here--
	last := s.here == 0
	s.mu.Unlock()
	if last {
		s.closeStep()
	}
}

// closeStep ends the step: its input ends, then srun is asked to cancel it, at once if it has not started.
func (s *step) closeStep() {
	s.mu.Lock()
	again, proc, patience := s.over, s.proc, s.d.limits.closing
	if len(s.labels) == 0 {
		patience = 0
	}
	if s.over = true; !again {
		s.closed = time.Now()
	}
	s.mu.Unlock()
	if again || proc == nil {
		return
	}
	_ = s.in.Close() // wakes a write that blocks
	go func() {
		defer crash.End()
		for _, next := range []struct {
			after  time.Duration
			signal syscall.Signal
		}{{patience, syscall.SIGTERM}, {2 * s.d.limits.closing, syscall.SIGTERM},
			{s.d.limits.aborting, syscall.SIGKILL}} {
			select {
			case <-s.ended:
				return
			case <-time.After(next.after):
			}
			_ = proc.Signal(next.signal) // it may have ended
		}
	}()
}

package srun

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// taskRequest is a node's request for a task.
type taskRequest struct {
	ctx    context.Context // of the caller that waits
	node   string
	crew   *jobSteps
	script string
	input  *input          // nil: none
	answer chan taskAnswer // takes one answer

	steps int // steps that did not fulfill it
}

// again is how many times longer nodes are gathered for a step that replaces another one.
const again = 5

// maxSteps limits the steps for one wish: some fail because of other nodes, and each rung needs one.
const maxSteps = 8

type taskAnswer struct {
	task *task
	err  error
}

// stepOptions holds the properties that requests must share to be fulfilled by one step.
type stepOptions struct {
	crew   *jobSteps
	script string
	rung   gpuRequest
	gpus   int    // on each node, if the rung needs the number
	alone  string // the node that gets a step of its own; empty: there may be several nodes
}

// batch is a set of wishes that wait for more wishes.
type batch struct {
	stepOptions
	wishes []*taskRequest
	turns  chan struct{} // of the Door
	full   chan struct{} // closed when no other node can join
	fill   func()        // closes it
}

// addWish puts a wish into a batch.
func (d *Door) addWish(w *taskRequest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := w.crew.ladderOf(w.node)
	if l.settled && l.tried[l.at] && l.seen[l.at] == 0 {
		*l = ladder{} // whatever kept the GPUs from all steps may be gone
	}
	o := stepOptions{crew: w.crew, script: w.script, rung: l.at}
	if l.at == perNode || l.at == byGRES {
		o.gpus, _ = w.crew.gpuCount(w.node)
	}
	if w.input != nil || w.crew.outcasts[w.node] {
		o.alone = w.node
	}
	b := d.batches[o]
	if b == nil || w.input != nil {
		b = &batch{stepOptions: o, turns: d.starting, full: make(chan struct{})}
		if w.crew.outcasts[w.node] {
			b.turns = d.doubtful
		}
		b.fill = sync.OnceFunc(func() { close(b.full) })
		if w.input == nil {
			d.batches[o] = b
		}
		patience := d.limits.gather
		if w.steps > 0 {
			patience *= again // the nodes of a step find out one after the other that it is a poor one
		}
		rest := time.Until(w.crew.rest)
		crash.Go(func() { d.serveBatch(b, patience, rest) })
	}
	b.wishes = append(b.wishes, w)
	if len(b.wishes) >= len(w.crew.Nodes) || o.alone != "" {
		b.fill()
	}
}

// serveBatch waits for other wishes, for the end of the job's rest and for its turn, and starts the step.
func (d *Door) serveBatch(b *batch, patience, rest time.Duration) {
	select {
	case <-b.full:
	case <-time.After(patience):
	}
	time.Sleep(max(rest, 0))
	b.turns <- struct{}{}
	d.mu.Lock()
	if d.batches[b.stepOptions] == b {
		delete(d.batches, b.stepOptions)
	}
	b.wishes = slices.DeleteFunc(b.wishes, (*taskRequest).isOver)
	if len(b.wishes) == 0 {
		d.mu.Unlock()
		<-b.turns
		return
	}
	s := d.newStep(b)
	d.open[s] = true
	d.mu.Unlock()
	s.startSrun()
	for _, w := range b.wishes {
		crash.Go(func() { d.followTask(w, s.tasks[w.node]) })
	}
	go func() {
		defer crash.End()
		select {
		case <-s.up:
		case <-s.ended:
		case <-time.After(d.limits.held):
		}
		<-b.turns
	}()
}

// isOver reports whether nobody waits for a wish any longer, and if so answers it.
func (w *taskRequest) isOver() bool {
	if w.ctx.Err() == nil {
		return false
	}
	w.answer <- taskAnswer{err: context.Cause(w.ctx)}
	return true
}

func (b *batch) nodeNames() []string {
	var nodes []string
	for _, w := range b.wishes {
		nodes = append(nodes, w.node)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// followTask waits until a task has started, and answers the wish. It asks for another step if SLURM refuses this one
// or gives it fewer GPUs than the job has. It does the same if another node does not start its task: SLURM then aborts
// the step, after a while.
func (d *Door) followTask(w *taskRequest, t *task) {
	s := t.step
	select {
	case <-s.up:
	case <-s.apart:
		t.leaveTask()
		d.retryWish(w)
		return
	case <-t.exited:
	case <-w.ctx.Done():
		t.leaveTask()
		w.answer <- taskAnswer{err: &stepError{words: s.words.String(), late: true}}
		return
	}
	select {
	case <-t.up:
	default:
		d.handleFailure(w, t)
		return
	}
	if w.input != nil {
		s.sendFirst(w.input)
	}
	if d.maySeeMore(w, t) {
		t.leaveTask()
		d.retryWish(w)
		return
	}
	w.answer <- taskAnswer{task: t}
}

// maySeeMore waits for the probe's Hello, and reports whether another step may see more GPUs.
func (d *Door) maySeeMore(w *taskRequest, t *task) bool {
	d.mu.Lock()
	settled := w.crew.ladderOf(w.node).settled
	d.mu.Unlock()
	if settled {
		return false
	}
	select {
	case <-t.magic:
	case <-t.exited:
		return false
	case <-w.ctx.Done():
		return false
	}
	select {
	case seen := <-t.hello:
		d.mu.Lock()
		defer d.mu.Unlock()
		gpus, known := w.crew.gpuCount(w.node)
		return known && w.crew.ladderOf(w.node).noteSeen(t.step.rung, seen, gpus)
	case <-t.exited:
	case <-w.ctx.Done():
	case <-time.After(d.limits.hello): // the driver hangs: whoever waits for the task reports it
	}
	return false
}

// retryWish asks for another step, unless there were too many.
func (d *Door) retryWish(w *taskRequest) {
	if w.steps++; w.steps > maxSteps {
		w.answer <- taskAnswer{err: &stepError{late: true}}
		return
	}
	d.addWish(w)
}

// handleFailure handles a task that has not started. The step may have failed because of another node, or because of
// its options.
func (d *Door) handleFailure(w *taskRequest, t *task) {
	s := t.step
	words := s.words.String()
	d.mu.Lock()
	c := w.crew
	gpus, _ := c.gpuCount(w.node)
	retry := false
	switch dead := launchFailures(words); {
	case s.held.Load(), refusesGPUs(words):
		retry = c.ladderOf(w.node).noteRefusal(s.rung, refusalReason(words), gpus)
	case len(dead) > 0 && len(s.tasks) > 1:
		for _, node := range dead {
			c.outcasts[node] = true
		}
		retry = !slices.Contains(dead, w.node)
	}
	d.mu.Unlock()
	if retry {
		d.retryWish(w)
		return
	}
	w.answer <- taskAnswer{err: &stepError{words: words, err: s.err}}
}

// replacePartial gives up a step that has started on only some of its nodes. The others get steps of their own.
func (d *Door) replacePartial(s *step) {
	missing := s.missingNodes()
	select {
	case <-s.ended:
		return
	default:
		if len(missing) == 0 {
			return
		}
	}
	d.mu.Lock()
	for _, node := range missing {
		s.crew.outcasts[node] = true
	}
	d.mu.Unlock()
	close(s.apart)
	s.closeStep()
}

// noteStepEnd handles the end of a step, and lets the job rest if the step failed.
func (d *Door) noteStepEnd(s *step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := s.crew
	delete(d.open, s)
	words := s.words.String()
	switch {
	case s.hasStarted():
		c.failures = 0
		delete(c.outcasts, s.alone)
	case s.alone != "": // the node itself waits longer and longer
	case s.held.Load(), refusesGPUs(words): // the next rung follows at once
	default:
		c.failures = min(c.failures+1, 6)
		c.rest = time.Now().Add(d.limits.retry << (c.failures - 1))
	}
}

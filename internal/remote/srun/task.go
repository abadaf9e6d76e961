package srun

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// task is a script on one node.
type task struct {
	step  *step
	node  string
	out   *spool
	words *text.Capture

	up     chan struct{} // closed when the script begins
	magic  chan struct{} // closed when the script has become a probe
	hello  chan int      // takes the number of GPUs from the first Hello of a working driver
	exited chan struct{} // closed when exit is known, and words are complete
	exit   link.Exit

	leaving sync.Once
	ending  sync.Once
	heard   atomic.Int64 // requests that had been sent to the step when the task last printed something

	// step.mu protects the following.
	arrived bool
	left    time.Time // since when nobody has wanted it
	outputs int       // number of outputs that have not ended
	status  link.Exit

	// Only the goroutine that reads srun's output uses these.
	head   []byte // the beginning of a line that may be a Hello
	inside bool   // in the middle of another line
	begun  bool   // the magic line has come
	shown  bool   // a Hello has come
}

func newTask(s *step, node string) *task {
	return &task{
		step: s, node: node, outputs: 2, out: newSpool(), words: link.NewWords(),
		up: make(chan struct{}), magic: make(chan struct{}), hello: make(chan int, 1), exited: make(chan struct{}),
	}
}

func (t *task) gone() bool {
	select {
	case <-t.exited:
		return true
	default:
		return false
	}
}

// handleOutput handles a line of the script's output. The lines of a Hello are held back until it is complete.
func (t *task) handleOutput(piece []byte) {
	t.heard.Store(t.step.sent.Load())
	if status, ok := bytes.CutPrefix(piece, []byte(exitMark)); ok && !t.inside && len(t.head) == 0 {
		code, _ := strconv.Atoi(string(bytes.TrimSpace(status)))
		t.endOutput(&code)
		return
	}
	part := wire.Unfold(piece)
	whole := bytes.HasSuffix(part, []byte("\n"))
	if !t.inside && (len(t.head) > 0 || bytes.HasPrefix(part, []byte(`{"hello":`))) && len(t.head)+
		len(part) <= wire.MaxLine {
		if t.head = append(t.head, part...); whole {
			t.out.addOutput(t.examineHello(t.head))
			t.head = nil
		}
		return
	}
	t.out.addOutput(t.head)
	t.head, t.inside = nil, !whole
	t.out.addOutput(part)
	if !t.begun && bytes.HasSuffix(bytes.TrimRight(part, "\r\n"), []byte(wire.Magic)) {
		t.begun = true
		close(t.magic)
	}
}

// examineHello reads from a Hello how many GPUs the probe sees. If it sees none although the job has some, and no other
// step would see any, the Hello is given the reason.
func (t *task) examineHello(line []byte) []byte {
	var m wire.Message
	if json.Unmarshal(line, &m) != nil || m.Hello == nil {
		return line
	}
	gpus := m.Hello.WholeGPUs()
	if m.Hello.Fault != "" {
		return line // no other step would see more
	}
	if !t.shown {
		t.shown = true
		t.hello <- gpus
	}
	d := t.step.d
	d.mu.Lock()
	fault := t.step.crew.ladderOf(t.node).faultMessage()
	want, _ := t.step.crew.gpuCount(t.node)
	d.mu.Unlock()
	if gpus > 0 || want == 0 {
		return line
	}
	m.Hello.Fault, m.Hello.FaultID = fault, wire.FaultOther
	var changed bytes.Buffer
	if wire.Write(&changed, m) != nil {
		return line
	}
	return changed.Bytes()
}

// handleErrors handles a line of the script's standard error.
func (t *task) handleErrors(line []byte) {
	if bytes.HasPrefix(line, []byte(exitMark)) {
		t.endOutput(nil)
		return
	}
	_, _ = t.words.Write(line)
}

// endOutput ends one of the outputs of a task; after both, its end is known. The status is in the standard output.
func (t *task) endOutput(status *int) {
	t.step.mu.Lock()
	if status != nil {
		t.status = link.Exit{Known: true, Status: *status}
	}
	t.outputs--
	last, exit := t.outputs == 0, t.status
	t.step.mu.Unlock()
	if last {
		t.closeTask(exit, "")
	}
}

// closeTask ends a task from which no more output will come: its script has ended, it was killed, or the step has
// ended. words are srun's.
func (t *task) closeTask(exit link.Exit, words string) {
	t.ending.Do(func() {
		_, _ = t.words.Write([]byte(words))
		t.exit = exit
		t.out.closeOutput(io.EOF)
		close(t.exited)
	})
	t.leaveTask()
}

// leaveTask ends the use of a task: the probe gets a message, and when the last task is left the step ends.
func (t *task) leaveTask() {
	t.leaving.Do(func() {
		if !t.gone() {
			t.step.abandonTask(t)
			go func() {
				defer crash.End()
				_ = t.step.sendLines(wire.Farewell(t.node))
			}() // blocks while srun is stuck
		}
		t.step.noteTaskLeft()
	})
}

func (t *task) asPipe() *link.Pipe {
	return &link.Pipe{
		In: &taskStdin{t}, Out: t.out, Words: t.words,
		Wait: func() link.Exit { <-t.exited; return t.exit },
		Kill: func() { t.leaveTask(); t.out.discardOutput() }, Pulse: t.step.pulse,
	}
}

// taskStdin writes to one task.
type taskStdin struct{ t *task }

func (a *taskStdin) Write(line []byte) (int, error) {
	if err := a.t.step.sendLines(wire.Address(a.t.node, line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

func (a *taskStdin) Close() error {
	a.t.leaveTask()
	return nil
}

package ui

import (
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// terminal writes frames. Bubble Tea has a renderer of its own, but that looks for a new frame on a timer, and parses the whole of it
// back into cells: at the 30 looks a second that an answer to a key within 50 ms needs, it costs more than all the rest of nvnodetop.
// Here a frame is compared with the last one as the cells that it was drawn in, and goes out at once.
//
// A terminal that nobody reads, a frozen one or one behind a dead connection, blocks a write for as long as it likes, and the model
// must go on meanwhile: to hear the key that quits, and to end with its context. So frames are written by a goroutine, the one that
// this package has: start begins it, close ends it. It holds at most one frame that waits: a newer one takes its place. What is
// written is always the difference to what was written last.
type terminal struct {
	out  io.Writer
	ask  bool // for the background's colour
	wake chan struct{}
	quit chan struct{} // nil: not started
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex // guards what follows
	pending picture
	spare   []*draw.Canvas
	ended   bool
	err     error // of a write

	// The writer's own.
	buffer []byte
	shown  *draw.Canvas // nil: what the terminal shows is not known
	opened bool
}

// picture is a frame on its way to the terminal.
type picture struct {
	theme  *draw.Theme
	canvas *draw.Canvas // nil: there is none
	whole  bool         // what the terminal shows is not to be relied on
}

// closing is how long a terminal that is to be given back may block.
const closing = time.Second

func newTerminal(out io.Writer, ask bool) *terminal {
	return &terminal{out: out, ask: ask, wake: make(chan struct{}, 1)}
}

const (
	// A paste must not press keys, so it is bracketed.
	enter = ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste
	leave = ansi.ResetStyle + ansi.ResetModeBracketedPaste + ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor
)

// canvas is an empty one to draw the next frame on.
func (t *terminal) canvas(w, h int) *draw.Canvas {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.spare)
	if n == 0 {
		return draw.New(w, h)
	}
	c := t.spare[n-1]
	t.spare = t.spare[:n-1]
	c.Reset(w, h)
	return c
}

// show has the terminal changed into the canvas, which is the terminal's from now on. It does not wait for that.
func (t *terminal) show(theme *draw.Theme, c *draw.Canvas) {
	t.mu.Lock()
	if t.pending.canvas != nil {
		t.spare = append(t.spare, t.pending.canvas)
	}
	t.pending.theme, t.pending.canvas = theme, c
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default: // the writer has not yet come to the last one
	}
}

// forget makes the next frame a whole one.
func (t *terminal) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending.whole = true
}

// failure is the error of a write. The terminal is gone then.
func (t *terminal) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// start begins to write what is shown.
func (t *terminal) start() {
	t.quit, t.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(t.done)
		for {
			select {
			case <-t.wake:
				t.flush()
			case <-t.quit:
				t.leave()
				return
			}
		}
	}()
}

// close gives the terminal back, unless that blocks for too long. It may be called more than once.
func (t *terminal) close() {
	if t.quit == nil {
		return
	}
	t.mu.Lock()
	if !t.ended {
		t.ended = true
		close(t.quit)
	}
	t.mu.Unlock()
	select {
	case <-t.done:
	case <-time.After(closing):
	}
}

// flush writes the frame that waits, if there is one. It belongs to the writer, as all that follows.
func (t *terminal) flush() {
	t.mu.Lock()
	p := t.pending
	if p.canvas != nil {
		t.pending = picture{}
	}
	t.mu.Unlock()
	if p.canvas == nil {
		return
	}
	old := t.shown
	if p.whole {
		old = nil
	}
	t.write(t.frame(p.theme, old, p.canvas))
	old, t.shown = t.shown, p.canvas
	if old != nil {
		t.mu.Lock()
		t.spare = append(t.spare, old)
		t.mu.Unlock()
	}
}

// frame is what turns a terminal that shows old into one that shows c.
func (t *terminal) frame(theme *draw.Theme, old, c *draw.Canvas) []byte {
	b := t.buffer[:0]
	if !t.opened {
		t.opened = true
		b = append(b, enter...)
		if t.ask {
			b = append(b, ansi.RequestBackgroundColor...)
		}
	}
	start := len(b)
	b = append(b, ansi.SetModeSynchronizedOutput...)
	empty := len(b)
	b = theme.Paint(b, old, c)
	if len(b) == empty {
		b = b[:start]
	} else {
		b = append(b, ansi.ResetModeSynchronizedOutput...)
	}
	t.buffer = b
	return b
}

func (t *terminal) leave() {
	if t.opened {
		t.opened = false
		t.write([]byte(leave))
	}
}

func (t *terminal) write(b []byte) {
	if len(b) == 0 {
		return
	}
	if _, err := t.out.Write(b); err != nil {
		t.mu.Lock()
		t.err = err
		t.mu.Unlock()
	}
}

// mute is a terminal to Bubble Tea that it can ask for its size, but on which nothing that it writes is seen.
type mute struct{ term.File }

func (mute) Write(p []byte) (int, error) { return len(p), nil }

// muted hides the output from Bubble Tea's renderer.
func muted(out io.Writer) io.Writer {
	if f, ok := out.(term.File); ok {
		return mute{f}
	}
	return io.Discard
}

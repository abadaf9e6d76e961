package ui

import (
	"cmp"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// terminal writes everything that goes to the terminal: frames, its modes, the window's title, the clipboard. A frame is compared with
// the last one as the cells that it was drawn in, and goes out at once.
//
// It stands in for Bubble Tea's renderer, which looks for a new frame on a timer: 30 looks a second, for an answer to a key within 50 ms,
// cost an idle screen 0.67 % of a core, this writer 0.12 %. Once Bubble Tea renders on demand (pull requests 1776 and 1796), this file can
// go: View then returns the frame with the modes that it returns already.
//
// A write blocks while the terminal is not read. The model must still hear the key that quits and the end of its context, so a goroutine
// writes, from start to close. At most one frame waits for it, and a newer one takes its place.
type terminal struct {
	out  io.Writer
	ask  bool // for the background's colour
	tmux bool // stands between here and the screen
	wake bell.Bell
	quit chan struct{} // nil: not started
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex // guards what follows
	pending picture
	spare   *draw.Canvas  // shown no more
	clip    string        // clipboard sequences that wait
	away    bool          // suspended
	left    chan struct{} // closed once the terminal is given back
	ended   bool
	err     error // of a write

	// The writer's own.
	buffer []byte
	shown  *draw.Canvas // nil: what the terminal shows is not known
	opened bool
	title  string
	mouse  tea.MouseMode
}

// picture is a frame on its way to the terminal, with the modes that belong to it.
type picture struct {
	theme  *draw.Theme
	canvas *draw.Canvas // nil: there is none
	modes  tea.View     // its title and mouse mode count
	whole  bool         // what the terminal shows is not to be relied on
}

// closing is how long a terminal that is to be given back may block.
const closing = time.Second

func newTerminal(out io.Writer, ask bool) *terminal {
	return &terminal{out: out, ask: ask, wake: bell.New()}
}

// maxClip is the longest text for the clipboard: many terminals drop longer sequences without a word.
const maxClip = 100_000

// blank is an empty canvas for the next picture. A picture is large: two canvases take turns.
func (t *terminal) blank(w, h int) *draw.Canvas {
	t.mu.Lock()
	c := cmp.Or(t.spare, &draw.Canvas{})
	t.spare = nil
	t.mu.Unlock()
	c.Reset(w, h)
	return c
}

// show has the terminal changed into the canvas, which is the terminal's from now on, and its modes into those of the view. It does not
// wait for that.
func (t *terminal) show(theme *draw.Theme, c *draw.Canvas, modes tea.View) {
	t.mu.Lock()
	t.pending.theme, t.pending.canvas, t.pending.modes = theme, c, modes
	t.mu.Unlock()
	t.wake.Ring()
}

// copy puts a text into the clipboard of the terminal, wherever that runs. It returns false for a text that is too long.
// By default tmux does not take the sequence for itself, but can be told to pass on a wrapped one: it gets both.
func (t *terminal) copy(text string) bool {
	if len(text) > maxClip {
		return false
	}
	clip := ansi.SetSystemClipboard(text)
	if t.tmux {
		clip += ansi.TmuxPassthrough(clip)
	}
	t.mu.Lock()
	t.clip = clip
	t.mu.Unlock()
	t.wake.Ring()
	return true
}

// suspend gives the terminal back, unless that blocks for too long, and keeps silent until resume.
func (t *terminal) suspend() {
	left := make(chan struct{})
	t.mu.Lock()
	t.away, t.left = true, left
	t.mu.Unlock()
	t.wake.Ring()
	select {
	case <-left:
	case <-time.After(closing):
	}
}

// resume lets the next frame take the terminal again, whole.
func (t *terminal) resume() {
	t.mu.Lock()
	t.away, t.pending.whole = false, true
	t.mu.Unlock()
	t.wake.Ring()
}

// forget makes the next frame a whole one.
func (t *terminal) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending.whole = true
}

// failure is the error of the writer. The terminal is gone then.
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
				t.flushSafely()
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

// flushSafely makes a panic an error: the model then quits, and the terminal is given back before the error is told.
func (t *terminal) flushSafely() {
	defer func() {
		if r := recover(); r != nil {
			t.fail(fmt.Errorf("writing a frame: panic: %v\n%s", r, debug.Stack()))
		}
	}()
	t.flush()
}

// flush writes what waits, or gives the terminal back. It belongs to the writer, as all that follows.
func (t *terminal) flush() {
	p, clip, left := t.take()
	switch {
	case left != nil:
		t.leave()
		close(left)
	case p.canvas != nil:
		t.paint(p, clip)
	case clip != "":
		t.write([]byte(clip))
	}
}

// take returns what is to be done now: to write a frame or a text for the clipboard, or to give the terminal back.
func (t *terminal) take() (p picture, clip string, left chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away {
		left, t.left = t.left, nil
		return picture{}, "", left
	}
	if p = t.pending; p.canvas != nil {
		t.pending = picture{}
	}
	clip, t.clip = t.clip, ""
	return p, clip, nil
}

func (t *terminal) paint(p picture, clip string) {
	old := t.shown
	if p.whole {
		old = nil
	}
	t.write(append(t.frame(p, old), clip...))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spare, t.shown = t.shown, p.canvas
}

// frame is what turns a terminal that shows old into one that shows p.
func (t *terminal) frame(p picture, old *draw.Canvas) []byte {
	b := t.open(t.buffer[:0])
	b = t.setModes(b, p.modes)
	start := len(b)
	b = append(b, ansi.SetModeSynchronizedOutput...)
	empty := len(b)
	b = p.theme.Paint(b, old, p.canvas)
	if len(b) == empty {
		b = b[:start]
	} else {
		b = append(b, ansi.ResetModeSynchronizedOutput...)
	}
	t.buffer = b
	return b
}

func (t *terminal) write(b []byte) {
	if len(b) == 0 {
		return
	}
	if _, err := t.out.Write(b); err != nil {
		t.fail(err)
	}
}

func (t *terminal) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
}

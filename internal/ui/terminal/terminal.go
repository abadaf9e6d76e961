// Package terminal connects the screen with the user's terminal: it writes frames and modes, distinguishes keys from
// pastes, and handles job control and window sizes.
//
// A Terminal may be used concurrently; a goroutine of its own does the writing, which may block.
//
// # Writing
//
// Collectors never send messages to Bubble Tea. One tick per display interval takes a Snapshot; a key redraws from the
// last one. Bubble Tea reads keys and runs the model. Every byte to the terminal comes from internal/ui/terminal:
// frames, as the difference of two canvases, mouse modes, title and clipboard. It replaces Bubble Tea's renderer, which
// checks for a new frame on a timer. To answer a key within 50 ms, the renderer must check 30 times per second. An idle
// screen then costs 0.67 % of a core, 0.59 points of it for timer wake-ups. Rendering on demand brings this to 0.24 %;
// our writer needs 0.12 %. Bubble Tea has two pull requests that render on demand (1776 and 1796): when either is
// released, one commit can remove our writer. Styles are Lip Gloss styles, turned into escape sequences once per theme:
// calling Lip Gloss for every cell would take 2.9 ms per frame.
//
// After every 4 KiB the terminal is asked for its status (DSR 5), and nothing is written until it answers. So behind a
// slow link, frames are skipped, and do not pile up in the buffers of sshd and TCP. A terminal that never answers is
// asked once; a late first answer still counts. Quitting with a key and Ctrl-Z wait up to 1 s for the last answer,
// which the shell would otherwise read as input.
package terminal

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// Terminal writes everything that goes to the terminal: frames, modes, the window title, the clipboard. It compares
// each frame with the last one cell by cell and writes the difference at once.
//
// It replaces Bubble Tea's renderer, which checks for a new frame on a timer: checking 30 times a second, to answer a
// key within 50 ms, costs an idle screen 0.67 % of a core; this writer costs 0.12 %. Once Bubble Tea renders on demand
// (pull requests 1776 and 1796), this file can be removed: View then returns the frame with the modes.
//
// A write blocks while nobody reads the terminal. The model must still see the quit key and the end of its context, so
// a goroutine does the writing, from start to close. At most one frame waits for it, or for the terminal (see flow); a
// newer frame replaces it.
type Terminal struct {
	out  io.Writer
	tmux bool // nvnodetop runs in tmux
	wake bell.Bell
	quit chan struct{} // nil before start
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex // guards the fields below
	pending frameWrite
	spare   *draw.Canvas  // no longer on the screen
	clip    string        // clipboard sequences to write
	away    bool          // the terminal is suspended
	left    chan struct{} // closed when the terminal has been given back
	ended   bool
	asked   bool // the terminal has been asked for its background
	flow    queryState
	err     error // error of a write

	// Only the writer uses these.
	buffer []byte
	shown  *draw.Canvas // nil: unknown
	opened bool
	title  string
	mouse  tea.MouseMode
}

// frameWrite is a frame to be written, with its modes.
type frameWrite struct {
	theme  *draw.Theme
	canvas *draw.Canvas // nil: there is none
	modes  tea.View     // only its title and mouse mode are used
	whole  bool         // repaint everything
	asks   bool         // ask the terminal for its background
}

// closing limits how long restoring the terminal may block.
const closing = time.Second

func New(out io.Writer) *Terminal {
	return &Terminal{out: out, wake: bell.New()}
}

// MaxClip limits texts for the clipboard: many terminals silently drop longer sequences.
const MaxClip = 100_000

// Blank returns an empty canvas for the next picture. Canvases are large, so two of them take turns.
func (t *Terminal) Blank(w, h int) *draw.Canvas {
	t.mu.Lock()
	c := cmp.Or(t.spare, &draw.Canvas{})
	t.spare = nil
	t.mu.Unlock()
	c.Reset(w, h)
	return c
}

// Show makes the terminal show the canvas, with the modes of the view. It takes over the canvas and does not wait.
func (t *Terminal) Show(theme *draw.Theme, c *draw.Canvas, modes tea.View) {
	t.mu.Lock()
	t.pending.theme, t.pending.canvas, t.pending.modes = theme, c, modes
	t.mu.Unlock()
	t.wake.Ring()
}

// Copy puts a text into the clipboard of the user's terminal. It returns false if the text is too long. By default tmux
// ignores the sequence, but it can be configured to pass on a wrapped one, so it gets both.
func (t *Terminal) Copy(text string) bool {
	if len(text) > MaxClip {
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

// Say writes a text that changes nothing on the screen, such as an alert, after the next frame. A terminal that accepts
// no output does not get it.
func (t *Terminal) Say(text string) {
	t.mu.Lock()
	if len(t.clip)+len(text) <= MaxClip {
		t.clip += text
	}
	t.mu.Unlock()
	t.wake.Ring()
}

// suspendOutput restores the terminal, unless that blocks for too long. After that nothing is written until
// resumeOutput.
func (t *Terminal) suspendOutput() {
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

// resumeOutput makes the next frame take over the terminal again and repaint everything. If a question was open,
// another program got the answer.
func (t *Terminal) resumeOutput() {
	t.mu.Lock()
	t.away, t.pending.whole, t.flow.hushed = false, true, false
	t.flow.endWait()
	t.flow.owed = 0
	t.mu.Unlock()
	t.wake.Ring()
}

// Forget makes the next frame repaint everything.
func (t *Terminal) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending.whole = true
}

// Ask asks the terminal for its background, once, with the next frame. The answer is a message to the model.
func (t *Terminal) Ask() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending.asks = t.pending.asks || !t.asked
	t.asked = true
}

// Behind reports whether a frame is waiting to be written.
func (t *Terminal) Behind() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pending.canvas != nil
}

// Failure returns the error of a write, after which the terminal is gone.
func (t *Terminal) Failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Start starts the writer, and asks the terminal for its status.
func (t *Terminal) Start(tmux bool) {
	t.tmux, t.flow.asks = tmux, true
	t.startWriter()
}

func (t *Terminal) startWriter() {
	t.quit, t.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(t.done)
		defer crash.End()
		for {
			select {
			case <-t.wake:
				t.flushSafely()
			case <-t.quit:
				t.writeBytes([]byte(t.takeClip()))
				t.leaveScreen()
				return
			}
		}
	}()
}

// Close restores the terminal, unless that blocks for too long. It may be called more than once.
func (t *Terminal) Close() {
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

// flushSafely turns a panic into an error: the model then quits, and the terminal is restored before the error is
// printed.
func (t *Terminal) flushSafely() {
	defer func() {
		if r := recover(); r != nil {
			t.setFailure(fmt.Errorf("writing a frame: %w", crash.Caught(r)))
		}
	}()
	t.Flush()
}

// Flush writes the waiting frame, or restores the terminal. Only the writer calls it and the methods below.
func (t *Terminal) Flush() {
	p, clip, left := t.take()
	switch {
	case left != nil:
		t.leaveScreen()
		close(left)
	case p.canvas != nil:
		t.writeFrame(p, clip)
	case clip != "":
		t.writeBytes(t.addQuestion([]byte(clip)))
	}
}

// take returns the next thing to do: write a frame or a text for the clipboard, or restore the terminal.
func (t *Terminal) take() (p frameWrite, clip string, left chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away {
		left, t.left = t.left, nil
		return frameWrite{}, "", left
	}
	if t.flow.isBlocked() {
		return frameWrite{}, "", nil
	}
	if p = t.pending; p.canvas != nil {
		t.pending = frameWrite{}
	}
	clip, t.clip = t.clip, ""
	return p, clip, nil
}

// takeClip returns a text for the clipboard that was still waiting at the end, unless another program has the terminal.
func (t *Terminal) takeClip() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away {
		return ""
	}
	return t.clip
}

func (t *Terminal) writeFrame(p frameWrite, clip string) {
	old := t.shown
	if p.whole {
		old = nil
	}
	t.writeBytes(t.addQuestion(append(t.frameBytes(p, old), clip...)))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spare, t.shown = t.shown, p.canvas
}

// frameBytes returns the bytes that turn a terminal that shows old into one that shows p.
func (t *Terminal) frameBytes(p frameWrite, old *draw.Canvas) []byte {
	b := t.enterScreen(t.buffer[:0])
	if p.asks {
		b = append(b, ansi.RequestBackgroundColor...)
	}
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

func (t *Terminal) writeBytes(b []byte) {
	if len(b) == 0 {
		return
	}
	if _, err := t.out.Write(b); err != nil {
		t.setFailure(err)
	}
}

func (t *Terminal) setFailure(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
}

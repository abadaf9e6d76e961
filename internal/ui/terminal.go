package ui

import (
	"io"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// terminal writes frames. Bubble Tea has a renderer of its own, but that looks for a new frame on a timer, and parses the whole of it
// back into cells: at the 30 looks a second that an answer to a key within 50 ms needs, it costs more than all the rest of nvnodetop.
// Here a frame is compared with the last one as the cells that it was drawn in, and goes out at once.
type terminal struct {
	out    io.Writer
	ask    bool // for the background's colour
	buffer []byte
	shown  *draw.Canvas // nil: what the terminal shows is not known
	spare  *draw.Canvas
	opened bool
	err    error // of the last write
}

const (
	// A paste must not press keys, so it is bracketed.
	enter = ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste
	leave = ansi.ResetStyle + ansi.ResetModeBracketedPaste + ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor
)

// canvas is an empty one to draw the next frame on.
func (t *terminal) canvas(w, h int) *draw.Canvas {
	if t.spare == nil {
		t.spare = draw.New(w, h)
	}
	t.spare.Reset(w, h)
	return t.spare
}

// show changes what the terminal shows into the canvas, which is the terminal's from now on.
func (t *terminal) show(theme *draw.Theme, c *draw.Canvas) {
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
	b = theme.Paint(b, t.shown, c)
	if len(b) == empty {
		b = b[:start]
	} else {
		b = append(b, ansi.ResetModeSynchronizedOutput...)
	}
	t.write(b)
	t.buffer = b
	t.shown, t.spare = c, t.shown
}

// forget makes the next frame a whole one.
func (t *terminal) forget() {
	if t.shown != nil {
		t.shown, t.spare = nil, t.shown
	}
}

// close gives the terminal back. It may be called more than once.
func (t *terminal) close() {
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
		t.err = err
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

package recording

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source/recording/mask"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Writer writes a recording. It must be closed. After an error it writes nothing more; what was already written can be
// read.
type Writer struct {
	header Header
	hide   *mask.Mask // replaces names; nil: names stay

	mu     sync.Mutex // protects the following
	to     *countingWriter
	zip    *zstd.Encoder
	lines  encoder
	kept   lastEvents
	open   bool // a frame is open
	began  time.Time
	first  time.Time // of the first Event
	last   time.Time // the latest time of an Event
	flush  time.Time // of the last flush
	frames []Frame
	events int64
	left   int64 // number of Events left out
	err    error
}

// NewWriter returns a Writer without a file: until Begin it only remembers what is known.
func NewWriter(h Header) *Writer {
	h.Version, h.Columns = Version, ours
	w := &Writer{header: h}
	if h.Anonymous {
		w.hide = mask.New()
		w.header.User, w.header.Host = w.hide.User(h.User), w.hide.Node(h.Host)
	}
	return w
}

// Begin begins a recording in another file, with what is known. The previous recording must be closed.
func (w *Writer) Begin(to io.Writer, at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = &countingWriter{to: to}
	w.header.Began = at
	w.frames, w.events, w.left, w.open, w.err = nil, 0, 0, false, nil
	w.first, w.last = time.Time{}, time.Time{}
	if w.zip == nil {
		w.zip, w.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level),
			zstd.WithWindowSize(window))
	}
	if w.err == nil {
		w.lines.layout = layoutOf(w.header.Columns)
		w.err = writeJSON(w.to, magicHeader, w.header)
	}
	return w.err
}

// level is the best compression that costs little: a second of 64 nodes takes a few ms.
const level = zstd.SpeedBetterCompression

// window is the reach of the compression, which is also the memory needed to read a recording.
const window = 4 << 20

// Write records an Event. An Event that is too large is left out.
func (w *Writer) Write(e cluster.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hide != nil {
		e = w.hide.Event(e)
	}
	if w.to != nil && w.err == nil && (!w.open || e.At.Sub(w.began) >= frameSpan ||
		e.At.Before(w.began.Add(-frameSpan))) {
		w.err = w.beginFrame(e.At)
	}
	w.kept.take(&e)
	if w.to == nil || w.err != nil {
		return w.err
	}
	if w.err = w.writeLine(&e, false); w.err == nil && e.At.Sub(w.flush) >= flushSpan {
		w.flush = e.At
		w.err = w.zip.Flush()
	}
	if w.first.IsZero() {
		w.first = e.At
	}
	if e.At.After(w.last) {
		w.last = e.At
	}
	return w.err
}

// writeLine writes the line of an Event.
func (w *Writer) writeLine(e *cluster.Event, known bool) error {
	line, err := w.lines.encodeEvent(e, known)
	if errors.Is(err, wire.ErrLineTooLong) || len(line) > maxLine {
		w.left++
		return nil
	}
	if err != nil {
		return err
	}
	readable := e.Hello != nil || e.Report != nil || checkContents(line, e.Discovery != nil) == nil
	if !readable { // no reader would continue after it
		w.left++
		return nil
	}
	if !known {
		w.events++
	}
	_, err = w.zip.Write(line)
	return err
}

// beginFrame begins a frame, with what is known.
func (w *Writer) beginFrame(at time.Time) error {
	if err := w.closeFrame(); err != nil {
		return err
	}
	f := Frame{At: at, Offset: w.to.n}
	if err := writeJSON(w.to, magicFrame, f); err != nil {
		return err
	}
	w.frames = append(w.frames, f)
	w.zip.Reset(w.to)
	w.lines.resetState()
	w.open, w.began, w.flush = true, at, at
	if w.kept.discovery != nil {
		if err := w.writeLine(w.kept.discovery, true); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.kept.nodes)) {
		for _, e := range w.kept.nodes[name].keptEvents() {
			if err := w.writeLine(e, true); err != nil {
				return err
			}
		}
	}
	for _, e := range slices.SortedFunc(maps.Values(w.kept.stacks), compareEvents) {
		if err := w.writeLine(e, true); err != nil {
			return err
		}
	}
	for _, job := range slices.Sorted(maps.Keys(w.kept.progress)) {
		if err := w.writeLine(w.kept.progress[job], true); err != nil {
			return err
		}
	}
	return nil
}

// closeFrame completes the open frame.
func (w *Writer) closeFrame() error {
	if !w.open {
		return nil
	}
	w.open = false
	return w.zip.Close()
}

// Close ends the recording with its index, if nothing has failed. It does not close the file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to == nil {
		return w.err
	}
	if w.err == nil {
		w.err = w.closeFrame()
	}
	if w.err == nil {
		w.err = writeIndex(w.to, &index{Frames: w.frames, End: w.last, Events: w.events})
	}
	w.to = nil
	return w.err
}

// Written says what a Writer has written so far: how much, and from what time.
type Written struct {
	Bytes       int64
	Events      int64
	LeftOut     int64     // Events that did not fit
	First, Last time.Time // of the Events
}

// Written says what has been written so far.
func (w *Writer) Written() Written {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := Written{Events: w.events, LeftOut: w.left, First: w.first, Last: w.last}
	if w.to != nil {
		n.Bytes = w.to.n
	}
	return n
}

// countingWriter counts the bytes written.
type countingWriter struct {
	to io.Writer
	n  int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// writeJSON writes v in a skippable frame, which programs that only know zstd ignore.
func writeJSON(to io.Writer, magic uint32, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = to.Write(skippableFrame(magic, body))
	return err
}

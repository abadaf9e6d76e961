package recording

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Reader reads a recording.
type Reader struct {
	Header Header
	Frames []Frame   // at least one
	End    time.Time // of the latest Event
	Cut    bool      // the end of the file is missing

	file   io.ReaderAt
	size   int64
	layout *numberLayout
}

// ErrEmpty is the error for a recording that ends before its first Event.
var ErrEmpty = errors.New("the recording is empty")

// Open opens a recording. The file must stay open as long as the Reader is used. A long recording without an end takes
// a while to open.
func Open(ctx context.Context, file io.ReaderAt, size int64) (*Reader, error) {
	header, next, err := readHeader(file)
	if err != nil {
		return nil, err
	}
	if err := header.Columns.checkColumns(); err != nil {
		return nil, err
	}
	r := &Reader{Header: header, file: file, size: size, layout: layoutOf(header.Columns)}
	if x := readIndex(file, size); x != nil {
		r.Frames, r.End = x.Frames, x.End
	} else {
		r.Cut = true
		r.Frames = scanFrames(ctx, file, next)
		err = r.findEnd(ctx)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil && (len(r.Frames) == 0 || r.End.IsZero()) {
		err = ErrEmpty
	}
	if err == nil && (r.Header.Poll < time.Millisecond || r.Header.Poll > time.Hour) {
		err = fmt.Errorf("its interval is %v: %w", r.Header.Poll, ErrNotRecording)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// findEnd finds the last Event, in the last frame that has one.
func (r *Reader) findEnd(ctx context.Context) error {
	for ; len(r.Frames) > 0 && ctx.Err() == nil; r.Frames = r.Frames[:len(r.Frames)-1] {
		last := len(r.Frames) - 1
		events := r.eventsFrom(ctx, last)
		for {
			e, _, err := events.nextEvent()
			if err != nil {
				break
			}
			if e.At.After(r.End) {
				r.End = e.At
			}
		}
		events.closeStream()
		if !r.End.IsZero() {
			return nil
		}
	}
	return ErrEmpty
}

// Began returns the time of the first Event.
func (r *Reader) Began() time.Time { return r.Frames[0].At }

// Run implements cluster.Source: it emits all Events in order, as fast as they can be read.
func (r *Reader) Run(ctx context.Context, emit func(cluster.Event)) error {
	events := r.eventsFrom(ctx, 0)
	defer events.closeStream()
	for {
		e, _, err := events.nextEvent()
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		emit(e)
	}
}

// events are the Events from the beginning of a frame on.
type events struct {
	ctx     context.Context // the events end when ctx does
	of      *Reader
	kept    budgetLedger
	left    int64 // bytes that may still be read (limit); only if limited
	limited bool
	frame   int // the open frame, or the next one
	first   bool
	open    bool
	began   bool // a frame has begun since the last Event
	zip     *zstd.Decoder
	text    *bufio.Reader
	lines   decoder
	long    []byte
}

// eventsFrom returns the Events from a frame on, beginning with the known state before it.
func (r *Reader) eventsFrom(ctx context.Context, frame int) *events {
	return &events{ctx: ctx, of: r, frame: frame, first: true}
}

// errLater means that a limit was reached: the next Event can be read after the next call of limitBytes.
var errLater = errors.New("enough for now")

// leastLine is the cost of a shorter line, in bytes.
const leastLine = 256

// limitBytes allows this many bytes of lines to be read.
func (s *events) limitBytes(bytes int64) { s.left, s.limited = bytes, true }

// removeLimit ends the limit.
func (s *events) removeLimit() { s.limited = false }

// goOn returns why the next line must not be read now.
func (s *events) goOn() error {
	if s.limited && s.left <= 0 {
		return errLater
	}
	return s.ctx.Err()
}

func (s *events) closeStream() {
	if s.zip != nil {
		s.zip.Close()
	}
}

// nextEvent returns the next Event, and whether a frame began with it. The error is io.EOF at the end of the recording.
func (s *events) nextEvent() (e cluster.Event, began bool, err error) {
	for {
		if err := s.goOn(); err != nil {
			return e, false, err
		}
		if !s.open {
			if err := s.begin(); err != nil {
				return e, false, err
			}
			s.began = true
		}
		line, err := s.nextLine()
		s.left -= max(int64(len(line)), leastLine)
		if errors.Is(err, io.EOF) {
			s.open, s.first = false, false
			s.frame++
			continue
		}
		var known bool
		if err == nil {
			e, known, err = s.lines.decodeLine(line)
		}
		if err == nil && (!known || s.first) {
			err = s.kept.Take(&e, weighLine(line))
		}
		if err != nil {
			return e, false, s.explainError(err)
		}
		if !known || s.first {
			began, s.began = s.began, false
			return e, began, nil
		}
	}
}

// explainError returns what an error means: a truncated recording has come to its end, any other recording is damaged.
func (s *events) explainError(err error) error {
	if errors.Is(err, errTooMuch) {
		return err
	}
	if s.of.Cut && s.frame == len(s.of.Frames)-1 {
		return io.EOF
	}
	return fmt.Errorf("the recording is damaged at %s: %w", s.of.Frames[s.frame].At.Format(time.DateTime), err)
}

// begin opens a frame.
func (s *events) begin() error {
	if s.frame == len(s.of.Frames) {
		return io.EOF
	}
	_, start, err := readSkippable(s.of.file, s.of.Frames[s.frame].Offset, magicFrame, maxJSON)
	if err != nil {
		return s.explainError(err)
	}
	end := s.of.size
	if s.frame+1 < len(s.of.Frames) {
		end = s.of.Frames[s.frame+1].Offset
	}
	in := bufio.NewReaderSize(io.NewSectionReader(s.of.file, start, end-start), 64<<10)
	if s.zip == nil {
		s.zip, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(4*window))
	} else {
		err = s.zip.Reset(in)
	}
	if err != nil {
		return s.explainError(err)
	}
	if s.text == nil {
		s.text = bufio.NewReaderSize(s.zip, 64<<10)
	}
	s.text.Reset(s.zip)
	s.lines.resetState(s.of.layout)
	s.open = true
	return nil
}

var errTooLong = fmt.Errorf("a line is longer than %d bytes", maxLine)

// nextLine returns the next line, valid until the next call. io.EOF: the frame is over.
func (s *events) nextLine() ([]byte, error) {
	part, err := s.text.ReadSlice('\n')
	if err == nil {
		return part, nil
	}
	s.long = append(s.long[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if part, err = s.text.ReadSlice('\n'); len(s.long)+len(part) > maxLine {
			return nil, errTooLong
		}
		s.long = append(s.long, part...)
	}
	if errors.Is(err, io.EOF) && len(s.long) > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return s.long, err
}

var _ cluster.Source = (*Reader)(nil)

package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// ErrLineTooLong is returned by a Reader for a line over MaxLine bytes.
var ErrLineTooLong = fmt.Errorf("line longer than %d bytes", MaxLine)

// NoiseError is returned by a Reader that found no Magic line within MagicBudget or before the end of the stream.
type NoiseError struct {
	Noise string // the data in its place, at most noiseKept bytes; raw, not safe to display
	Cause error  // io.EOF, a transport's error, or nil when the budget ran out
}

func (e *NoiseError) Error() string { return "no probe answered on this stream" }

// Unwrap returns the cause.
func (e *NoiseError) Unwrap() error { return e.Cause }

// Causes of a MalformedError.
var (
	ErrListTooLong = errors.New("a list is too long") // more than any probe would list
	ErrNoBase      = errors.New("a report refers to one that does not exist")
)

// MalformedError is returned for a line that is not a message. It unwraps to the cause.
type MalformedError struct {
	Line  string // its beginning, up to the first brace, raw: not yet fit for a screen
	Cause error
}

func (e *MalformedError) Error() string {
	return fmt.Sprintf("not a message: %.80q: %v", e.Line, e.Cause)
}

// Unwrap returns the cause.
func (e *MalformedError) Unwrap() error { return e.Cause }

// ReadSize is the length of most reports, which are decoded in place.
const ReadSize = 4 << 10

// lineKept is how much of a malformed line an error quotes.
const lineKept = 256

// noiseKept is how much of the noise an error quotes.
const noiseKept = 4 << 10

// Reader decodes lines of JSON and limits their length: it never holds more than MaxLine bytes of text. It remembers
// one report, which takes a few MiB at most, and fills in the values that the next report omits. It is for one
// goroutine.
type Reader struct {
	readSlice func(delim byte) ([]byte, error)
	parse     Parser
	buf       []byte // the last line, in the buffer behind readSlice or in long
	long      []byte // of roomForLines, for lines that do not fit into that buffer; nil: none
	last      reportMemory
	noise     string
}

// roomForChanges has room for the changes of a report while a Reader decodes it. A thousand Readers share it, since
// hardly two of them decode at the same time.
var roomForChanges = sync.Pool{New: func() any { return new(metric.Columns) }}

// roomForLines has room for lines that do not fit into a Reader's buffer. The first reports of a thousand nodes are
// such lines, and come at the same time.
var roomForLines = sync.Pool{New: func() any { return new([]byte) }}

// Parser puts a JSON value into *v, as json.Unmarshal does.
type Parser func(text []byte, v any) error

// NewReader reads from r with encoding/json.
func NewReader(r io.Reader) *Reader {
	return NewReaderWith(bufio.NewReaderSize(r, ReadSize).ReadSlice, json.Unmarshal)
}

// NewReaderWith reads with the ReadSlice of a bufio.Reader of ReadSize, or one that does the same, and parses with
// parse: a faster parser than that of NewReader may be too large for a probe.
func NewReaderWith(readSlice func(delim byte) ([]byte, error), parse Parser) *Reader {
	return &Reader{readSlice: readSlice, parse: parse}
}

// SkipToMagic skips login noise up to and including the Magic line. Noise may precede the magic on its line, if a login
// script printed no newline.
func (r *Reader) SkipToMagic() error {
	var noise strings.Builder
	var tail []byte // the end of the data so far, long enough to find a magic that two reads split
	for seen := 0; seen < MagicBudget; {
		part, err := r.readSlice('\n')
		seen += len(part)
		tail = append(tail[max(0, len(tail)-len(Magic)-1):], part...) // one more for a \r
		line, ended := bytes.CutSuffix(tail, []byte("\n"))
		found := ended && bytes.HasSuffix(bytes.TrimSuffix(line, []byte("\r")), []byte(Magic))
		if found {
			part, _, _ = bytes.Cut(part, []byte(Magic))
		}
		noise.Write(part[:min(len(part), noiseKept-noise.Len())])
		if found {
			r.noise = noise.String()
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return &NoiseError{Noise: noise.String(), Cause: err}
		}
	}
	return &NoiseError{Noise: noise.String()}
}

// Noise returns the text that SkipToMagic has skipped, at most noiseKept bytes: raw, not safe to display.
func (r *Reader) Noise() string { return r.noise }

// Next reads one line and decodes it into v, as ReadLine and Decode do.
func (r *Reader) Next(v any) error {
	if err := r.ReadLine(); err != nil {
		return err
	}
	return r.Decode(v)
}

// Decode decodes the line that was read last into v. A *Message gets the message given to the Writer: its report is
// whole, and shares memory with the Reader, so it must not be changed. Decode returns a MalformedError for a line that
// is not a message.
func (r *Reader) Decode(v any) error {
	defer r.dropLine()
	m, ok := v.(*Message)
	if !ok {
		return r.decodeLine(r.buf, v)
	}
	var l messageLine
	room := roomForChanges.Get().(*metric.Columns)
	defer roomForChanges.Put(room)
	if bytes.HasPrefix(r.buf, []byte(reportBegins)) {
		l.Report = &reportLine{Changes: *room}
	}
	if err := r.decodeLine(r.buf, &l); err != nil {
		return err
	}
	report, err := r.last.restoreReport(&l)
	if l.Report != nil {
		*room, l.Report.Changes = l.Report.Changes[:0], nil
	}
	if err != nil {
		return &MalformedError{Line: quotablePart(r.buf), Cause: err}
	}
	*m = Message{Hello: l.Hello, Report: report, Reply: l.Reply}
	return nil
}

// NextFor is like Next, but skips lines that are addressed to names other than name. It returns io.EOF for a Farewell
// to name.
func (r *Reader) NextFor(name string, v any) error {
	for {
		if err := r.ReadLine(); err != nil {
			return err
		}
		rest, addressed := bytes.CutPrefix(r.buf, []byte{addressMark})
		if !addressed {
			return r.decodeLine(r.buf, v)
		}
		if to, line, ok := bytes.Cut(rest, []byte(" ")); ok && string(to) == name {
			if string(line) == "\n" {
				return io.EOF
			}
			return r.decodeLine(line, v)
		}
	}
}

// addressMark starts a line with an address. JSON never starts with it.
const addressMark = '@'

// NameVariable is the environment variable that holds the name of a probe, set when it starts. If one command starts
// probes on many nodes, the command may choose the names itself: "0", "1", …
const NameVariable = "NVNODETOP_NAME"

// Address addresses line to the probe that was started under name, which must not contain spaces.
func Address(name string, line []byte) []byte {
	return slices.Concat([]byte{addressMark}, []byte(name), []byte(" "), line)
}

// Farewell ends the input of the probe that was started under name, while other probes go on reading it.
func Farewell(name string) []byte { return Address(name, []byte("\n")) }

func (r *Reader) decodeLine(line []byte, v any) error {
	err := Bounded(line, &ofMessages)
	if err == nil {
		err = r.parse(line, v)
	}
	if err != nil {
		return &MalformedError{Line: quotablePart(line), Cause: err}
	}
	return nil
}

// quotablePart returns the beginning of a line that may be shown. It ends at the first brace: the text after it may be
// the body of a message, and the body of a Reply holds secrets.
func quotablePart(line []byte) string {
	if i := bytes.IndexByte(line, '{'); i >= 0 {
		line = line[:i+1]
	}
	return string(line[:min(len(line), lineKept)])
}

// ReadLine reads one line, for Decode. It returns io.EOF at a clean end, and ErrLineTooLong for a line over MaxLine,
// after which the stream is unusable.
func (r *Reader) ReadLine() error {
	r.dropLine()
	part, err := r.readSlice('\n')
	if err == nil {
		r.buf = part
		return nil
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = *roomForLines.Get().(*[]byte)
	}
	for r.long = append(r.long[:0], part...); errors.Is(err, bufio.ErrBufferFull); r.long = append(r.long, part...) {
		if part, err = r.readSlice('\n'); len(r.long)+len(part) > MaxLine {
			return ErrLineTooLong
		}
	}
	r.buf = r.long
	if errors.Is(err, io.EOF) && len(r.buf) > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// mostKept is the length of the longest line whose room others get.
const mostKept = 64 << 10

// dropLine forgets the last line.
func (r *Reader) dropLine() {
	if r.long != nil && cap(r.long) <= mostKept {
		roomForLines.Put(new(r.long))
	}
	r.buf, r.long = nil, nil
}

// Write encodes v as one line with a single call of w.Write. A report is whole: Writer writes less.
func Write(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeLine(w, line)
}

func writeLine(w io.Writer, line []byte) error {
	if len(line)+1 > MaxLine {
		return ErrLineTooLong
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

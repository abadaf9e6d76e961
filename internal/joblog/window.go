package joblog

import (
	"bytes"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/joblog/cause"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// maxWindow is the maximum memory for the lines of a Window, in bytes.
	maxWindow = 4 << 20
	// lineCost is the memory of a line besides its text, which may be empty.
	lineCost = 64
	// overlap is how many bytes are read again, to notice that the file is another one.
	overlap = 64
)

// Window is a part of a log: its lines from one offset of the file to another, where it grows.
type Window struct {
	lines    []Line      // whole lines
	last     partialLine // after them
	up       int         // how many rows the cursor is above last
	above    partialLine // the row of the cursor there
	cut      []byte      // an incomplete escape sequence or character, before to
	marker   cause.Marker
	from, to int64  // offsets of the first byte, and after the last byte
	began    bool   // the first piece has arrived
	seen     []byte // the last bytes before to; none: not known
	cost     int    // memory of lines
	start    int64  // where the first piece begins; negative: relative to the end

	size    int64 // of the file, as of the last piece
	missing bool  // the file does not exist, or no longer exists
}

// NewWindow returns a Window that begins with the first line after an offset of the file. A negative offset counts
// bytes before the end.
func NewWindow(start int64) *Window { return &Window{start: start} }

// Lines returns the lines; the last one as far as it is known. They are valid until the next change.
func (w *Window) Lines() []Line {
	if w.last.at == w.to { // nothing of it is known
		return w.lines
	}
	return append(slices.Clip(w.lines), w.last.currentLine(w.marker.Peek))
}

// Open reports whether a line of Lines has no end yet.
func (w *Window) Open(l Line) bool { return l.At == w.last.at && w.last.at != w.to }

// Size is the size of the file, as of the last piece.
func (w *Window) Size() int64 { return w.size }

// From is the offset of the first byte of the lines; 0: there are no earlier ones.
func (w *Window) From() int64 { return w.from }

// To is the offset after the last byte of the lines.
func (w *Window) To() int64 { return w.to }

// Missing reports whether the file does not exist, or no longer exists.
func (w *Window) Missing() bool { return w.missing }

// Known reports whether the Window has been given a piece.
func (w *Window) Known() bool { return w.began }

// AtEnd reports whether the Window has the last line of the file, as of the last piece.
func (w *Window) AtEnd() bool { return w.began && w.to >= w.size }

// Next asks for the piece after the lines. With latest, it skips bytes if the file has grown by more than a piece.
func (w *Window) Next(latest bool) wire.ReadLog {
	if !w.began {
		return wire.ReadLog{From: w.start, Max: wire.MaxLog}
	}
	return wire.ReadLog{From: w.to - int64(len(w.seen)), Max: wire.MaxLog, Latest: latest}
}

// Before asks for the piece before the lines.
func (w *Window) Before() wire.ReadLog {
	n := min(w.from, wire.MaxLog)
	return wire.ReadLog{From: w.from - n, Max: int(max(n, 1))}
}

// Take applies the answer to Next.
func (w *Window) Take(p *Piece) {
	if w.missing = p.Missing; w.missing {
		return
	}
	data, from := p.Data, p.From
	w.size = p.Size
	switch {
	case !w.began:
		w.begin(&data, &from)
	case p.Size < w.to:
		w.forgetFile(p.At, "was emptied or replaced")
		return
	case from < w.to-int64(len(w.seen)): // answers another question
		return
	}
	if known := int(w.to - from); known > 0 {
		if len(data) < known { // it is becoming shorter right now
			return
		}
		if !bytes.Equal(data[:known], w.seen[len(w.seen)-known:]) {
			w.forgetFile(p.At, "was replaced")
			return
		}
		data, from = data[known:], w.to
	}
	if from > w.to {
		w.skipTo(&data, &from)
	}
	w.appendBytes(data)
	w.seen = lastOf(append(w.seen, data...))
	w.dropOldLines()
}

// lastOf returns a copy of the bytes that are read again.
func lastOf(data []byte) []byte { return slices.Clone(data[max(len(data)-overlap, 0):]) }

// begin applies the first piece. The first line may be incomplete, and is left out.
func (w *Window) begin(data *[]byte, from *int64) {
	w.began = true
	if *from > 0 {
		if end := bytes.IndexByte(*data, '\n') + 1; end < len(*data) { // otherwise it is one line, or part of one
			*data, *from = (*data)[end:], *from+int64(end)
		}
	}
	w.from, w.to, w.last.at = *from, *from, *from
}

// forgetFile forgets everything, because the file is another one now.
func (w *Window) forgetFile(at time.Time, why string) {
	*w = Window{start: -wire.MaxLog, size: w.size}
	w.appendLine(Line{At: -1, Gap: true, Text: "the log " + why + " at " + at.Format(time.TimeOnly)})
}

// skipTo continues at a later place in the file. A gap stands for the bytes in between.
func (w *Window) skipTo(data *[]byte, from *int64) {
	if w.last.at != w.to {
		w.appendLine(w.last.currentLine(w.marker.Next))
	}
	gap := Line{At: w.to, Gap: true}
	if end := bytes.IndexByte(*data, '\n'); end >= 0 {
		*data, *from = (*data)[end+1:], *from+int64(end)+1
	}
	gap.Text = Bytes(*from-w.to) + " not read: the log grows faster than it is followed"
	w.appendLine(gap)
	w.to, w.last, w.seen, w.up, w.cut = *from, partialLine{at: *from}, nil, 0, nil
}

// appendBytes appends bytes after the last one.
func (w *Window) appendBytes(data []byte) {
	w.to += int64(len(data))
	at := w.to - int64(len(data)+len(w.cut))
	data = append(w.cut, data...)
	whole := wholeOf(data)
	data, w.cut = data[:whole], slices.Clone(data[whole:])
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			w.writeWithMoves(data)
			return
		}
		w.writeWithMoves(data[:end])
		at += int64(end) + 1
		w.endRow(at)
		data = data[end+1:]
	}
}

func (w *Window) appendLine(l Line) {
	w.lines = append(w.lines, l)
	w.cost += len(l.Text) + lineCost
}

// dropOldLines forgets the first lines that exceed the memory limit.
func (w *Window) dropOldLines() {
	n := 0
	for ; w.cost > maxWindow && n < len(w.lines)-1; n++ {
		w.cost -= len(w.lines[n].Text) + lineCost
	}
	if n == 0 {
		return
	}
	w.from = w.lines[n].At
	w.lines = slices.Clone(w.lines[n:])
	w.up = min(w.up, len(w.lines))
}

// TakeBefore applies the answer to Before, and returns the number of lines that it added in front. It forgets the last
// lines if they exceed the memory limit; then the Window no longer has the end.
func (w *Window) TakeBefore(p *Piece) int {
	if w.missing = p.Missing; w.missing || !w.began || p.From >= w.from || p.From+int64(len(p.Data)) < w.from {
		return 0
	}
	w.size = p.Size
	data, from := p.Data[:w.from-p.From], p.From
	before := Window{}
	before.begin(&data, &from)
	before.appendBytes(data)
	if before.last.at != before.to { // a line longer than the piece
		before.appendLine(before.last.currentLine(before.marker.Next))
	}
	w.lines = append(before.lines, w.lines...)
	w.from, w.cost = before.from, w.cost+before.cost
	for n := len(w.lines); w.cost > maxWindow && n > 1; n-- {
		l := w.lines[n-1]
		w.cost -= len(l.Text) + lineCost
		w.lines, w.to, w.last, w.seen = w.lines[:n-1], l.At, partialLine{at: l.At}, nil
		w.up, w.cut = 0, nil
	}
	return len(before.lines)
}

package joblog

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/joblog/cause"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// maxLine is the maximum length of a displayed line, in bytes.
const maxLine = 4 << 10

// Line is a line of a log.
type Line struct {
	At   int64  // offset of its first byte in the file
	Text string // safe to display
	Mark cause.Mark
	Gap  bool // no line of the log: Text says what is missing here
}

// partialLine is a line whose end is not known yet.
type partialLine struct {
	at   int64  // offset of its first byte
	head []byte // its beginning, or the last state of a progress bar; at most maxLine
	more int64  // number of bytes omitted after head
}

// addBytes appends bytes without a newline. If text follows a carriage return, the line starts over. Zero bytes are
// left out: if a file is emptied while its writer continues behind the old end, the file begins with any number of
// them.
func (u *partialLine) addBytes(raw []byte) {
	if bytes.IndexByte(raw, 0) >= 0 {
		raw = bytes.ReplaceAll(raw, []byte{0}, nil)
	}
	if at := lastReturn(raw); at >= 0 {
		u.head, u.more, raw = u.head[:0], 0, raw[at+1:]
	} else if u.more == 0 && bytes.HasSuffix(u.head, []byte{'\r'}) && len(bytes.Trim(raw, moves)) > 0 {
		u.head = u.head[:0]
	}
	if u.more == 0 && (bytes.IndexByte(raw, '\b') >= 0 || bytes.HasSuffix(u.head, []byte{'\b'})) {
		u.head, raw = nil, applyBackspaces(append(u.head, raw...))
	}
	n := min(maxLine-len(u.head), len(raw))
	u.head = append(u.head, raw[:n]...)
	u.more += int64(len(raw) - n)
}

// moves are the characters that move the cursor within its line.
const moves = "\r\b"

// lastReturn returns the position of the last carriage return that has text after it, or -1.
func lastReturn(raw []byte) int { return bytes.LastIndexByte(bytes.TrimRight(raw, moves), '\r') }

// currentLine returns the line so far, with the mark that the function mark finds.
func (u *partialLine) currentLine(mark func(string) cause.Mark) Line {
	shown := strings.ReplaceAll(string(bytes.TrimRight(u.head, moves)), "\t", "    ")
	shown = strings.TrimRight(safe.Line(shown, maxLine), " ")
	l := Line{At: u.at, Text: shown, Mark: mark(shown)}
	if u.more > 0 {
		l.Text += " … " + Bytes(u.more) + " more"
	}
	return l
}

// Bytes is a number of bytes for a person.
func Bytes(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	value, unit := float64(n)/(1<<10), 0
	for value >= 1<<10 {
		value, unit = value/(1<<10), unit+1
	}
	return fmt.Sprintf("%.1f %ciB", value, units[unit])
}

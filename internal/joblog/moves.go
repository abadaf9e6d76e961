package joblog

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Progress bars above each other move the cursor up to redraw a bar: tqdm with "\x1b[A", rich with "\x1b[1A\x1b[2K".
// Other cursor moves are left out when a line is shown.

// vertical matches a move of the cursor up or down.
var vertical = regexp.MustCompile("\x1b\\[([0-9]{0,4})([ABEF])")

// maxEscape is the length of an escape sequence that the end of a piece may cut off.
const maxEscape = 8

// wholeOf returns how much of data does not depend on what follows: the end may cut an escape sequence or a character.
func wholeOf(data []byte) int {
	if at := bytes.LastIndexByte(data, '\x1b'); at >= 0 && len(data)-at <= maxEscape && startsMove(data[at+1:]) {
		return at
	}
	for n := 1; n < min(utf8.UTFMax, len(data)+1); n++ {
		if end := data[len(data)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return len(data)
			}
			return len(data) - n
		}
	}
	return len(data)
}

// startsMove reports whether an escape sequence may still become a move.
func startsMove(rest []byte) bool {
	return len(rest) == 0 || rest[0] == '[' && len(bytes.Trim(rest[1:], "0123456789")) == 0
}

// writeWithMoves writes bytes without a newline, at the cursor's row and at the rows that the bytes move it to.
func (w *Window) writeWithMoves(data []byte) {
	for len(data) > 0 {
		m := vertical.FindSubmatchIndex(data)
		if m == nil {
			w.writeWithoutMoves(data)
			return
		}
		w.writeWithoutMoves(data[:m[0]])
		rows, err := strconv.Atoi(string(data[m[2]:m[3]]))
		if err != nil || rows == 0 {
			rows = 1
		}
		if what := data[m[4]]; what == 'A' || what == 'F' {
			w.goUp(min(w.up+rows, len(w.lines)))
		} else {
			w.goUp(max(w.up-rows, 0))
		}
		data = data[m[1]:]
	}
}

// goUp moves the cursor to the beginning of the row that is this many rows above the last.
func (w *Window) goUp(rows int) {
	if w.up == rows {
		return
	}
	if w.up = rows; rows == 0 {
		w.last.addBytes([]byte{'\r'})
		return
	}
	row := &w.lines[len(w.lines)-rows]
	w.above = partialLine{at: row.At, head: []byte(row.Text + "\r")}
}

// writeWithoutMoves writes bytes without moves at the row of the cursor.
func (w *Window) writeWithoutMoves(data []byte) {
	if w.up == 0 {
		w.last.addBytes(data)
		return
	}
	row := &w.lines[len(w.lines)-w.up]
	if len(data) == 0 || row.Gap {
		return
	}
	w.cost -= len(row.Text)
	w.above.addBytes(data)
	*row = w.above.currentLine(w.marker.Peek)
	w.cost += len(row.Text)
}

// endRow ends the line at the cursor's row. What follows, from an offset of the file on, is written to the row below.
func (w *Window) endRow(at int64) {
	if w.up > 0 {
		w.goUp(w.up - 1)
		return
	}
	w.appendLine(w.last.currentLine(w.marker.Next))
	w.last = partialLine{at: at}
}

// applyBackspaces writes text over the characters before it: a backspace moves the cursor to the left. If the text ends
// with the cursor there, the result ends with the backspaces, or with a carriage return.
func applyBackspaces(text []byte) []byte {
	end := len(bytes.TrimRight(text, moves))
	isReturned := bytes.IndexByte(text[end:], '\r') >= 0
	if isReturned {
		text = text[:end]
	}
	var cells [][]byte // one character each, or one byte of an incomplete character
	at := 0
	for len(text) > 0 {
		_, size := utf8.DecodeRune(text)
		cell := text[:size]
		text = text[size:]
		switch {
		case cell[0] == '\b':
			at = max(at-1, 0)
			continue
		case at < len(cells):
			cells[at] = cell
		default:
			cells = append(cells, cell)
		}
		at++
	}
	if isReturned {
		return append(bytes.Join(cells, nil), '\r')
	}
	return append(bytes.Join(cells, nil), strings.Repeat("\b", len(cells)-at)...)
}

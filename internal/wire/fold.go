package wire

import (
	"bytes"
	"io"
)

// FoldVariable is the environment variable with the length, in bytes, to which a probe folds its lines. It is set if
// the connection to the reader passes on only short lines whole.
const FoldVariable = "NVNODETOP_FOLD"

// foldMark ends a piece of a line that another piece follows. No message contains it: JSON escapes it.
const foldMark = '\x1f'

// folder is the writer that Fold returns.
type folder struct {
	w    io.Writer
	most int
	buf  []byte
}

// Fold returns a writer that passes on lines in pieces of at most most bytes, at least 3. Each piece is a line; Unfold
// puts them together. It is for one goroutine, and for writes of whole lines.
func Fold(w io.Writer, most int) io.Writer { return &folder{w: w, most: max(most, 3)} }

func (f *folder) Write(lines []byte) (int, error) {
	f.buf = f.buf[:0]
	for line := range bytes.Lines(lines) {
		for len(line) > f.most {
			f.buf = append(append(f.buf, line[:f.most-2]...), foldMark, '\n')
			line = line[f.most-2:]
		}
		f.buf = append(f.buf, line...)
	}
	if _, err := f.w.Write(f.buf); err != nil {
		return 0, err
	}
	return len(lines), nil
}

// Unfold returns the part of a longer line that is in piece, a line from a folding writer.
func Unfold(piece []byte) []byte {
	if part, more := bytes.CutSuffix(piece, []byte{foldMark, '\n'}); more {
		return part
	}
	return piece
}

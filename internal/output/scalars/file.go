package scalars

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// appendWhole appends text to a file completely or not at all: if a full disk cuts the text off, the rest is removed.
func appendWhole(f *os.File, text []byte) error {
	n, err := f.Write(text)
	if err == nil || n == 0 {
		return err
	}
	if end, no := f.Seek(0, io.SeekEnd); no == nil { // otherwise it is a pipe
		_ = f.Truncate(end - int64(n))
	}
	return err
}

// openLines opens a file of lines for appending. An existing file must begin with one of our lines. If its last line
// was cut off because its writer was killed, that line is removed: half a number is worse than none. Nobody else may
// write to the file meanwhile.
func openLines(path string, ours func(first string) bool) (f *os.File, empty bool, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, false, err
	}
	if empty, err = prepareFile(f, ours); err != nil {
		_ = f.Close()
		return nil, false, err
	}
	return f, empty, nil
}

func prepareFile(f *os.File, ours func(first string) bool) (empty bool, err error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%q is not a regular file (- is the standard output)", f.Name())
	// not every file system has locks
	case errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK):
		return false, fmt.Errorf("%q is being written by another program", f.Name())
	}
	if info, err = f.Stat(); err != nil || info.Size() == 0 { // now nobody else writes
		return true, err
	}
	first := make([]byte, min(info.Size(), longestLine))
	if _, err := f.ReadAt(first, 0); err != nil {
		return false, err
	}
	end := slices.Index(first, '\n')
	if end < 0 || !ours(string(first[:end])) {
		return false, fmt.Errorf("%q is not empty and has other columns: name another file", f.Name())
	}
	return false, cutTail(f, info.Size())
}

// longestLine is the largest length of our lines: the Store limits names.
const longestLine = 1 << 16

// cutTail removes everything after the last newline.
func cutTail(f *os.File, size int64) error {
	from := max(size-longestLine, 0)
	tail := make([]byte, size-from)
	if _, err := f.ReadAt(tail, from); err != nil {
		return err
	}
	for i := len(tail) - 1; i >= 0; i-- {
		if tail[i] == '\n' {
			if end := from + int64(i) + 1; end < size {
				return f.Truncate(end)
			}
			return nil
		}
	}
	return fmt.Errorf("%q ends with a line that is too long: name another file", f.Name())
}

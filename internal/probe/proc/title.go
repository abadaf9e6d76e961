package proc

import (
	"bytes"
	"io"
	"os"
)

// IsOverwritten reports whether a program has written its title over its environment, as setproctitle does: zeros fill
// the memory behind the title, or the title ends where the first variable was. What is left may begin in the middle of
// a variable. It does not detect a title that ends like a variable and is not followed by zeros: TitleSpills does.
func IsOverwritten(environ []byte) bool {
	first, _, _ := bytes.Cut(environ, []byte{0})
	return len(environ) > 0 && (bytes.IndexByte(first, '=') < 0 || bytes.Contains(environ, []byte{0, 0, 0}))
}

// TitleSpills reports whether the title of a process is longer than the memory of its arguments: the environment
// follows that memory, and has then lost its beginning. The kernel shows the title in place of the arguments, with
// another length. A title is written from its beginning on, so call this after the environment was read.
func (p Process) TitleSpills() bool {
	stat, err := p.Stat()
	if err != nil || stat.ArgumentsTo <= stat.ArgumentsFrom || stat.ArgumentsTo != stat.EnvironFrom {
		return false // not known, or the program has told the kernel where both are
	}
	f, err := os.Open(p.filePath("cmdline"))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	size := int64(stat.ArgumentsTo - stat.ArgumentsFrom)
	shown, err := io.Copy(io.Discard, io.LimitReader(f, size+1))
	return err == nil && shown != size
}

// OpenEnviron opens the file environ.
func (p Process) OpenEnviron() (*os.File, error) { return os.Open(p.filePath("environ")) }

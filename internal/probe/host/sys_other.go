//go:build !linux

package host

import (
	"errors"
	"io"
	"os"
)

func readHead(f *os.File, to []byte) (int, error) {
	n, err := f.ReadAt(to, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func spaceOf(string) space { return space{err: errors.ErrUnsupported} }

func kernelRelease() string { return "" }

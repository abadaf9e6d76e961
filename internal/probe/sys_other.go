//go:build !linux

package probe

import (
	"errors"
	"io"
	"time"
)

var started = time.Now()

func now() Moment { return Moment{Mono: time.Since(started), Wall: time.Now()} }

func kernel() string { return "" }

func (f *procFile) read(buf []byte) (int, error) {
	n, err := f.file.ReadAt(buf, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

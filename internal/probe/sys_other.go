//go:build !linux

package probe

import (
	"errors"
	"io"
	"os"
	"time"
)

var started = time.Now()

func now() Moment { return Moment{Mono: time.Since(started), Wall: time.Now()} }

func kernel() string { return "" }

func readHead(f *os.File, to []byte) (int, error) {
	n, err := f.ReadAt(to, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func kernelBeat() Beat { return tickerBeat() }

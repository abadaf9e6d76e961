// Package private checks that a file belongs to the user and nobody else has access: its kind, its owner and its mode.
// Every file that keeps a secret, or is trusted because it is the user's own, is checked here.
//
// Other files have their own rules: keys of ssh and TLS may belong to root, and the log of a job may be open to all.
package private

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// The reasons why a file is not private.
var (
	ErrKind  = errors.New("it is not a regular file")
	ErrOwner = errors.New("it belongs to another user")
	ErrMode  = errors.New("others can read it or write to it (chmod 600 prevents that)")
)

// Check returns the reason why a file is not of a kind, such as fs.ModeSocket, or not the user's alone. The kind 0 is a
// regular file.
func Check(info fs.FileInfo, kind fs.FileMode) error {
	owner, known := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode().Type() != kind:
		return ErrKind
	case !known || int(owner.Uid) != os.Geteuid():
		return ErrOwner
	case info.Mode().Perm()&0o077 != 0:
		return ErrMode
	}
	return nil
}

// Open opens a regular file that is the user's alone. With os.O_CREATE it makes the file if there is none. It refuses a
// FIFO instead of waiting for it.
func Open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = Check(info, 0)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return f, nil
}

// Read returns the contents of a regular file that is the user's alone and has at most most bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read", path)
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("%q is longer than %d bytes", path, most)
	}
	return text, nil
}

// Package tail reads a piece of a file that others may have prepared: a path from SLURM may name a FIFO, a device, or a
// symbolic link to something private.
//
// Only regular files of the user who runs the program are read. A path may contain symbolic links, as those to home
// directories do. The last part of the path may be a link only if the user or root created it: otherwise everyone who
// may write to the directory, such as /tmp, could choose which of the user's files is shown. Anything but a regular
// file is never opened, so a FIFO does not block and a device notices nothing.
//
// Read may hang, like every access to a file system that does not respond. Its caller needs a goroutine that it can
// leave behind.
package tail

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"path/filepath"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Read reads a piece of a file. For a missing file it returns a piece that says so.
func Read(q wire.ReadLog) (*wire.LogPiece, error) {
	switch {
	case !filepath.IsAbs(q.Path), strings.ContainsRune(q.Path, 0):
		return nil, fmt.Errorf("%q is not an absolute path", q.Path)
	case q.Max <= 0 || q.Max > wire.MaxLog:
		return nil, fmt.Errorf("a piece of %d bytes is not within 1 and %d", q.Max, wire.MaxLog)
	}
	file, shared, err := openRegular(q.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return &wire.LogPiece{Missing: true}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	p := &wire.LogPiece{Size: info.Size(), ModMS: info.ModTime().UnixMilli(), Shared: shared}
	var n int64
	if p.From, n = pieceRange(q, p.Size); n == 0 {
		return p, nil
	}
	p.Data = make([]byte, n)
	got, err := file.ReadAt(p.Data, p.From)
	if err != nil && !errors.Is(err, io.EOF) { // the file may have become shorter
		return nil, err
	}
	p.Data = p.Data[:got]
	return p, nil
}

// pieceRange returns the offset and the length of the requested piece of a file of this size.
func pieceRange(q wire.ReadLog, size int64) (from, n int64) {
	if from = q.From; from < 0 {
		from = max(size+from, 0)
	}
	from = min(from, size)
	if q.Latest {
		from = max(from, size-int64(q.Max))
	}
	return from, min(size-from, int64(q.Max))
}

// refusalError returns the error of a file that must not be read, or nil.
func refusalError(path string, mode fs.FileMode, owner, user uint32) error {
	switch kind := mode.Type(); {
	case mode.IsDir():
		return fmt.Errorf("%q is a directory", path)
	case kind&fs.ModeSymlink != 0 && owner != user && owner != 0:
		return fmt.Errorf("%q is a symbolic link of another user: it is not followed", path)
	case kind&fs.ModeSymlink != 0:
		return nil
	case kind&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%q is a FIFO, not a file: it is not read", path)
	case kind != 0:
		return fmt.Errorf("%q is not a regular file: it is not read", path)
	case owner != user:
		return fmt.Errorf("%q belongs to another user: it is not read", path)
	}
	return nil
}

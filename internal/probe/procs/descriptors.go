package procs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	mostDescriptors = 1 << 18 // counted at most
	mostLinks       = 8192    // of these, how many have their files examined
)

// readDescriptors reads the open files. It examines only their names: a file on a network file system may hang.
func (l *inspectionBuilder) readDescriptors() error {
	dir := filepath.Join(l.mount, "fd")
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	d, left := &wire.Descriptors{Files: []wire.OpenFile{}}, 0
	l.Files, l.sockets = d, map[uint64]int{}
	for d.Count < mostDescriptors && time.Now().Before(l.until) {
		names, err := f.Readdirnames(512)
		for _, name := range names {
			if fd, err := strconv.Atoi(name); err == nil {
				if d.Count++; d.Count <= mostLinks {
					l.addDescriptor(d, fd, filepath.Join(dir, name))
				} else {
					left++
				}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	sort.Slice(d.Files, func(i, k int) bool { return d.Files[i].FD < d.Files[k].FD })
	l.noteLeftOut("files", left+len(d.Files)-wire.MaxInspected)
	d.Files = d.Files[:min(len(d.Files), wire.MaxInspected)]
	for i := range d.Files {
		l.readPosition(&d.Files[i])
	}
	return nil
}

// addDescriptor counts a descriptor and notes its file.
func (l *inspectionBuilder) addDescriptor(d *wire.Descriptors, fd int, link string) {
	name, err := os.Readlink(link)
	switch inode, isSocket := strings.CutPrefix(name, "socket:["); {
	case err != nil: // it was closed
	case isSocket:
		d.Sockets++
		if n, err := strconv.ParseUint(strings.TrimSuffix(inode, "]"), 10, 64); err == nil {
			l.sockets[n] = fd
		}
	case strings.HasPrefix(name, "pipe:["):
		d.Pipes++
	case !strings.HasPrefix(name, "/"):
		d.Others++
	default:
		d.Files = append(d.Files, wire.OpenFile{FD: fd, Path: inspectionPath(name)})
	}
}

// readPosition reads where a file is read or written, and how it was opened.
func (l *inspectionBuilder) readPosition(of *wire.OpenFile) {
	var head [256]byte
	n, err := proc.Read(filepath.Join(l.mount, "fdinfo", strconv.Itoa(of.FD)), head[:])
	words := strings.Fields(string(head[:n])) // "pos: 0 flags: 0100002 …"
	if err != nil || len(words) < 4 || words[0] != "pos:" || words[2] != "flags:" {
		return
	}
	flags, err := strconv.ParseUint(words[3], 8, 64)
	if err != nil {
		return
	}
	of.Position, _ = strconv.ParseUint(words[1], 10, 64)
	const appends = 0o2000
	of.Mode = [...]string{"r", "w", "rw", ""}[flags&3]
	if flags&appends != 0 {
		of.Mode += "a"
	}
}

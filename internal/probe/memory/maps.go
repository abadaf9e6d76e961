package memory

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"strconv"
)

// Area is a part of the address space of a process that maps a file.
type Area struct {
	From, To uint64
	Writable bool
	Offset   uint64 // in the file
	Path     string // of the file, as the process knows it, without " (deleted)"
}

// Limits of a maps file. Programs with many libraries have some thousands of areas; a program may have as many as the
// kernel permits (vm.max_map_count).
const (
	maxAreas = 1 << 20 // how many are examined
	maxKept  = 1 << 13
)

// ErrAreas means that a process has more areas than are examined or kept.
var ErrAreas = errors.New("it maps too many files")

// Areas returns the areas in a maps file of /proc that map a wanted file, if they begin at its start or are writable.
// With ErrAreas it returns the first ones. It waits for the lock of the address space, which may be held forever.
func Areas(maps string, wanted func(path string) bool) ([]Area, error) {
	f, err := os.Open(maps)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	var list []Area
	last, isWanted := "", false // most files have several areas in a row
	lines := bufio.NewScanner(f)
	for n := 0; lines.Scan(); n++ {
		a, path := parseArea(lines.Bytes())
		if len(path) == 0 || a.Offset > 0 && !a.Writable {
			continue
		}
		if string(path) != last {
			last = string(path)
			isWanted = wanted(last)
		}
		if a.Path = last; !isWanted {
			continue
		}
		if n >= maxAreas || len(list) == maxKept {
			return list, ErrAreas
		}
		list = append(list, a)
	}
	return list, lines.Err()
}

// parseArea reads a line such as
//
//	7f0c1000-7f0c2000 r-xp 00001000 08:01 1234   /usr/lib/libc.so.6
//
// path is empty if the area maps no file.
func parseArea(line []byte) (a Area, path []byte) {
	addresses, rest, _ := bytes.Cut(line, []byte(" "))
	rights, rest, _ := bytes.Cut(rest, []byte(" "))
	offset, rest, _ := bytes.Cut(rest, []byte(" "))
	_, rest, _ = bytes.Cut(rest, []byte(" ")) // the device
	_, path, _ = bytes.Cut(rest, []byte(" ")) // the inode
	from, to, _ := bytes.Cut(addresses, []byte("-"))
	if path = bytes.TrimLeft(path, " "); len(path) == 0 || path[0] != '/' || len(rights) < 4 {
		return a, nil
	}
	a.From, a.To, a.Offset = hexNumber(from), hexNumber(to), hexNumber(offset)
	a.Writable = rights[1] == 'w'
	return a, bytes.TrimSuffix(path, []byte(" (deleted)"))
}

// hexNumber parses a number that the kernel wrote.
func hexNumber(text []byte) uint64 {
	n, _ := strconv.ParseUint(string(text), 16, 64)
	return n
}

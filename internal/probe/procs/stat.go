package procs

import (
	"bytes"
	"path/filepath"
	"strconv"
)

// stat has the fields of /proc/PID/stat that a listing needs. They are parsed here, once per process and report, since
// procfs takes twice as long.
type stat struct {
	comm    []byte // valid until the next one is read
	state   string
	parent  int
	ticks   uint64 // CPU time
	threads int
	start   uint64 // in ticks
	rss     uint64 // in pages
}

// statSize is enough for a file: 52 numbers and a name.
const statSize = 2 << 10

// readStat reads the file of a process; ok is false if the file is missing or malformed.
func (t *Table) readStat(pid int) (s stat, ok bool) {
	name := strconv.AppendInt(append(t.name[:0], t.mount...), int64(pid), 10)
	t.name = append(name, "/stat"...)
	n, err := readFile(string(t.name), t.text[:])
	if err != nil {
		return s, false
	}
	return parseStat(t.text[:n])
}

// parseStat parses the file. The name of the process may contain anything, even parentheses and spaces.
func parseStat(text []byte) (s stat, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return s, false
	}
	s.comm = text[open+1 : end]
	i := 3 // number of the field, as proc(5) counts
	for field := range bytes.FieldsSeq(text[end+1:]) {
		if ok := s.set(i, field); !ok {
			return s, false
		}
		i++
	}
	return s, i > 24
}

// set sets a field; ok is false if it is malformed.
func (s *stat) set(i int, field []byte) (ok bool) {
	var err error
	switch i {
	case 3:
		s.state = string(field)
	case 4:
		s.parent, err = strconv.Atoi(string(field))
	case 14, 15:
		var n uint64
		n, err = strconv.ParseUint(string(field), 10, 64)
		s.ticks += n
	case 20:
		s.threads, err = strconv.Atoi(string(field))
	case 22:
		s.start, err = strconv.ParseUint(string(field), 10, 64)
	case 24:
		var n int64
		n, err = strconv.ParseInt(string(field), 10, 64)
		s.rss = uint64(max(n, 0))
	}
	return err == nil
}

// prefix is the beginning of the file names of processes in a procfs.
func prefix(mount string) string { return filepath.Clean(mount) + "/" }

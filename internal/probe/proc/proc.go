// Package proc reads what the probe and track need to know about processes from the files in /proc.
// github.com/prometheus/procfs would bring regular expressions into the probe, and is slower. It also reads the TCP
// sockets of a network namespace, the list of file locks, and how a process was started: in which job and step of
// SLURM, and as which rank.
//
// Only Stat, Status, Cgroups and Threads never hang: the others read memory of the process, or what its locks protect.
package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process is the directory of a process, or of a thread, in /proc.
type Process string

// Of returns the process in the procfs at mount.
func Of(mount string, pid int) Process { return Process(filepath.Join(mount, strconv.Itoa(pid))) }

// All lists the processes in the procfs at mount, by PID.
func All(mount string) []int {
	f, err := os.Open(mount)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	names, _ := f.Readdirnames(-1)   // as many as there are
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Threads lists the threads.
func (p Process) Threads() []int { return All(p.filePath("task")) }

// Thread returns a thread of the process.
func (p Process) Thread(tid int) Process { return Process(p.filePath("task/" + strconv.Itoa(tid))) }

func (p Process) filePath(name string) string { return string(p) + "/" + name }

// Stat reads the file stat.
func (p Process) Stat() (Stat, error) {
	var text [statSize]byte
	n, err := Read(p.filePath("stat"), text[:])
	if err != nil {
		return Stat{}, err
	}
	s, ok := parseStat(text[:n])
	if !ok {
		return s, &os.PathError{Op: "parse", Path: p.filePath("stat"), Err: errMalformed}
	}
	return s, nil
}

// Status is what the probe needs from the file status. Sizes are in bytes.
type Status struct {
	UIDs, GIDs             [4]int // real, effective, saved, file system
	VMSize, VMHWM          uint64
	VMSwap, VMLck          uint64
	Voluntary, Involuntary uint64 // context switches
	NSPIDs                 []int  // its PIDs in the nested PID namespaces, starting with the procfs's own
}

// Status reads the file status.
func (p Process) Status() (s Status, err error) {
	text, err := os.ReadFile(p.filePath("status"))
	for line := range bytes.Lines(text) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		words := bytes.Fields(value)
		if len(words) == 0 {
			continue
		}
		n, _ := strconv.ParseUint(string(words[0]), 10, 64) // 0 if it is no number
		switch string(key) {
		case "Uid":
			err = parseInts(words, s.UIDs[:])
		case "Gid":
			err = parseInts(words, s.GIDs[:])
		case "NSpid":
			s.NSPIDs = make([]int, len(words))
			err = parseInts(words, s.NSPIDs)
		case "VmSize":
			s.VMSize = n << 10
		case "VmHWM":
			s.VMHWM = n << 10
		case "VmSwap":
			s.VMSwap = n << 10
		case "VmLck":
			s.VMLck = n << 10
		case "voluntary_ctxt_switches":
			s.Voluntary = n
		case "nonvoluntary_ctxt_switches":
			s.Involuntary = n
		}
		if err != nil {
			return s, fmt.Errorf("%s of %s: %w", key, p.filePath("status"), err)
		}
	}
	return s, err
}

func parseInts(words [][]byte, to []int) (err error) {
	for i := range words[:min(len(words), len(to))] {
		if to[i], err = strconv.Atoi(string(words[i])); err != nil {
			return err
		}
	}
	return nil
}

// Arguments reads the command line.
func (p Process) Arguments() ([]string, error) {
	text, err := os.ReadFile(p.filePath("cmdline"))
	if text = bytes.TrimRight(text, "\x00"); err != nil || len(text) == 0 {
		return nil, err
	}
	return strings.Split(string(text), "\x00"), nil
}

// Environ reads the environment.
func (p Process) Environ() ([]string, error) {
	text, err := os.ReadFile(p.filePath("environ"))
	if text = bytes.TrimSuffix(text, []byte{0}); err != nil || len(text) == 0 {
		return nil, err
	}
	return strings.Split(string(text), "\x00"), nil
}

// Link reads a link: exe, cwd, root, ns/net or fd/N.
func (p Process) Link(name string) (string, error) { return os.Readlink(p.filePath(name)) }

// Cgroups returns the paths of the cgroups of the process. The file has lines hierarchy:controllers:path.
func (p Process) Cgroups() (list []string) {
	text, err := os.ReadFile(p.filePath("cgroup"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3); len(fields) == 3 {
			list = append(list, fields[2])
		}
	}
	return list
}

// IO says how much the process has read and written.
type IO struct {
	ReadChars, WrittenChars uint64
	Reads, Writes           uint64 // system calls
	ReadBytes, WrittenBytes uint64 // from and to disks
}

// ioSize is enough for the whole file: seven numbers. statusSize is enough for most processes: it has the groups of
// the user.
const ioSize, statusSize = 512, 4 << 10

// readSmall reads a file that mostly fits into room. Then it needs only the system calls of Read.
func readSmall(name string, room []byte) ([]byte, error) {
	n, err := Read(name, room)
	switch {
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	case n == len(room):
		return os.ReadFile(name)
	}
	return room[:n], nil
}

// AllowedCPUs returns the list of CPUs in the file status, as the kernel writes it.
func (p Process) AllowedCPUs() (list string, known bool) {
	var room [statusSize]byte
	text, err := readSmall(p.filePath("status"), room[:])
	_, after, found := bytes.Cut(text, []byte("\nCpus_allowed_list:\t"))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	return string(line), found && err == nil
}

// IO reads the file io.
func (p Process) IO() (io IO, err error) {
	var room [ioSize]byte
	lines, err := readSmall(p.filePath("io"), room[:])
	if err != nil {
		return io, err
	}
	text := "\n" + string(lines)
	fields := [...]struct {
		key string
		to  *uint64
	}{{"rchar", &io.ReadChars}, {"wchar", &io.WrittenChars}, {"syscr", &io.Reads}, {"syscw", &io.Writes},
		{"read_bytes", &io.ReadBytes}, {"write_bytes", &io.WrittenBytes}}
	for _, f := range fields {
		_, after, found := strings.Cut(text, "\n"+f.key+": ")
		value, _, _ := strings.Cut(after, "\n")
		if *f.to, err = strconv.ParseUint(value, 10, 64); err != nil || !found {
			return io, &os.PathError{Op: "parse", Path: p.filePath("io"), Err: errMalformed}
		}
	}
	return io, nil
}

// Statm returns the page counts in the file statm: size, resident, shared, text, lib, data.
func (p Process) Statm() (pages [6]uint64, err error) {
	text, err := os.ReadFile(p.filePath("statm"))
	words := bytes.Fields(text)
	if err == nil && len(words) < len(pages) {
		err = errMalformed
	}
	for i := range pages {
		if err == nil {
			pages[i], err = strconv.ParseUint(string(words[i]), 10, 64)
		}
	}
	return pages, err
}

// Package python reads the Python stacks of another process from its memory: CPython 3.8 to 3.15 with the GIL. The
// process is neither stopped nor changed.
//
// Everything that is read may be torn or out of date, since the process keeps running. So each pointer is checked by
// the type of the object that it points to, lists have limits, and what is returned was read more than once without a
// change. For a thread that runs, only the outer part of the stack may be left then.
package python

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
)

// Errors of Find and Threads.
var (
	ErrNone = errors.New("no Python interpreter")
	// ErrStarting means that no interpreter runs in the process yet, or none any longer.
	ErrStarting = errors.New("the interpreter is starting or ending")
	// ErrFiles means that a process maps more files named like an interpreter than are tried.
	ErrFiles = errors.New("it maps more than 64 files that may be a Python interpreter")
	errSense = errors.New("the memory of the interpreter makes no sense")
)

// VersionError is returned for an unknown version of Python.
type VersionError struct{ Version string }

func (e *VersionError) Error() string { return "Python " + e.Version + " is not known" }

const (
	maxInterpreters = 64
	maxFiles        = 64 // tried at most
)

// Runtime is the CPython in a process.
type Runtime struct {
	Version string // "3.12.4", or "3.8" if only that is known

	mem    *memory.Process
	at     uint64
	layout cpythonLayout
	types  map[uint64]string // names of types, by address
	codes  map[uint64]*code  // by address
}

// Find finds the CPython in a process: areas are those of its memory, and program is its executable.
func Find(mem *memory.Process, areas []memory.Area, program string) (*Runtime, error) {
	var failed error
	for tried, a := range candidateAreas(areas, program) {
		if tried == maxFiles {
			return nil, ErrFiles
		}
		r, err := findRuntime(mem, areas, a)
		if err == nil && r.Version == "" {
			err = r.setLayout(cmp.Or(minorOf(path.Base(a.Path)), latestMinor(areas)))
		}
		if err == nil {
			return r, nil
		}
		if !errors.Is(err, memory.ErrSymbol) {
			failed = errors.Join(failed, err)
		}
	}
	if failed != nil {
		return nil, failed
	}
	if minor := minorOf(program); minor > 0 && minor < 7 { // these versions have no symbol for the runtime
		return nil, &VersionError{fmt.Sprintf("3.%d", minor)}
	}
	return nil, findOther(areas, program)
}

// Tells reports whether a file may contain an interpreter, or belongs to a library that names its version.
func Tells(file string) bool { return isPython(file) || minorOf(file) > 0 || otherOf(file) != "" }

// isPython reports whether a file is named like an interpreter, or like a library that contains one.
func isPython(file string) bool {
	name := path.Base(file)
	return strings.HasPrefix(name, "libpython") || strings.HasPrefix(name, "python")
}

// candidateAreas returns the areas at which the mapping of an interpreter may begin, those of the program first.
func candidateAreas(areas []memory.Area, program string) (list []*memory.Area) {
	var others []*memory.Area
	for i := range areas {
		switch a := &areas[i]; {
		case a.Offset > 0:
		case a.Path == program:
			list = append(list, a)
		case isPython(a.Path):
			others = append(others, a)
		}
	}
	return append(list, others...)
}

// findRuntime looks for the runtime in the program or library whose mapping begins at an area. Its version may be
// unknown yet.
func findRuntime(mem *memory.Process, areas []memory.Area, from *memory.Area) (*Runtime, error) {
	image, err := mem.Image(from.From)
	if err != nil {
		return nil, err
	}
	r := &Runtime{mem: mem, types: map[uint64]string{}, codes: map[uint64]*code{}}
	if r.at, err = image.Symbol("_PyRuntime"); errors.Is(err, memory.ErrSymbol) {
		r.at, err = searchRuntime(mem, areas, from.Path)
	}
	if err != nil {
		return nil, err
	}
	head, err := mem.Bytes(r.at, described)
	if err != nil {
		return nil, err
	}
	var known bool
	if r.layout, r.Version, known, err = describedLayout(head); known {
		return r, err
	}
	at, err := image.Symbol("Py_Version")
	if errors.Is(err, memory.ErrSymbol) {
		return r, nil // before 3.11
	}
	if err != nil {
		return nil, err
	}
	hex, err := mem.Word(at)
	if err != nil {
		return nil, err
	}
	err = r.setLayout(int(hex >> 16 & 0xff))
	r.Version = versionOf(hex)
	return r, err
}

// setLayout sets the layout of a minor version.
func (r *Runtime) setLayout(minor int) error {
	var known bool
	r.Version = fmt.Sprintf("3.%d", minor)
	if r.layout, known = layoutOf(minor); !known {
		if minor == 0 {
			r.Version = "of an unknown version"
		}
		return &VersionError{r.Version}
	}
	return nil
}

// searchRuntime searches the data of a program without symbols for a runtime that describes itself.
func searchRuntime(mem *memory.Process, areas []memory.Area, of string) (uint64, error) {
	const chunk, most = 1 << 20, 32 << 20
	left := most
	for i := range areas {
		a := &areas[i]
		if a.Path != of || !a.Writable {
			continue
		}
		for at := a.From; at < a.To && left > 0; at += chunk {
			data, err := mem.Bytes(at, int(min(chunk, a.To-at)))
			if err != nil {
				return 0, err
			}
			left -= len(data)
			for k := 0; k+len(cookie) <= len(data); k += 8 {
				if data[k] == cookie[0] && string(data[k:k+len(cookie)]) == cookie {
					return at + uint64(k), nil
				}
			}
		}
	}
	return 0, memory.ErrSymbol
}

// minorOf returns the minor version in the path of a file: 9 in "libpython3.9.so.1.0" and
// "x.cpython-39-x86_64-linux-gnu.so"; 0: there is none.
func minorOf(name string) int {
	for _, before := range []string{"python3.", "cpython-3"} {
		_, after, _ := strings.Cut(name, before)
		end := 0
		for end < len(after) && after[end] >= '0' && after[end] <= '9' {
			end++
		}
		if n, err := strconv.Atoi(after[:end]); err == nil && n < 100 {
			return n
		}
	}
	return 0
}

func latestMinor(areas []memory.Area) (minor int) {
	for i := range areas {
		minor = max(minor, minorOf(areas[i].Path))
	}
	return minor
}

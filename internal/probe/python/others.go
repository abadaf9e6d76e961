package python

import (
	"path"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
)

// OtherError is returned for a Python that is not CPython.
type OtherError struct{ Name string }

func (e *OtherError) Error() string { return e.Name + ": not read" }

// others are other interpreters that can be recognized by file names: of their programs, and of libraries that contain
// them.
var others = []struct{ file, name string }{
	{"pypy", "PyPy"}, {"libpypy", "PyPy"}, {"graalpy", "GraalPy"}, {"libgraalpy", "GraalPy"},
	{"libpythonvm", "GraalPy"}, {"micropython", "MicroPython"},
}

// otherOf returns the name of the interpreter in a file, if it is not CPython; "": there is none.
func otherOf(file string) string {
	for _, o := range others {
		if strings.HasPrefix(path.Base(file), o.file) {
			return o.name
		}
	}
	return ""
}

// findOther returns the error for a process without CPython.
func findOther(areas []memory.Area, program string) error {
	for _, file := range append([]string{program}, areaFiles(areas)...) {
		if name := otherOf(file); name != "" {
			return &OtherError{name}
		}
	}
	return ErrNone
}

// areaFiles returns the files that are mapped in areas.
func areaFiles(areas []memory.Area) (list []string) {
	for i := range areas {
		list = append(list, areas[i].Path)
	}
	return slices.Compact(list)
}

// HasGreenlets reports whether a process has loaded the library that switches between several stacks in one thread, as
// gevent, eventlet and SQLAlchemy do: the stacks that wait belong to no thread.
func HasGreenlets(areas []memory.Area) bool {
	return slices.ContainsFunc(areas, func(a memory.Area) bool {
		name, _, _ := strings.Cut(path.Base(a.Path), ".")
		return strings.TrimLeft(name, "_") == "greenlet"
	})
}

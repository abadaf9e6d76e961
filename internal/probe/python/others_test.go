package python

import (
	"errors"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
)

// A process without CPython runs another Python, or none.
func TestOtherPythons(t *testing.T) {
	mem := memory.New(func([]memory.Piece) error { return memory.ErrSymbol }, time.Now().Add(time.Minute))
	for _, test := range []struct{ program, file, want string }{
		{"/usr/bin/pypy3.9-v7.3.11", "/usr/lib/libc.so.6", "PyPy: not read"},
		{"/usr/bin/app", "/opt/lib/libpypy3.9-c.so", "PyPy: not read"},
		{"/opt/graalpy/bin/graalpy", "", "GraalPy: not read"},
		{"/opt/graalpy/libexec/launcher", "/opt/graalpy/lib/libpythonvm.so", "GraalPy: not read"},
		{"/usr/bin/sleep", "/home/pypy/libm.so.6", ErrNone.Error()},
	} {
		areas := []memory.Area{{From: base, Path: test.program}, {From: 2 * base, Path: test.file}}
		r, err := Find(mem, areas, test.program)
		if err == nil || err.Error() != test.want || r != nil {
			t.Errorf("%s with %s: %v", test.program, test.file, err)
		}
		if (err.Error() != ErrNone.Error()) != (Tells(test.program) || Tells(test.file)) {
			t.Errorf("%s with %s: the areas are read %v, %v", test.program, test.file, Tells(test.program),
				Tells(test.file))
		}
	}
	if _, err := Find(mem, nil, "/usr/bin/sleep"); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// Before 3.7 a program has no runtime by name: its version is said to be unknown.
func TestOldPythons(t *testing.T) {
	mem := memory.New(func([]memory.Piece) error { return memory.ErrSymbol }, time.Now().Add(time.Minute))
	for program, want := range map[string]string{"/usr/bin/python3.6": "Python 3.6 is not known",
		"/usr/bin/python3.7": ErrNone.Error(), "/usr/bin/python3": ErrNone.Error()} {
		if _, err := Find(mem, nil, program); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", program, err, want)
		}
	}
}

func TestHasGreenlets(t *testing.T) {
	for file, want := range map[string]bool{
		"/site-packages/greenlet/_greenlet.cpython-311-x86_64-linux-gnu.so":       true,
		"/site-packages/greenlet.cpython-38-aarch64-linux-gnu.so":                 true,
		"/site-packages/gevent/_gevent_cgreenlet.cpython-311-x86_64-linux-gnu.so": false,
		"/site-packages/greenlets/x.so":                                           false,
	} {
		if got := HasGreenlets([]memory.Area{{Path: "/usr/bin/python3"}, {Path: file}}); got != want {
			t.Errorf("%s: %v", file, got)
		}
		if !Tells(file) && want {
			t.Errorf("the areas of %s are not read", file)
		}
	}
}

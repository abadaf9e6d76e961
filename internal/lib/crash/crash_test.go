package crash

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
)

// asProgram, set in the environment, makes the test binary a program that panics in that way.
const asProgram = "TEST_CRASH"

// ways are ways to panic, by name.
var ways = map[string]func(){
	"main": func() { defer End(); panic("oh no") },
	"a goroutine": func() {
		Go(func() { panic("oh no") })
		select {}
	},
	"a goroutine of a group": func() {
		var wg sync.WaitGroup
		wg.Go(func() {
			defer End()
			panic("oh no")
		})
		wg.Wait()
	},
	"a guarded goroutine of a group": func() {
		var group errgroup.Group
		group.Go(Guard(func() error { panic("oh no") }))
		_ = group.Wait() // it may end before the panic does
		select {}
	},
	"two at once": func() {
		for range 2 {
			Go(func() { panic("oh no") })
		}
		select {}
	},
	"with a terminal": func() {
		Before(func() { os.Stderr.WriteString("forgotten\n") })()
		defer Before(func() { os.Stderr.WriteString("restored\n") })()
		Go(func() { panic("oh no") })
		select {}
	},
}

func TestMain(m *testing.M) {
	name, owned := strings.CutPrefix(os.Getenv(asProgram), "own ")
	if way := ways[name]; way != nil {
		if owned {
			Own()
		}
		way()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A panic, in whatever goroutine, ends the program with its own exit code, and standard error says where it was. In
// somebody else's program it stays Go's.
func TestEnd(t *testing.T) {
	t.Parallel()
	for name := range ways {
		for prefix, want := range map[string]int{"own ": Exit, "": 2} {
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), asProgram+"="+prefix+name)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			err := cmd.Run()
			exit, ended := errors.AsType[*exec.ExitError](err)
			if !ended || exit.ExitCode() != want || !strings.HasPrefix(strings.TrimPrefix(errs.String(), "restored\n"),
				"panic: oh no") || !strings.Contains(errs.String(), "crash_test.go:") {
				t.Errorf("%s%s: %v, want %d, stderr\n%s", prefix, name, err, want, errs.String())
			}
			if restored := name == "with a terminal" && want == Exit; strings.HasPrefix(errs.String(),
				"restored\n") != restored {
				t.Errorf("%s%s: restored %v, stderr\n%s", prefix, name, !restored, errs.String())
			}
		}
	}
}

// A panic that is caught is an error that says where it was.
func TestRecover(t *testing.T) {
	err := func() (err error) {
		defer Recover(&err)
		panic("oh no")
	}()
	if !errors.Is(err, Err) || !strings.Contains(err.Error(), "crash_test.go:") {
		t.Errorf("%v", err)
	}
}

// A panic aside is one of the caller, and says once where it was.
func TestRunAside(t *testing.T) {
	ran := false
	RunAside(func() { ran = true })
	if !ran {
		t.Error("RunAside returned before the function did")
	}
	err := func() (err error) {
		defer Recover(&err)
		RunAside(func() { panic("oh no") })
		return nil
	}()
	if !errors.Is(err, Err) || !strings.Contains(err.Error(), "oh no") || strings.Count(err.Error(), Err.Error()) != 1 {
		t.Errorf("%v", err)
	}
}

package watchdog

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestBarksAfterSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var barked []string
		d := New(time.Minute, func(last string) { barked = append(barked, last) })
		defer d.Stop()
		quiet := func(long time.Duration, want int) {
			t.Helper()
			time.Sleep(long)
			synctest.Wait()
			if len(barked) != want {
				t.Fatalf("barked %d times, want %d: %q", len(barked), want, barked)
			}
		}
		quiet(time.Hour, 0) // asleep
		d.Step("it comes up")
		quiet(59*time.Second, 0)
		one := &fakeTest{TB: t, name: "TestOne"}
		d.Watch(one)
		quiet(50*time.Second, 0)
		d.Watch(one) // counts from the first call on
		quiet(9*time.Second, 0)
		one.end()
		quiet(59*time.Second, 0)
		d.Watch(one) // another run of it
		quiet(59*time.Second, 0)
		d.Watch(one)
		quiet(2*time.Second, 1)
		if barked[0] != "TestOne began" {
			t.Errorf("the last was %q", barked[0])
		}
	})
}

// fakeTest is a test that ends on demand.
type fakeTest struct {
	testing.TB
	name string
	ends []func()
}

func (f *fakeTest) Helper()          {}
func (f *fakeTest) Name() string     { return f.name }
func (f *fakeTest) Cleanup(e func()) { f.ends = append(f.ends, e) }

func (f *fakeTest) end() {
	for _, e := range f.ends {
		e()
	}
	f.ends = nil
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(time.Minute, func(string) { t.Error("barked") })
		d.Step("it comes up")
		d.Stop()
		time.Sleep(time.Hour)
	})
}

const hanging = "NVNODETOP_WATCHDOG_HANGS"

// A test that hangs is ended after the cleanup, and the output has its name and its place in the code.
func TestAHangIsTold(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestHangs$")
	cmd.Env = append(os.Environ(), hanging+"=1")
	out, err := cmd.CombinedOutput()
	exit, exited := errors.AsType[*exec.ExitError](err)
	if !exited || exit.ExitCode() != 2 {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, want := range []string{"no test began or ended for 100ms", "TestHangs began", "watchdog.hangsHere",
		"watchdog_test.go", "tidied up"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

func TestHangs(t *testing.T) {
	if os.Getenv(hanging) == "" {
		t.Skip("runs in TestAHangIsTold")
	}
	const limit = 100 * time.Millisecond
	d := New(limit, func(last string) {
		Die(os.Stderr, limit, last, func() { _, _ = os.Stderr.WriteString("tidied up\n") })
	})
	d.Watch(t)
	hangsHere()
}

func hangsHere() { select {} }

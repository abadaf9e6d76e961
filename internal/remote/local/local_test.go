package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// TestMain turns this test binary into a probe if the environment names one.
func TestMain(m *testing.M) {
	hello := wire.Message{Hello: &wire.Hello{Host: "here", PID: os.Getpid(), GPUs: []wire.Card{{UUID: "GPU-1"}}}}
	switch os.Getenv("FAKE_PROBE") {
	case "":
		os.Exit(m.Run())
	case "well":
		io.WriteString(os.Stdout, "noise\n"+wire.Magic+"\n")
		wire.Write(os.Stdout, hello)
		for r := wire.NewReader(os.Stdin); ; {
			var req wire.Request
			if r.Next(&req) != nil {
				os.Exit(0)
			}
			wire.Write(os.Stdout, wire.Message{Reply: &wire.Reply{ID: req.ID,
				Error: fmt.Sprintf("%s PATH=%q", os.Args[1], os.Getenv("PATH"))}})
		}
	case "deaf": // does not end with its input
		io.WriteString(os.Stdout, wire.Magic+"\n")
		wire.Write(os.Stdout, hello)
		time.Sleep(time.Minute)
	case "silent":
		time.Sleep(time.Minute)
	case "no hello":
		io.WriteString(os.Stdout, wire.Magic+"\n{\"report\":{}}\n")
	case "no magic":
		io.WriteString(os.Stderr, "it cannot be\n")
	}
	os.Exit(1)
}

// open opens a session to the fake probe of that kind.
func open(t *testing.T, ctx context.Context, kind string) (poller.Session, []reach.Step, error) {
	t.Helper()
	t.Setenv("FAKE_PROBE", kind)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector lets a process linger for a second
	o, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if r, want := o.Route(ctx, "here"), []reach.Stage{remote.StageProbe, remote.StageDriver}; r.Door != "local" ||
		!slices.Equal(r.Stages, want) {
		t.Errorf("route %q, want %q", r.Stages, want)
	}
	var steps []reach.Step
	s, err := o.Open(ctx, "here", func(s reach.Step) { steps = append(steps, s) })
	if err != nil {
		return nil, steps, err
	}
	t.Cleanup(func() { s.Close() })
	return s, steps, nil
}

// pid takes the Hello, which is the first message, and returns the probe's process.
func pid(t *testing.T, s poller.Session) int {
	t.Helper()
	m, err := s.Next()
	if err != nil || m.Hello == nil || m.Hello.Host != "here" {
		t.Fatalf("first message %+v, %v; want the Hello", m, err)
	}
	return m.Hello.PID
}

func lives(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestSession(t *testing.T) {
	s, steps, err := open(t, t.Context(), "well")
	if err != nil {
		t.Fatal(err)
	}
	if last := steps[len(steps)-1]; len(steps) != 4 || last.Stage != remote.StageDriver ||
		last.State != reach.StepDone || last.Text != "1 GPU" {
		t.Errorf("steps %+v", steps)
	}
	probe := pid(t, s)
	if reply, err := s.Call(t.Context(), wire.Request{Alive: &wire.Alive{}}); err != nil ||
		reply.Error != `probe PATH=""` {
		t.Errorf("reply %+v, %v; want its argument and an empty PATH", reply, err)
	}
	ended := make(chan error, 1)
	go func() { _, err := s.Next(); ended <- err }()
	s.Close()
	if err := <-ended; !errors.Is(err, link.ErrClosed) {
		t.Errorf("Next ended with %v", err)
	}
	if lives(probe) {
		t.Error("the probe still runs after Close")
	}
}

func TestCloseEndsADeafProbe(t *testing.T) {
	s, _, err := open(t, t.Context(), "deaf")
	if err != nil {
		t.Fatal(err)
	}
	probe := pid(t, s)
	began := time.Now()
	s.Close()
	s.Close()
	for lives(probe) {
		if time.Since(began) > 5*time.Second {
			t.Fatal("the probe lives on")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestOpenGivesUpWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := open(t, ctx, "silent"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent probe: %v", err)
	}
}

// TestRunGivesUpWithItsContext: a script that does not read its input delays nobody.
func TestRunGivesUpWithItsContext(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := (shell{}).Run(ctx, "exec sleep 600", bytes.NewReader(make([]byte, 1<<20))); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("Run returned %v", err)
	}
	if _, err := (shell{}).Run(ctx, "exec sleep 600", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run after its context: %v", err)
	}
	noneLeft(t, before)
}

// TestFailures: no failure advises to use ssh.
func TestFailures(t *testing.T) {
	for kind, want := range map[string]struct {
		class reach.Class
		words string
	}{
		"no hello": {reach.ClassGarbage, "not a hello"},
		"no magic": {reach.ClassProbeFailed, "it cannot be"},
	} {
		_, steps, err := open(t, t.Context(), kind)
		f, ok := errors.AsType[*reach.Failure](err)
		if !ok || f.Class != want.class || !strings.Contains(f.Words, want.words) || f.Meaning == "" ||
			strings.Contains(strings.Join(f.Hints, ""), "ssh") {
			t.Errorf("%s: %#v, want class %s, words with %q", kind, err, want.class, want.words)
		}
		if last := steps[len(steps)-1]; last.State != reach.StepFailed {
			t.Errorf("%s: last step %+v", kind, last)
		}
	}
	o, err := New()
	if err != nil {
		t.Fatal(err)
	}
	o.Installer.Program = "/nowhere/nvnodetop"
	_, err = o.Open(t.Context(), "", func(reach.Step) {})
	if f, ok := errors.AsType[*reach.Failure](err); !ok || f.Class != reach.ClassProbeFailed ||
		!strings.Contains(f.Words, "/nowhere/nvnodetop") {
		t.Errorf("a program that is not there: %#v", err)
	}
}

// TestKilled ends the probe of a session in the middle of its stream.
func TestKilled(t *testing.T) {
	s, _, err := open(t, t.Context(), "well")
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(pid(t, s), syscall.SIGKILL)
	_, err = s.Next()
	if f, ok := errors.AsType[*reach.Failure](err); !ok || f.Class != reach.ClassProbeKilled ||
		f.Summary() != "probe was killed (signal KILL)" || f.Stage != "" {
		t.Errorf("Next ended with %#v", err)
	}
	_, err = s.Call(t.Context(), wire.Request{Alive: &wire.Alive{}})
	if f, ok := errors.AsType[*reach.Failure](err); !ok || f.Class != reach.ClassProbeKilled {
		t.Errorf("Call ended with %#v", err)
	}
}

// TestNothingIsLeft opens and closes a few sessions and counts goroutines.
func TestNothingIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, kind := range []string{"well", "deaf", "no hello", "well"} {
		if s, _, err := open(t, t.Context(), kind); err == nil {
			s.Close()
		}
	}
	noneLeft(t, before)
}

// noneLeft waits until there are no more goroutines than before.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	for began := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(began) > 5*time.Second {
			buf := make([]byte, 1<<20)
			t.Fatalf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
		}
	}
}

package local

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// TestMain makes this test binary the probe of its own tests, when the environment says which.
func TestMain(m *testing.M) {
	switch os.Getenv("FAKE_PROBE") {
	case "":
		os.Exit(m.Run())
	case "well":
		io.WriteString(os.Stdout, "noise\n"+wire.Magic+"\n")
		wire.Write(os.Stdout, wire.Message{Hello: &wire.Hello{Host: "here", GPUs: []wire.Card{{UUID: "GPU-1"}}}})
		for r := wire.NewReader(os.Stdin); ; {
			var req wire.Request
			if r.Next(&req) != nil {
				os.Exit(0)
			}
			wire.Write(os.Stdout, wire.Message{Reply: &wire.Reply{ID: req.ID}})
		}
	case "deaf": // does not end with its input
		io.WriteString(os.Stdout, wire.Magic+"\n")
		wire.Write(os.Stdout, wire.Message{Hello: &wire.Hello{Host: "here"}})
		time.Sleep(time.Minute)
	case "silent":
		time.Sleep(time.Minute)
	case "no hello":
		io.WriteString(os.Stdout, wire.Magic+"\n{\"report\":{}}\n")
	}
	os.Exit(1)
}

// open opens a session to the fake probe of that kind.
func open(t *testing.T, ctx context.Context, kind string) (*session, []reach.Step, error) {
	t.Helper()
	t.Setenv("FAKE_PROBE", kind)
	o, err := New()
	if err != nil {
		t.Fatal(err)
	}
	var steps []reach.Step
	s, err := o.Open(ctx, "here", func(s reach.Step) { steps = append(steps, s) })
	if err != nil {
		return nil, steps, err
	}
	t.Cleanup(func() { s.Close() })
	return s.(*session), steps, nil
}

func TestSession(t *testing.T) {
	s, steps, err := open(t, t.Context(), "well")
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 2 || steps[1].State != reach.StepDone {
		t.Errorf("steps %+v", steps)
	}
	if m, err := s.Next(); err != nil || m.Hello == nil || m.Hello.Host != "here" {
		t.Errorf("first message %+v, %v; want the Hello", m, err)
	}
	if err := s.Send(wire.Request{ID: 7, Alive: &wire.Alive{}}); err != nil {
		t.Fatal(err)
	}
	if m, err := s.Next(); err != nil || m.Reply == nil || m.Reply.ID != 7 {
		t.Errorf("second message %+v, %v; want the reply", m, err)
	}
	ended := make(chan error, 1)
	go func() { _, err := s.Next(); ended <- err }()
	s.Close()
	if failure, ok := errors.AsType[*reach.Failure](<-ended); !ok || failure.Class != reach.ClassClosed {
		t.Errorf("Next ended with %v", failure)
	}
	if s.cmd.ProcessState == nil {
		t.Error("the probe still runs after Close")
	}
}

func TestCloseEndsADeafProbe(t *testing.T) {
	s, _, err := open(t, t.Context(), "deaf")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s.Close()
	s.Close()
	if took := time.Since(began); took > 5*time.Second || s.cmd.ProcessState == nil {
		t.Errorf("Close took %v, the probe is %v", took, s.cmd.ProcessState)
	}
}

func TestOpenGivesUpWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := open(t, ctx, "silent"); err == nil {
		t.Error("a silent probe was opened")
	}
}

func TestFailures(t *testing.T) {
	for kind, words := range map[string]string{"no hello": "did not say hello", "dies": "no probe answered"} {
		_, steps, err := open(t, t.Context(), kind)
		failure, ok := errors.AsType[*reach.Failure](err)
		if !ok || !strings.Contains(failure.Words, words) {
			t.Errorf("%s: %#v, want words with %q", kind, err, words)
		}
		if last := steps[len(steps)-1]; last.State != reach.StepFailed {
			t.Errorf("%s: last step %+v", kind, last)
		}
	}
	o := &Opener{Executable: "/nowhere/nvnodetop"}
	if _, err := o.Open(t.Context(), "", func(reach.Step) {}); err == nil {
		t.Error("a program that is not there was started")
	}
}

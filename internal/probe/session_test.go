package probe

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// session is a probe under test, seen from nvnodetop's end. It lives in a synctest bubble.
type session struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *io.PipeReader
	msgs   chan wire.Message
	ended  chan error
	cancel context.CancelFunc
}

// open starts a probe over a driver and a /proc; "": a small /proc.
func open(t *testing.T, lib driver.Library, procs ...string) *session {
	t.Helper()
	proc := strings.Join(procs, "")
	if proc == "" {
		proc = fakeproc.Write(t, nil)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	s := &session{t: t, in: inW, out: outR, msgs: make(chan wire.Message, 4096), ended: make(chan error, 1),
		cancel: cancel}
	go func() {
		err := Run(ctx, inR, outW, Options{Build: "v1", Library: lib, Proc: proc, Now: fakeNow, Name: "n1"})
		_ = errors.Join(outW.Close(), inR.Close()) // they never fail
		s.ended <- err
	}()
	go relay(outR, s.msgs)
	return s
}

// relay passes on the output of a probe until its end.
func relay(from io.Reader, to chan<- wire.Message) {
	defer close(to)
	lines := wire.NewReader(from)
	if lines.SkipToMagic() != nil {
		return
	}
	for {
		var m wire.Message
		if lines.Next(&m) != nil {
			return
		}
		to <- m
	}
}

// say writes one line to the probe, and lets the probe react to it.
func (s *session) say(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("write %.40q: %v", line, err)
	}
	synctest.Wait()
}

// got takes the output of the probe so far.
func (s *session) got() (msgs []wire.Message) {
	synctest.Wait()
	for {
		select {
		case m, ok := <-s.msgs:
			if !ok {
				return msgs
			}
			msgs = append(msgs, m)
		default:
			return msgs
		}
	}
}

func (s *session) reports() (reports []*wire.Report) {
	for _, m := range s.got() {
		if m.Report != nil {
			reports = append(reports, m.Report)
		}
	}
	return reports
}

// write writes to the probe; perhaps nobody reads it any more.
func (s *session) write(raw string) {
	if _, err := io.WriteString(s.in, raw); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		s.t.Error(err)
	}
}

// end closes the probe's input and returns the result of Run.
func (s *session) end() error {
	_ = s.in.Close() // never fails
	return <-s.ended
}

// finish ends a session without further requests.
func (s *session) finish() {
	s.t.Helper()
	if err := s.end(); err != nil {
		s.t.Errorf("Run returned %v", err)
	}
}

// after takes the reports of some time in which nvnodetop is present.
func (s *session) after(d time.Duration) []*wire.Report {
	time.Sleep(d / 2)
	s.say(`{"id":2,"alive":{}}`)
	time.Sleep(d - d/2)
	s.say(`{"id":2,"alive":{}}`)
	return s.reports()
}

package link

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A probe that ends with its input ends in peace, and its connection is cut after it. Any other probe is killed.
func TestClose(t *testing.T) {
	for name, deaf := range map[string]bool{"polite": false, "deaf": true} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T, s *Session, p *peer) {
				go func() {
					for range p.asked { // until the input ends
					}
					if !deaf {
						p.end(Exit{Known: true})
					}
				}()
				waiting := make(chan error, 1)
				go func() { _, err := s.Next(); waiting <- err }()
				synctest.Wait()
				began := time.Now()
				_, _ = s.Close(), s.Close()
				took := time.Since(began)
				if want := map[bool]time.Duration{true: 2 * DefaultLimits.Closing}[deaf]; took != want ||
					p.cut.Load() != 1 || p.killed.Load() == 0 {
					t.Errorf("Close took %v, cut %d times, killed %d times; want %v", took, p.cut.Load(),
						p.killed.Load(), want)
				}
				if err := <-waiting; !errors.Is(err, ErrClosed) {
					t.Errorf("Next returned %v", err)
				}
			})
		})
	}
}

// Anything but a probe is reported with its own output and its exit status.
func TestNoProbe(t *testing.T) {
	for name, c := range map[string]struct {
		says  string
		exit  Exit
		check func(*EndError) bool
	}{
		"ends": {"Welcome\n", Exit{Known: true, Status: 75}, func(e *EndError) bool {
			s, ok := e.Status()
			return ok && s == 75 && e.Noise == "Welcome\n" && e.IsEnd() && e.Exit.Known
		}},
		"is killed": {"", Exit{Known: true, Signal: "KILL"}, func(e *EndError) bool {
			_, ok := e.Status()
			return !ok && e.Signal() == "KILL" && e.Exit.Known
		}},
		"by sh": {"", Exit{Known: true, Status: 143}, func(e *EndError) bool { return e.Signal() == "TERM" }},
		"is gone": {"", Exit{}, func(e *EndError) bool {
			_, ok := e.Status()
			return !ok && e.Signal() == "" && !e.Exit.Known && e.IsEnd()
		}},
		"no hello": {wire.Magic + "\n{\"reply\":{\"id\":1}}\n", Exit{},
			func(e *EndError) bool { return errors.Is(e, errNoHello) && !e.IsEnd() }},
		"garbage": {wire.Magic + "\n" + hello + "oops\n", Exit{},
			func(e *EndError) bool { return strings.Contains(e.Error(), "oops") && !e.IsEnd() }},
		"strange": {wire.Magic + "\n" + hello + "{\"future\":{}}\n", Exit{},
			func(e *EndError) bool { return errors.Is(e, errUnknown) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, p := start(t, "")
				_, _ = io.WriteString(s.pipe.Words, "some words")
				go func() { p.say(c.says); p.end(c.exit) }()
				err := s.Magic(t.Context())
				if err == nil {
					_, err = s.Hello(t.Context())
				}
				for err == nil {
					_, err = s.Next()
				}
				if e, ok := errors.AsType[*EndError](err); !ok || !c.check(e) || e.Stderr != "some words" {
					t.Errorf("got %+v", err)
				}
				if p.killed.Load() == 0 {
					t.Error("what is of no use was not ended")
				}
			})
		})
	}
}

// A wait ends with the context, and so does the program that it waited for.
func TestGivingUp(t *testing.T) {
	for _, said := range []string{"", wire.Magic + "\n"} {
		synctest.Test(t, func(t *testing.T) {
			s, p := start(t, said)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err := s.Magic(ctx)
			if err == nil {
				_, err = s.Hello(ctx)
			}
			// the side that gave up killed it; a reader may do so once more
			if !errors.Is(err, context.DeadlineExceeded) || p.killed.Load() == 0 {
				t.Errorf("%q: %v, killed %d times", said, err, p.killed.Load())
			}
			p.end(Exit{})
		})
	}
}

// soleWriter fails the test if it is closed during a write.
type soleWriter struct {
	io.WriteCloser
	t    *testing.T
	busy atomic.Bool
}

func (w *soleWriter) Write(b []byte) (int, error) {
	w.busy.Store(true)
	defer w.busy.Store(false)
	time.Sleep(time.Second)
	return w.WriteCloser.Write(b)
}

func (w *soleWriter) Close() error {
	if w.busy.Load() {
		w.t.Error("closed while it is written: an ssh channel is not made for that")
	}
	return w.WriteCloser.Close()
}

func TestCloseWaitsForAWrite(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		s.pipe.In = &soleWriter{WriteCloser: s.pipe.In, t: t}
		go func() { _ = s.writeRequest(&question) }()
		synctest.Wait()
		_ = s.Close()
	})
}

package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// peer is the far end of a session, and the connection to it.
type peer struct {
	t     *testing.T
	in    *io.PipeReader
	out   *io.PipeWriter
	asked chan wire.Request // requests that have come
	exit  chan Exit
	ping  atomic.Pointer[func() error] // answers Ping; nil: it does

	pinged, killed, cut atomic.Int32 // how often
}

const hello = `{"hello":{"version":1,"host":"n","cpus":1,"gpus":[]}}` + "\n"

// start returns a session over pipes in memory with a far end that has written text.
func start(t *testing.T, text string) (*Session, *peer) {
	t.Helper()
	return startWith(t, text, nil)
}

func startWith(t *testing.T, text string, pulse *Pulse) (*Session, *peer) {
	t.Helper()
	in, toPeer := io.Pipe()
	fromPeer, out := io.Pipe()
	p := &peer{t: t, in: in, out: out, asked: make(chan wire.Request, 1000), exit: make(chan Exit, 1)}
	go func() {
		for lines := wire.NewReader(in); ; {
			var r wire.Request
			if lines.Next(&r) != nil {
				close(p.asked)
				return
			}
			p.asked <- r
		}
	}()
	kill := func() {
		p.killed.Add(1)
		_ = in.Close()
		_ = fromPeer.Close()
	}
	s := New(&Pipe{In: toPeer, Out: fromPeer, Words: NewWords(), Wait: func() Exit { return <-p.exit }, Kill: kill,
		Pulse: pulse}, DefaultLimits)
	p.say(text)
	return s, p
}

func (p *peer) Ping(context.Context) error {
	p.pinged.Add(1)
	if answer := p.ping.Load(); answer != nil {
		return (*answer)()
	}
	return nil
}

func (p *peer) answers(ping func() error) { p.ping.Store(&ping) }

func (p *peer) Close() error {
	p.cut.Add(1)
	return nil
}

func (p *peer) say(text string) {
	if _, err := io.WriteString(p.out, text); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		p.t.Error(err)
	}
}

// end is the end of the far program.
func (p *peer) end(e Exit) {
	p.exit <- e
	_ = p.out.Close()
}

// open returns a session that has said Hello and is tended. Reasons become errors that begin with "explained".
func open(t *testing.T) (*Session, *peer) {
	t.Helper()
	return openWith(t, nil)
}

func openWith(t *testing.T, pulse *Pulse) (*Session, *peer) {
	t.Helper()
	s, p := startWith(t, "noise\n"+wire.Magic+"\n"+hello, pulse)
	if err := s.Magic(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h, err := s.Hello(t.Context()); err != nil || h.Host != "n" {
		t.Fatal(h, err)
	}
	s.Tend(p, func(err error) error { return fmt.Errorf("explained: %w", err) })
	if m, err := s.Next(); err != nil || m.Hello == nil {
		t.Fatalf("first message %+v, %v", m, err)
	}
	return s, p
}

// within runs test in a bubble. All its goroutines must have ended when it returns.
func within(t *testing.T, test func(t *testing.T, s *Session, p *peer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, p := open(t)
		test(t, s, p)
		p.finish(s)
	})
}

// finish closes a session and ends its far end.
func (p *peer) finish(s *Session) {
	select {
	case p.exit <- Exit{}:
	default:
	}
	_ = s.Close()
	_ = p.out.Close()
}

var question = wire.Request{Environ: &wire.ProcessID{PID: 7}}

// Each answer reaches its question, in any order; an answer without a question is dropped.
func TestCalls(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				r, err := s.Call(t.Context(), wire.Request{ID: 1, Environ: &wire.ProcessID{PID: i}})
				if want := fmt.Sprint("of ", i); err != nil || r.Error != want {
					t.Errorf("question %d: %+v, %v", i, r, err)
				}
			})
		}
		var asked []wire.Request
		for range 20 {
			asked = append(asked, <-p.asked)
		}
		s.id.Add(21) // as after so many signs of life: their answers may come
		p.say(`{"reply":{"id":999999}}` + "\n")
		for i := range asked {
			r := asked[len(asked)-1-i]
			p.say(fmt.Sprintf("{\"reply\":{\"id\":%d,\"error\":\"of %d\"}}\n", r.ID, r.Environ.PID))
			p.say(fmt.Sprintf("{\"reply\":{\"id\":%d,\"error\":\"again\"}}\n", r.ID))
		}
		wg.Wait()
		p.say("{\"report\":{\"seq\":3}}\n")
		if m, err := s.Next(); err != nil || m.Report == nil || m.Report.Seq != 3 {
			t.Errorf("after the answers: %+v, %v", m, err)
		}
	})
}

func TestCallsEndWithTheirContextAndTheSession(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Call(ctx, question); !errors.Is(err, context.DeadlineExceeded) ||
			!errors.Is(err, reach.ErrNoReply) {
			t.Errorf("no answer: %v", err)
		}
		failed := make(chan error)
		go func() { _, err := s.Call(t.Context(), question); failed <- err }()
		synctest.Wait()
		p.end(Exit{Known: true, Status: 3})
		var ended *EndError
		if err := <-failed; !errors.As(err, &ended) || !strings.HasPrefix(err.Error(), "no reply: explained") ||
			!errors.Is(err, reach.ErrNoReply) || ended.Exit.Status != 3 {
			t.Errorf("a session that ends: %v", err)
		}
		if _, err := s.Call(t.Context(), question); !errors.As(err, &ended) || errors.Is(err, reach.ErrNoReply) {
			t.Errorf("a session that has ended: %v", err)
		}
	})
}

// A request that could not be written has not arrived; a request that waits to be written may arrive.
func TestAFailedWriteHasNotArrived(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		_ = p.in.CloseWithError(errors.New("broken"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := s.Call(ctx, question); err == nil || errors.Is(err, reach.ErrNoReply) {
			t.Errorf("a write that fails: %v", err)
		}
	})
	within(t, func(t *testing.T, s *Session, p *peer) {
		s.writing <- struct{}{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Call(ctx, question); !errors.Is(err, reach.ErrNoReply) {
			t.Errorf("a write that is stuck: %v", err)
		}
		<-s.writing
	})
}

// An answer that has arrived counts, even as the session ends.
func TestAnAnswerBeforeTheEndCounts(t *testing.T) {
	answer := make(chan wire.Reply, 1)
	answer <- wire.Reply{ID: 5}
	if r, err := new(Session).lastReply(answer, ErrClosed); err != nil || r.ID != 5 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestQuestionsAreBounded(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range maxPending {
			wg.Go(func() { _, _ = s.Call(ctx, question) })
		}
		synctest.Wait()
		if _, err := s.Call(ctx, question); !errors.Is(err, errTooMany) {
			t.Errorf("one more: %v", err)
		}
		cancel()
		wg.Wait()
		go func() {
			for r := range p.asked {
				p.say(fmt.Sprintf("{\"reply\":{\"id\":%d}}\n", r.ID))
			}
		}()
		if _, err := s.Call(t.Context(), question); err != nil {
			t.Errorf("when there is room again: %v", err)
		}
	})
}

// A far end that answers without a question is not a probe.
func TestAnswersAreCounted(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		go func() {
			p.say("{\"reply\":{\"id\":" + strconv.FormatUint((<-p.asked).ID, 10) + "}}\n")
			p.say("{\"report\":{\"seq\":1}}\n{\"reply\":{\"id\":2}}\n{\"reply\":{\"id\":3}}\n")
		}()
		if _, err := s.Call(t.Context(), question); err != nil {
			t.Fatal(err)
		}
		if m, err := s.Next(); err != nil || m.Report == nil {
			t.Fatalf("got %+v, %v", m, err)
		}
		if _, err := s.Next(); !errors.Is(err, ErrUnasked) {
			t.Errorf("after an answer to no question: %v", err)
		}
	})
}

// A far end that writes more to standard error than any probe is cut off.
func TestFloodOfWords(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		for range maxStderr / 1024 {
			_, _ = s.pipe.Words.Write(make([]byte, 1024))
		}
		if s.life.Err() != nil {
			t.Fatal("the session ended too soon")
		}
		_, _ = s.pipe.Words.Write([]byte("x"))
		if _, err := s.Next(); !errors.Is(err, ErrWords) || p.killed.Load() == 0 {
			t.Errorf("Next returned %v, killed %d times", err, p.killed.Load())
		}
	})
}

// A flood of reports does not delay the end: Close wins, and hands out nothing after it.
func TestCloseEndsAFlood(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		flooding := make(chan struct{})
		go func() {
			defer close(flooding)
			for {
				if _, err := io.WriteString(p.out, strings.Repeat("{\"report\":{\"seq\":1}}\n", 100)); err != nil {
					return
				}
			}
		}()
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
		p.exit <- Exit{}
		began := time.Now()
		_ = s.Close()
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("Close took %v", took)
		}
		for range 20 {
			if m, err := s.Next(); !errors.Is(err, ErrClosed) {
				t.Fatalf("after Close: %+v, %v", m, err)
			}
		}
		<-flooding
	})
}

// A far end that reads nothing any more delays no question, and not the end.
func TestStuckPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fromPeer, out := io.Pipe()
		stuck, cut := make(chan struct{}), make(chan struct{})
		s := New(&Pipe{In: stuckWriter(stuck), Out: fromPeer, Words: NewWords(),
			Wait: func() Exit { <-cut; return Exit{} }, Kill: func() {}}, DefaultLimits)
		_, _ = io.WriteString(out, wire.Magic+"\n"+hello)
		if _, err := s.Hello(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Tend(cutter{func() { close(cut); close(stuck); _ = fromPeer.Close() }}, func(err error) error { return err })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Call(ctx, question); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Call returned %v", err)
		}
		began := time.Now()
		_ = s.Close()
		if took := time.Since(began); took > DefaultLimits.Closing {
			t.Errorf("Close took %v", took)
		}
	})
}

type stuckWriter chan struct{}

func (w stuckWriter) Write(p []byte) (int, error) { <-w; return 0, io.ErrClosedPipe }
func (w stuckWriter) Close() error                { <-w; return nil }

// cutter is a connection that is up, with a reaction to its cut.
type cutter struct{ close func() }

func (cutter) Ping(context.Context) error { return nil }
func (c cutter) Close() error             { c.close(); return nil }

// A probe hears signs of life for as long as the session lives. While nothing comes back, the connection is asked.
func TestSignsOfLife(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if n := len(p.asked); n != 15 {
			t.Errorf("%d signs of life in 5 minutes, want 15", n)
		}
		for range len(p.asked) {
			if r := <-p.asked; r.Alive == nil || r.ID == 0 {
				t.Errorf("request %+v", r)
			}
		}
		if p.pinged.Load() != 15 {
			t.Errorf("the way was asked %d times, want 15", p.pinged.Load())
		}
		select {
		case <-s.life.Done():
			t.Error("the session ended although the way answers")
		default:
		}
	})
}

func TestSilence(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		p.answers(func() error { return errors.New("no answer") })
		began := time.Now()
		if _, err := s.Next(); !errors.Is(err, ErrSilent) || time.Since(began) != DefaultLimits.Silence {
			t.Errorf("Next returned %v after %v", err, time.Since(began))
		}
	})
}

// Any message from the probe postpones the silence, to the second.
func TestBytesAreASignOfLife(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		p.answers(func() error { return errors.New("no answer") })
		time.Sleep(29 * time.Second)
		go p.say("{\"report\":{}}\n")
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := s.Next(); !errors.Is(err, ErrSilent) || time.Since(began) != DefaultLimits.Silence {
			t.Errorf("Next returned %v after %v", err, time.Since(began))
		}
	})
}

// A panic of ours in a goroutine of the session ends the session, not the program.
func TestPanicsEndTheSession(t *testing.T) {
	within(t, func(t *testing.T, s *Session, p *peer) {
		p.answers(func() error { panic("the moon fell down") })
		_, err := s.Next()
		if f, ok := errors.AsType[*reach.Failure](err); !ok || !strings.HasPrefix(f.Words, "the moon fell down\n") {
			t.Errorf("Next returned %v", err)
		}
	})
	within(t, func(t *testing.T, s *Session, p *peer) {
		s.way = cutter{func() { panic("the moon fell down") }}
		p.exit <- Exit{}
		_ = s.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		s := New(&Pipe{Out: r, Words: NewWords(), Wait: func() Exit { panic("the moon fell down") },
			Kill: func() { _ = w.Close() }}, DefaultLimits)
		if err := s.Magic(t.Context()); !errors.As(err, new(*reach.Failure)) {
			t.Errorf("Magic returned %v", err)
		}
		_ = w.Close()
	})
}

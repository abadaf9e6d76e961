package link

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/quiet"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Limits are the beats and the deadlines of a Session.
type Limits struct {
	Driver  time.Duration // from the probe's start to its Hello: NVML without persistence mode takes long
	Alive   time.Duration // between two signs of life
	Silence time.Duration // without a byte from the far end
	Exit    time.Duration // for the exit status after the end of the output
	Closing time.Duration // for the probe to end by itself
}

// DefaultLimits are for the real world. Alive is far below wire.SilenceMS, after which a probe ends itself.
var DefaultLimits = Limits{
	Driver: 30 * time.Second, Alive: 20 * time.Second, Silence: 30 * time.Second, Exit: 2 * time.Second, Closing: 500 * time.Millisecond,
}

// Session is a program at the far end of a pipe that is, or is to become, a probe.
type Session struct {
	pipe     *Pipe
	limits   Limits
	greeted  chan struct{} // closed when the magic line has come
	messages chan wire.Message
	exited   chan struct{} // closed when exit is known
	exit     Exit
	life     context.Context         // ends with the session: its cause is why
	end      context.CancelCauseFunc // of life; the first cause counts
	silence  *quiet.Watch            // hears the bytes that come
	id       atomic.Uint64           // of the last request

	// Set by Tend, before the session is handed out.
	way     Way
	explain func(error) error
	hello   *wire.Hello // until Next has handed it out

	writing sync.Mutex
	closing sync.Once

	mu      sync.Mutex // protects the following
	beat    *time.Timer
	pending map[uint64]chan<- wire.Reply
}

// New makes a Session over p, and begins to read from it.
func New(p *Pipe, l Limits) *Session {
	s := &Session{
		pipe: p, limits: l, greeted: make(chan struct{}), messages: make(chan wire.Message), exited: make(chan struct{}),
		silence: quiet.New(), explain: func(err error) error { return err }, pending: map[uint64]chan<- wire.Reply{},
	}
	s.life, s.end = context.WithCancelCause(context.Background())
	p.Words.Guard(maxStderr, func() {
		s.end(&EndError{Read: ErrWords, Stderr: p.Words.String()})
		p.Kill()
	})
	go s.await()
	go s.read()
	return s
}

// guard ends the session when what runs panics. It is to be deferred.
func (s *Session) guard() {
	if p := recover(); p != nil {
		s.end(reach.Mistake(p))
	}
}

func (s *Session) await() {
	defer close(s.exited)
	defer s.guard()
	s.exit = s.pipe.Wait()
}

// read reads until the output ends or is of no use.
func (s *Session) read() {
	defer s.guard()
	lines := wire.NewReader(&listener{s})
	if err := lines.SkipToMagic(); err != nil {
		s.end(s.autopsy(err))
		return
	}
	close(s.greeted)
	answers := uint64(0)
	for first := true; s.life.Err() == nil; first = false {
		var m wire.Message
		err := lines.Next(&m)
		switch {
		case err != nil:
		case first && m.Hello == nil:
			err = errNoHello
		case m.Reply != nil && answers == s.id.Load():
			err = ErrUnasked
		case m.Reply != nil:
			answers++
			s.answered(m.Reply)
			continue
		case m.Hello == nil && m.Report == nil:
			err = errUnknown
		}
		if err != nil {
			s.end(s.autopsy(err))
			return
		}
		select {
		case s.messages <- m:
		case <-s.life.Done():
			return
		}
	}
}

// listener notes when something came.
type listener struct{ s *Session }

func (l *listener) Read(p []byte) (int, error) {
	n, err := l.s.pipe.Out.Read(p)
	if n > 0 {
		l.s.silence.Heard()
	}
	return n, err
}

// autopsy finds out why nothing more is to be read: readErr is the reader's word for it. An output that is of no use ends the program;
// after a plain end its exit status is on the way.
func (s *Session) autopsy(readErr error) *EndError {
	e := &EndError{Read: readErr}
	if noise, ok := errors.AsType[*wire.NoiseError](readErr); ok {
		e.Noise = noise.Noise
	}
	if e.IsEnd() {
		select {
		case <-s.exited:
			e.Exit = s.exit
		case <-s.life.Done():
		case <-time.After(s.limits.Exit):
		}
	}
	s.pipe.Kill()
	e.Stderr = s.pipe.Words.String()
	return e
}

// Magic returns nil once the far end has said that it is a probe; else an *EndError, or why ctx ended. The session is of no use then.
func (s *Session) Magic(ctx context.Context) error {
	select {
	case <-s.greeted:
		return nil
	case <-s.life.Done():
		select {
		case <-s.greeted: // what came then is for Hello to tell
			return nil
		default:
			return context.Cause(s.life)
		}
	case <-ctx.Done():
		return s.late(ctx)
	}
}

// late ends a session that nobody has got yet, with what runs there. What that has said so far may tell why it took so long.
func (s *Session) late(ctx context.Context) error {
	s.end(ErrClosed)
	s.pipe.Kill()
	return &EndError{Read: context.Cause(ctx), Stderr: s.pipe.Words.String()}
}

// Hello waits for the probe's Hello. Its errors are those of Magic.
func (s *Session) Hello(ctx context.Context) (*wire.Hello, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.Driver)
	defer cancel()
	select {
	case m := <-s.messages:
		s.hello = m.Hello
		return m.Hello, nil
	case <-s.life.Done():
		return nil, context.Cause(s.life)
	case <-ctx.Done():
		return nil, s.late(ctx)
	}
}

// Tend keeps a session that has said Hello alive until it ends, over way. explain makes of the reason for that what Next and Call return.
func (s *Session) Tend(way Way, explain func(error) error) {
	s.way, s.explain = way, explain
	s.silence.Heard()
	s.silence.Start(s.limits.Silence, func(time.Duration) { s.end(ErrSilent) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beat = time.AfterFunc(s.limits.Alive, s.keepAlive)
}

// keepAlive tells the probe that somebody is here, else it ends itself. Its answer also proves that the way back works. When even so
// nothing has come for a while, the way is asked: an answer keeps the session while the probe is busy, and without one the silence ends it.
func (s *Session) keepAlive() {
	defer s.guard()
	if s.write(&wire.Request{ID: s.id.Add(1), Alive: &wire.Alive{}}) != nil {
		return // the pipe is gone: read says so
	}
	if s.silence.Quiet() > s.limits.Alive/2 {
		ctx, cancel := context.WithTimeout(context.Background(), s.limits.Silence)
		err := s.way.Ping(ctx)
		cancel()
		if err == nil {
			s.silence.Heard()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() == nil {
		s.beat.Reset(s.limits.Alive)
	}
}

// Next returns the probe's next Hello or Report, the first Hello first. An error ends the session. After the end there is no message, even
// if one is waiting.
func (s *Session) Next() (wire.Message, error) {
	if hello := s.hello; hello != nil {
		s.hello = nil
		return wire.Message{Hello: hello}, nil
	}
	if s.life.Err() == nil {
		select {
		case m := <-s.messages:
			return m, nil
		case <-s.life.Done():
		}
	}
	return wire.Message{}, s.explain(context.Cause(s.life))
}

// Close ends the session. The probe ends when its input does, which takes a moment; after it, or when that takes too long, the way is
// cut whatever the far end does.
func (s *Session) Close() error {
	s.closing.Do(func() {
		defer s.guard()
		s.end(ErrClosed)
		s.mu.Lock()
		s.beat.Stop()
		s.mu.Unlock()
		s.silence.Stop()
		go func() { // it may be stuck, like all that is sent
			defer s.guard()
			_ = s.pipe.In.Close() // an input that is closed already is as good
		}()
		s.waitExit()
		s.pipe.Kill()
		_ = s.way.Close() // there is nobody left to whom an error would matter
		s.waitExit()
	})
	return nil
}

// waitExit gives the far end its time to end.
func (s *Session) waitExit() {
	select {
	case <-s.exited:
	case <-time.After(s.limits.Closing):
	}
}

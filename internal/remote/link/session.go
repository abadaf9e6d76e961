package link

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Limits are the intervals and deadlines of a Session.
type Limits struct {
	Driver  time.Duration // from the probe's start to its Hello: NVML is slow without persistence mode
	Alive   time.Duration // between two signs of life
	Silence time.Duration // the longest time without a byte from the far end
	Exit    time.Duration // to wait for the exit status after the output has ended
	Closing time.Duration // to wait for the probe to exit by itself
}

// DefaultLimits suit real nodes. Alive is far below wire.SilenceMS, after which a probe exits.
var DefaultLimits = Limits{
	Driver: 30 * time.Second, Alive: 20 * time.Second, Silence: 30 * time.Second, Exit: 2 * time.Second,
	Closing: 500 * time.Millisecond,
}

// Session is a program at the far end of a pipe that is a probe, or should become one.
type Session struct {
	pipe     *Pipe
	limits   Limits
	greeted  chan struct{} // closed when the magic line was received
	noise    string        // output before that line; valid once the line was received
	messages chan wire.Message
	exited   chan struct{} // closed when exit is known
	exit     Exit
	life     context.Context         // ends with the session; its cause says why
	end      context.CancelCauseFunc // of life; the first cause counts
	silence  *bell.Watchdog          // hears each byte received
	id       atomic.Uint64           // of the last request

	// Set by Tend, before others use the session.
	way     PipeConn
	explain func(error) error
	hello   *wire.Hello // held until Next has returned it

	writing chan struct{} // holds a token while pipe.In is written or closed
	closing atomic.Bool
	closed  chan struct{} // closed when Close has freed everything

	mu      sync.Mutex // protects the following
	beat    *time.Timer
	pending map[uint64]chan<- wire.Reply
}

// New returns a Session over p and starts reading from it.
func New(p *Pipe, l Limits) *Session {
	s := &Session{
		pipe: p, limits: l, greeted: make(chan struct{}), messages: make(chan wire.Message),
		exited:  make(chan struct{}),
		silence: bell.NewWatchdog(), explain: func(err error) error { return err }, pending: map[uint64]chan<- wire.Reply{},
		writing: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	s.life, s.end = context.WithCancelCause(context.Background())
	p.Words.Guard(maxStderr, func() {
		s.end(&EndError{Read: ErrWords, Stderr: p.Words.String()})
		p.Kill()
	})
	crash.Go(s.noteExit)
	crash.Go(s.readMessages)
	return s
}

// catchPanic, deferred, ends the session on a panic.
func (s *Session) catchPanic() {
	if p := recover(); p != nil {
		s.end(reach.Mistake(p))
	}
}

func (s *Session) noteExit() {
	defer close(s.exited)
	defer s.catchPanic()
	s.exit = s.pipe.Wait()
}

// decodeJSON uses encoding/json/v2, from the module that has it until it is in the standard library: with it a report
// costs a sixth less CPU time. It also refuses input that no probe writes: duplicate keys in an object, and text that
// is not UTF-8.
func decodeJSON(text []byte, v any) error { return json.Unmarshal(text, v) }

// readMessages reads until the output ends or is unusable.
func (s *Session) readMessages() {
	defer s.catchPanic()
	lent := &lentReader{from: &listener{s}}
	lines := wire.NewReaderWith(lent.ReadSlice, decodeJSON)
	if err := lines.SkipToMagic(); err != nil {
		s.end(s.explainEnd(err))
		return
	}
	s.noise = lines.Noise()
	close(s.greeted)
	answers := uint64(0)
	for greeted := false; s.life.Err() == nil; greeted = true {
		m, err := nextMessage(lines)
		for err == nil && m.Reply != nil && answers < s.countAsked() { // even before the Hello (Pulse)
			answers++
			s.passReply(m.Reply)
			m, err = nextMessage(lines)
		}
		switch {
		case err != nil:
		case !greeted && m.Hello == nil:
			err = errNoHello
		case m.Reply != nil:
			err = ErrUnasked
		case m.Hello == nil && m.Report == nil:
			err = errUnknown
		}
		if err != nil {
			s.end(s.explainEnd(err))
			return
		}
		select {
		case s.messages <- m:
		case <-s.life.Done():
			return
		}
	}
}

// nextMessage reads a message. Decoding needs a deep stack.
func nextMessage(lines *wire.Reader) (m wire.Message, err error) {
	if err = lines.ReadLine(); err != nil {
		return m, err
	}
	crash.RunAside(func() { err = lines.Decode(&m) })
	return m, err
}

// countAsked returns how many answers may have come.
func (s *Session) countAsked() uint64 {
	if s.pipe.Pulse == nil {
		return s.id.Load()
	}
	return s.id.Load() + s.pipe.Pulse.sent.Load()
}

// listener notes when bytes are received.
type listener struct{ s *Session }

func (l *listener) Read(p []byte) (int, error) {
	n, err := l.s.pipe.Out.Read(p)
	if n > 0 {
		l.s.silence.Heard()
	}
	return n, err
}

// explainEnd explains why reading ended with readErr. If the output is unusable, it ends the program; after a plain end
// of output, the exit status is about to arrive.
func (s *Session) explainEnd(readErr error) *EndError {
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

// Magic returns nil once the far end has said that it is a probe. Otherwise it returns an *EndError, and the session is
// unusable.
func (s *Session) Magic(ctx context.Context) error {
	select {
	case <-s.greeted:
		return nil
	case <-s.life.Done():
		select {
		case <-s.greeted: // Hello returns the error
			return nil
		default:
			return context.Cause(s.life)
		}
	case <-ctx.Done():
		return s.endLate(ctx)
	}
}

// endLate ends a session that took too long to start. Its output so far may have the reason.
func (s *Session) endLate(ctx context.Context) error {
	s.end(ErrClosed)
	s.pipe.Kill()
	return &EndError{Read: context.Cause(ctx), Stderr: s.pipe.Words.String()}
}

// Noise returns the output of the far end before the magic line, limited in length. Call it only after Magic has
// returned nil.
func (s *Session) Noise() string { return s.noise }

// Hello waits for the probe's Hello. It fails like Magic.
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
		return nil, s.endLate(ctx)
	}
}

// Tend keeps a session alive over way, from its Hello to its end. explain turns the cause of the end into the error
// that Next and Call return.
func (s *Session) Tend(way PipeConn, explain func(error) error) {
	s.way, s.explain = way, explain
	s.silence.Heard()
	s.silence.Start(s.limits.Silence, func(time.Duration) { s.end(ErrSilent) })
	if s.pipe.Pulse != nil {
		s.pipe.Pulse.addSession(s)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beat = time.AfterFunc(s.limits.Alive, s.keepAlive)
}

// keepAlive sends the sign of life without which the probe exits, unless a Pulse sends it. The answer also proves that
// the way back works. If nothing has come for a while nevertheless, keepAlive pings the far end of the connection: if
// it answers, the session stays while the probe is busy; otherwise the silence ends the session.
func (s *Session) keepAlive() {
	defer s.catchPanic()
	if s.pipe.Pulse == nil && s.writeRequest(&wire.Request{ID: s.id.Add(1), Alive: &wire.Alive{}}) != nil {
		return // the pipe is broken: readMessages reports it
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

// Next returns the probe's next Hello or Report, the first Hello first. An error ends the session. After the end it
// returns no more messages, even if a message is waiting.
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

// Close ends the session. The probe exits when its input ends. Once it has exited, or takes too long, the connection is
// closed.
func (s *Session) Close() error {
	if s.closing.Swap(true) {
		<-s.closed
		return nil
	}
	defer close(s.closed)
	defer s.catchPanic()
	s.end(ErrClosed)
	s.mu.Lock()
	s.beat.Stop()
	s.mu.Unlock()
	s.silence.Stop()
	if s.pipe.Pulse != nil {
		s.pipe.Pulse.dropSession(s)
	}
	go func() { // may block while the connection is stuck
		defer s.catchPanic()
		s.writing <- struct{}{} // an ssh channel cannot be written and closed at the same time
		defer func() { <-s.writing }()
		_ = s.pipe.In.Close() // closed already is fine
	}()
	s.waitExit()
	s.pipe.Kill()
	_ = s.way.Close() // nobody is interested in the error
	s.waitExit()
	return nil
}

// waitExit gives the far end time to exit.
func (s *Session) waitExit() {
	select {
	case <-s.exited:
	case <-time.After(s.limits.Closing):
	}
}

// Package local runs the probe on this very host, as a child process, for a machine with GPUs and no SLURM: the same probe, protocol and
// screens as across a cluster, without ssh.
//
// Opener may be used from any goroutine. The child ends when its session is closed, or when this process dies: its standard input ends.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// helloWithin is how long a probe may take to its Hello: NVML's start takes seconds where no persistence daemon runs.
const helloWithin = 30 * time.Second

// Opener opens sessions to probes on this host.
type Opener struct {
	Executable string   // of the probe
	Args       []string // to it
}

// New returns an Opener for this program's own probe.
func New() (*Opener, error) {
	const running = "/proc/self/exe" // this very program, even if its file has been replaced since
	if _, err := os.Stat(running); err == nil {
		return &Opener{Executable: running, Args: []string{"probe"}}, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program's file: %w", err)
	}
	return &Opener{Executable: exe, Args: []string{"probe"}}, nil
}

// Open starts a probe. The name of the node is not looked at: there is one.
func (o *Opener) Open(ctx context.Context, _ string, step func(reach.Step)) (poller.Session, error) {
	began := time.Now()
	step(reach.Step{Stage: reach.StageProbe, State: reach.StepBegan, Text: "starting it on this host"})
	s, err := start(o)
	if err != nil {
		return nil, failed(step, began, fmt.Errorf("starting the probe: %w", err))
	}
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	alarm := time.AfterFunc(helloWithin, func() { _ = s.Close() })
	defer alarm.Stop()
	if err := s.hello(); err != nil {
		_ = s.Close()
		return nil, failed(step, began, fmt.Errorf("%s%w", s.words, err))
	}
	step(reach.Step{Stage: reach.StageProbe, State: reach.StepDone, Text: "runs on this host", Took: time.Since(began)})
	return s, nil
}

func failed(step func(reach.Step), began time.Time, err error) *reach.Failure {
	step(reach.Step{Stage: reach.StageProbe, State: reach.StepFailed, Text: err.Error(), Took: time.Since(began)})
	return &reach.Failure{Class: reach.ClassProbeFailed, Stage: reach.StageProbe, Summary: "the probe does not start", Words: err.Error()}
}

type session struct {
	cmd    *exec.Cmd
	kill   context.CancelFunc
	words  *capture // what it says on standard error
	in     io.WriteCloser
	out    io.Closer
	reader *wire.Reader
	first  *wire.Message // the Hello, until Next has given it out
	alive  *time.Ticker

	send  sync.Mutex // one request at a time
	close sync.Once
	done  chan struct{}
}

func start(o *Opener) (*session, error) {
	alive, kill := context.WithCancel(context.Background()) // the session outlives the ctx of Open; Close ends it
	cmd := exec.CommandContext(alive, o.Executable, o.Args...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		kill()
		return nil, err
	}
	words := &capture{}
	cmd.Stderr = words
	if err := cmd.Start(); err != nil {
		kill()
		return nil, err
	}
	s := &session{words: words, cmd: cmd, kill: kill, in: in, out: out, reader: wire.NewReader(out), done: make(chan struct{})}
	s.alive = time.NewTicker(wire.SilenceMS * time.Millisecond / 3)
	go s.keepAlive()
	return s, nil
}

func (s *session) hello() error {
	if err := s.reader.SkipToMagic(); err != nil {
		return err
	}
	var m wire.Message
	if err := s.reader.Next(&m); err != nil {
		return err
	}
	if m.Hello == nil {
		return errors.New("the probe did not say hello")
	}
	s.first = &m
	return nil
}

func (s *session) keepAlive() {
	for {
		select {
		case <-s.done:
			return
		case <-s.alive.C:
			if s.Send(wire.Request{Alive: &wire.Alive{}}) != nil {
				return
			}
		}
	}
}

// Next returns the probe's next message.
func (s *session) Next() (wire.Message, error) {
	if s.first != nil {
		m := *s.first
		s.first = nil
		return m, nil
	}
	var m wire.Message
	if err := s.reader.Next(&m); err != nil {
		return m, &reach.Failure{Class: reach.ClassClosed, Summary: "the probe has ended", Words: s.words.String() + err.Error()}
	}
	return m, nil
}

// Send writes one request.
func (s *session) Send(r wire.Request) error {
	s.send.Lock()
	defer s.send.Unlock()
	return wire.Write(s.in, r)
}

// Close ends the probe: by the end of its input first, by a signal when it has not gone within a moment. A probe that hangs in the
// driver cannot be ended by anybody; it is left behind then, and goes when the driver lets it.
func (s *session) Close() error {
	s.close.Do(func() {
		close(s.done)
		s.alive.Stop()
		_ = s.in.Close()
		time.AfterFunc(closing/2, s.kill)
		gone := make(chan struct{})
		go func() {
			_ = s.cmd.Wait() // its exit status tells nothing that the stream has not told
			close(gone)
		}()
		select {
		case <-gone:
		case <-time.After(closing):
			_ = s.out.Close() // a Next that waits returns
		}
	})
	return nil
}

// closing is how long Close waits for a probe to end.
const closing = time.Second

// capture keeps the beginning of what is written to it.
type capture struct {
	mu   sync.Mutex
	text []byte
}

const captured = 4 << 10

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = append(c.text, p[:min(len(p), captured-len(c.text))]...)
	return len(p), nil
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.text)
}

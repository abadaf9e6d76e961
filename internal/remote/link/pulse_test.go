package link

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

const answer = "{\"reply\":{\"id\":0}}\n"

// crowd is the far ends of several sessions, which read the same input.
type crowd struct {
	t        *testing.T
	asked    atomic.Int32
	deaf     atomic.Pointer[peer] // the peer that does not answer
	broken   atomic.Bool
	sessions []*Session

	mu    sync.Mutex // protects peers
	peers []*peer
}

// crowded returns sessions over one input. Only their probes answer for them.
func crowded(t *testing.T, n int) (*crowd, *Pulse) {
	t.Helper()
	c := &crowd{t: t}
	pulse := NewPulse(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	for range n {
		s, p := openWith(t, pulse)
		p.answers(func() error { return errors.New("no answer") })
		c.sessions, c.peers = append(c.sessions, s), append(c.peers, p)
	}
	return c, pulse
}

func (c *crowd) Write(line []byte) (int, error) {
	if c.broken.Load() {
		panic("the moon fell down")
	}
	c.asked.Add(1)
	var r wire.Request
	if err := wire.NewReader(bytes.NewReader(line)).Next(&r); err != nil || r.Alive == nil || r.ID != 0 {
		c.t.Errorf("%q is no sign of life: %v", line, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.peers {
		if p != c.deaf.Load() {
			p.say(answer)
		}
	}
	return len(line), nil
}

func (c *crowd) finish() {
	for i, p := range c.peers {
		p.finish(c.sessions[i])
	}
}

// Sessions over one input send one sign of life per interval, all together, for as long as any session is open.
func TestOneSignOfLifeForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, pulse := crowded(t, 3)
		sent := func(during time.Duration, want int32) {
			t.Helper()
			before := c.asked.Load()
			time.Sleep(during)
			if got := c.asked.Load() - before; got != want {
				t.Errorf("%d signs of life in %v, want %d", got, during, want)
			}
		}
		sent(5*time.Minute+time.Second, 15)
		for i, s := range c.sessions {
			if own := len(c.peers[i].asked); own != 0 || s.life.Err() != nil {
				t.Errorf("session %d sent %d signs of its own, and ended with %v", i, own, s.life.Err())
			}
		}
		c.peers[0].finish(c.sessions[0])
		c.peers[1].finish(c.sessions[1])
		sent(time.Minute, 3)
		c.finish()
		sent(time.Hour, 0)
		s, p := openWith(t, pulse)
		sent(25*time.Second, 1)
		p.finish(s)
	})
}

// A probe that does not answer is lost as soon as it would be alone, and no other probe is.
func TestSilenceInACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := crowded(t, 3)
		defer c.finish()
		time.Sleep(time.Minute + time.Second) // a second after the last answer
		c.deaf.Store(c.peers[1])
		began := time.Now()
		if _, err := c.sessions[1].Next(); !errors.Is(err, ErrSilent) ||
			time.Since(began) != DefaultLimits.Silence-time.Second {
			t.Errorf("Next returned %v after %v", err, time.Since(began))
		}
		time.Sleep(5 * time.Minute)
		for _, i := range []int{0, 2} {
			if err := c.sessions[i].life.Err(); err != nil {
				t.Errorf("session %d ended with it: %v", i, err)
			}
		}
	})
}

// A probe answers a shared sign of life as soon as it runs, but only signs that were sent.
func TestAnswersToAPulseAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		says string
		want error
	}{
		"before the hello":         {answer + hello + "{\"report\":{\"seq\":1}}\n", nil},
		"twice before the hello":   {answer + answer + hello, errNoHello},
		"after the hello":          {hello + answer + "{\"report\":{\"seq\":1}}\n", nil},
		"twice":                    {hello + answer + answer, ErrUnasked},
		"before and after a hello": {answer + hello + answer, ErrUnasked},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crowd, pulse := crowded(t, 1)
				defer crowd.finish()
				time.Sleep(25 * time.Second)
				s, p := startWith(t, wire.Magic+"\n", pulse)
				p.answers(func() error { return errors.New("no answer") })
				go p.say(c.says)
				_, err := s.Hello(t.Context())
				s.Tend(p, func(err error) error { return err })
				for m := (wire.Message{}); err == nil && m.Report == nil; {
					m, err = s.Next()
				}
				if !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				p.finish(s)
			})
		})
	}
}

// A panic of ours in a shared sign of life ends the sessions that share it, not the program.
func TestAPanicEndsAllThatShareIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := crowded(t, 2)
		defer c.finish()
		c.broken.Store(true)
		for _, s := range c.sessions {
			_, err := s.Next()
			if f, ok := errors.AsType[*reach.Failure](err); !ok || !strings.HasPrefix(f.Words, "the moon fell down\n") {
				t.Errorf("Next returned %v", err)
			}
		}
	})
}

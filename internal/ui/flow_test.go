package ui

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// slowLink is a terminal behind a link with endless buffers, as those of a kernel, of sshd and of TCP seem to be.
type slowLink struct {
	rate  int           // bytes per second
	delay time.Duration // each way
	deaf  bool          // it never answers
	reply func(string)

	mu    sync.Mutex // protects the following
	free  time.Time  // when the link has sent all that was written
	asked int
	lags  []time.Duration // of each frame, from its drawing
	drawn map[string]time.Time
}

// Write takes all at once.
func (l *slowLink) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(len(p)) * time.Second / time.Duration(l.rate))
	shown := l.free.Add(l.delay)
	for stamp, at := range l.drawn {
		if bytes.Contains(p, []byte(stamp)) {
			l.lags = append(l.lags, shown.Sub(at))
		}
	}
	if bytes.Contains(p, []byte(question)) {
		if l.asked++; !l.deaf {
			time.AfterFunc(time.Until(shown.Add(l.delay)), func() { l.reply(fine) })
		}
	}
	return len(p), nil
}

// busy shows a frame in which nearly everything has changed every 50 ms, for a while, and returns how far each frame that was shown lagged.
func busy(l *slowLink, asks bool, during time.Duration) []time.Duration {
	term := newTerminal(l)
	term.flow.asks = asks
	l.drawn, l.reply = map[string]time.Time{}, term.answered
	term.start()
	r := rand.New(rand.NewPCG(1, 2))
	for i, end := 0, time.Now().Add(during); time.Now().Before(end); i++ {
		c, stamp := draw.New(120, 40), fmt.Sprintf("<%06d>", i)
		for y := range 40 {
			c.Put(0, y, strings.Repeat(string(rune('a'+r.IntN(26))), 120), draw.Text)
		}
		c.Put(0, i%37, stamp, draw.Text) // what is sent of it is all of it
		l.mu.Lock()
		l.drawn[stamp] = time.Now()
		l.mu.Unlock()
		term.show(plainTheme, c, tea.View{})
		time.Sleep(50 * time.Millisecond)
	}
	synctest.Wait()
	term.close()
	time.Sleep(time.Minute)
	return l.lags
}

// Behind a slow link the picture lags by a round trip and two frames at most, however fast frames come: those between are skipped.
func TestASlowLinkSkipsFrames(t *testing.T) {
	const round = 300 * time.Millisecond
	one := time.Duration(41*120) * time.Second / 50_000
	synctest.Test(t, func(t *testing.T) {
		lags := busy(&slowLink{rate: 50_000, delay: round / 2}, true, 20*time.Second)
		for i, lag := range lags {
			if lag > round+2*one {
				t.Errorf("frame %d of %d is seen after %v", i, len(lags), lag)
			}
		}
		if len(lags) < 30 {
			t.Errorf("%d frames in 20 s", len(lags))
		}
		worst := busy(&slowLink{rate: 50_000, delay: round / 2}, false, 20*time.Second)
		if last := worst[len(worst)-1]; last < 10*round {
			t.Errorf("without questions the last of %d frames is seen after %v: the link is not slow", len(worst), last)
		}
	})
}

// A terminal on this host gets every frame.
func TestAFastTerminalGetsAllFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if lags := busy(&slowLink{rate: 1 << 30}, true, 10*time.Second); len(lags) != 200 {
			t.Errorf("%d of 200 frames are seen", len(lags))
		}
	})
}

// A terminal that does not answer is asked once, and shows its frames.
func TestADeafTerminalIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &slowLink{rate: 1 << 30, deaf: true}
		if lags := busy(l, true, 10*time.Second); l.asked != 1 || len(lags) < 150 {
			t.Errorf("asked %d times, %d frames", l.asked, len(lags))
		}
	})
}

package terminal

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// slowLink is a terminal behind a link with endless buffers, as those of a kernel, of sshd and of TCP seem to be.
type slowLink struct {
	rate  int           // bytes per second
	delay time.Duration // each way
	deaf  bool          // it never answers
	loses int           // the number of the answer that is lost; 0: none is
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
		if l.asked++; !l.deaf && l.asked != l.loses {
			time.AfterFunc(time.Until(shown.Add(l.delay)), func() { l.reply(fine) })
		}
	}
	return len(p), nil
}

// busy shows a frame in which nearly everything has changed every 50 ms, for a while, and returns how far each frame
// that was shown lagged.
func busy(l *slowLink, asks bool, during time.Duration) []time.Duration {
	term := New(l)
	term.flow.asks = asks
	l.drawn, l.reply = map[string]time.Time{}, term.Answered
	term.startWriter()
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
		term.Show(plainTheme, c, tea.View{})
		time.Sleep(50 * time.Millisecond)
	}
	synctest.Wait()
	term.Close()
	time.Sleep(time.Minute)
	return l.lags
}

// Behind a slow link the picture lags by a round trip and two frames at most, however fast frames come: those between
// are skipped.
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

// A terminal whose first answer is late is asked again from then on.
func TestALateFirstAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &slowLink{rate: 1 << 30, delay: deafAfter * 3 / 4}
		if busy(l, true, 30*time.Second); l.asked < 5 {
			t.Errorf("asked %d times", l.asked)
		}
	})
}

// A link of 2 kB/s takes longer for the first frame than an answer is waited for, and then has many frames to send.
// Later, what is seen is as new as the link allows: the answers to earlier questions are not taken for those to later
// ones.
func TestAVerySlowLinkCatchesUp(t *testing.T) {
	const round = 100 * time.Millisecond
	one := time.Duration(41*120) * time.Second / 2000
	synctest.Test(t, func(t *testing.T) {
		l := &slowLink{rate: 2000, delay: round / 2}
		lags := busy(l, true, 3*time.Minute)
		if len(lags) < 60 {
			t.Fatalf("%d frames in 3 minutes", len(lags))
		}
		for i, lag := range lags[len(lags)-40:] {
			if lag > round+2*one {
				t.Errorf("of the last 40 frames, frame %d is seen after %v", i, lag)
			}
		}
	})
}

// An answer that is lost holds the frames up for a while, once.
func TestALostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &slowLink{rate: 1 << 30, loses: 3}
		if lags := busy(l, true, time.Minute); l.asked < 700 || len(lags) < 700 || len(lags) > 1100 {
			t.Errorf("asked %d times, %d of 1200 frames", l.asked, len(lags))
		}
	})
}

// asking is a terminal with an open question, and all that was written to it.
func asking(t *testing.T) (*Terminal, *frozen) {
	out := &frozen{thawed: make(chan struct{})}
	close(out.thawed)
	term := New(out)
	term.flow.asks = true
	term.startWriter()
	t.Cleanup(term.Close)
	large(term, 'a')
	synctest.Wait()
	if !bytes.Contains(out.all(), []byte(question)) {
		t.Fatal("it asks nothing")
	}
	return term, out
}

// large shows more than a window.
func large(t *Terminal, letter rune) {
	c := draw.New(120, 40)
	for y := range 40 {
		c.Put(0, y, strings.Repeat(string(letter), 120), draw.Text)
	}
	t.Show(plainTheme, c, tea.View{})
}

// all is what was written so far.
func (f *frozen) all() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Join(f.writes, nil)
}

// Ctrl-Z waits for the answer, as quitting does, a second at most; another Ctrl-Z meanwhile is none.
func TestCtrlZWaitsForTheAnswer(t *testing.T) {
	const round = 200 * time.Millisecond
	for _, test := range []struct{ answers, want time.Duration }{{round, round}, {time.Hour, closing}} {
		synctest.Test(t, func(t *testing.T) {
			term, _ := asking(t)
			s := NewShell(io.Discard, nil, term)
			ctrlZ := tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl}
			waits, ok := s.Filter(nil, ctrlZ).(tea.BatchMsg)
			if !ok || len(waits) != 1 {
				t.Fatalf("it does not wait: %v", waits)
			}
			if again := s.Filter(nil, ctrlZ); again != nil {
				t.Errorf("the second Ctrl-Z is %T", again)
			}
			answer := time.AfterFunc(test.answers, func() { term.Answered(fine) })
			defer answer.Stop()
			begin := time.Now()
			if waits[0](); time.Since(begin) != test.want {
				t.Errorf("answered after %v, it waits %v", test.answers, time.Since(begin))
			}
		})
	}
}

// Who had the terminal meanwhile got the answer: it is not waited for when the terminal is taken again. Questions are
// asked as before.
func TestAQuestionIsNotOpenAfterSuspension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		term, out := asking(t)
		term.Answered(fine)
		large(term, 'b')
		synctest.Wait()
		term.Hush(nil)
		term.suspendOutput()
		before := len(out.all())
		large(term, 'c')
		term.resumeOutput()
		synctest.Wait()
		got := string(out.all()[before:])
		if !strings.HasPrefix(got, enter) || !strings.Contains(got, "ccc") || !strings.HasSuffix(got, question) {
			t.Errorf("after the suspension it writes %.100q", got)
		}
	})
}

// A text for the clipboard waits for the answer as frames do, and its bytes count as theirs; the end of the program
// does not lose it.
func TestTheClipboardIsPartOfTheFlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		term, out := asking(t)
		before := len(out.all())
		term.Copy(strings.Repeat("x", window))
		if synctest.Wait(); len(out.all()) > before {
			t.Errorf("while a question is open it writes %.100q", out.all()[before:])
		}
		term.Answered(fine)
		if synctest.Wait(); !bytes.HasSuffix(out.all(), []byte(question)) {
			t.Errorf("after the answer it writes %.100q, without a question", out.all()[before:])
		}
		term.Copy("last")
		synctest.Wait()
		term.Close()
		if last := "\x1b]52;c;bGFzdA==\a" + leave; !bytes.HasSuffix(out.all(), []byte(last)) {
			t.Errorf("the end is %q", out.all()[len(out.all())-100:])
		}
	})
}

// The end of a suspended program writes nothing to a terminal that is another's.
func TestTheClipboardOfOthersIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		term, out := asking(t)
		term.suspendOutput()
		before := len(out.all())
		term.Copy("last")
		synctest.Wait()
		if term.Close(); len(out.all()) > before {
			t.Errorf("it writes %q", out.all()[before:])
		}
	})
}

// Some emulators answer with DEC's private mark, as if they had been asked with it.
func TestBothFormsOfTheAnswerCount(t *testing.T) {
	for answer, want := range map[string]bool{fine: true, fineDEC: true, "\x1b[3n": false, "\x1b[0c": false} {
		term := New(io.Discard)
		if term.Answered(answer); term.flow.heard != want {
			t.Errorf("%q: heard %t", answer, term.flow.heard)
		}
	}
}

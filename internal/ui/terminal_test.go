package ui

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/vt"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// frozen is a terminal that takes nothing until it is thawed.
type frozen struct {
	thawed chan struct{}
	mu     sync.Mutex
	writes [][]byte
}

func (f *frozen) Write(p []byte) (int, error) {
	<-f.thawed
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes = append(f.writes, bytes.Clone(p))
	return len(p), nil
}

func say(t *terminal, s string) {
	c := t.canvas(20, 1)
	c.Put(0, 0, s, draw.Text)
	t.show(plainTheme, c)
}

// Frames that nobody reads wait for no one, and only the newest of them is written in the end, as the difference to the one before.
func TestFrozenTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &frozen{thawed: make(chan struct{})}
		term := newTerminal(out, false)
		term.start()
		say(term, "first")
		synctest.Wait() // its write is under way
		for range 100 {
			say(term, "between")
		}
		say(term, "first and last")
		close(out.thawed)
		synctest.Wait()
		term.close()
		screen := vt.NewEmulator(20, 1)
		if len(out.writes) != 3 {
			t.Fatalf("%d writes, want two frames and the end: %q", len(out.writes), out.writes)
		}
		for _, b := range out.writes[:2] {
			if _, err := screen.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.TrimRight(screen.String(), " \n"); got != "first and last" {
			t.Errorf("the terminal shows %q", got)
		}
		if bytes.Contains(out.writes[1], []byte("first")) || bytes.Contains(out.writes[1], []byte("between")) {
			t.Errorf("the second frame is no difference to the first: %q", out.writes[1])
		}
		if n := len(term.spare); n > 3 {
			t.Errorf("%d canvases are kept", n)
		}
	})
}

// A frozen terminal holds up the end for a second, no longer.
func TestCloseOfFrozenTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &frozen{thawed: make(chan struct{})}
		term := newTerminal(out, false)
		term.start()
		say(term, "first")
		synctest.Wait()
		begin := time.Now()
		term.close()
		term.close()
		if took := time.Since(begin); took > 2*closing {
			t.Errorf("it took %v to close", took)
		}
		close(out.thawed) // nothing goes on behind the test
		synctest.Wait()
		if last := out.writes[len(out.writes)-1]; string(last) != leave {
			t.Errorf("the last write is %q", last)
		}
	})
}

package terminal

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

var plainTheme = draw.NewTheme(colorprofile.NoTTY, false, false)

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

func say(t *Terminal, s string) {
	c := draw.New(20, 1)
	c.Put(0, 0, s, draw.Text)
	t.Show(plainTheme, c, tea.View{})
}

// Frames that nobody reads wait for no one, and only the newest of them is written in the end, as the difference to the
// one before.
func TestFrozenTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &frozen{thawed: make(chan struct{})}
		term := New(out)
		term.startWriter()
		say(term, "first")
		synctest.Wait() // its write is under way
		for range 100 {
			say(term, "between")
		}
		say(term, "first and last")
		close(out.thawed)
		synctest.Wait()
		term.Close()
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
	})
}

// A frozen terminal holds up the end for a second, no longer.
func TestCloseOfFrozenTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &frozen{thawed: make(chan struct{})}
		term := New(out)
		term.startWriter()
		say(term, "first")
		synctest.Wait()
		begin := time.Now()
		term.Close()
		term.Close()
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

// recorder keeps what is written to a terminal.
type recorder struct{ bytes.Buffer }

func (r *recorder) next() string {
	defer r.Reset()
	return r.String()
}

func put(t *Terminal, s string, v tea.View) {
	c := draw.New(20, 1)
	c.Put(0, 0, s, draw.Text)
	t.Show(plainTheme, c, v)
	t.Flush()
}

// The title and the mouse are as the view says, are named only when they change, and are given back.
func TestModes(t *testing.T) {
	out := &recorder{}
	term := New(out)
	put(term, "a", tea.View{WindowTitle: "one"})
	if got := out.next(); !strings.HasPrefix(got, enter+"\x1b]2;one\a") {
		t.Errorf("the first frame is %q", got)
	}
	for _, test := range []struct {
		view tea.View
		want string
	}{
		{tea.View{WindowTitle: "one"}, ""},
		{tea.View{WindowTitle: "two"}, "\x1b]2;two\a"},
		{tea.View{WindowTitle: "two", MouseMode: tea.MouseModeCellMotion}, "\x1b[?1002h\x1b[?1006h"},
		{tea.View{WindowTitle: "two", MouseMode: tea.MouseModeCellMotion}, ""},
		{tea.View{WindowTitle: "two"}, "\x1b[?1002l\x1b[?1006l"},
		{tea.View{WindowTitle: "two", MouseMode: tea.MouseModeCellMotion}, "\x1b[?1002h\x1b[?1006h"},
	} {
		if put(term, "a", test.view); out.String() != test.want {
			t.Errorf("%+v writes %q, want %q", test.view, out.String(), test.want)
		}
		out.Reset()
	}
	term.leaveScreen()
	for _, mode := range []string{"\x1b[?1002l", "\x1b[?1006l", "\x1b[?2004l", "\x1b[?25h", "\x1b[?1049l",
		"\x1b[23;2t"} {
		if !strings.Contains(out.String(), mode) {
			t.Errorf("the terminal is given back without %q: %q", mode, out.String())
		}
	}
}

// A suspended terminal is silent, and is then taken again with all its modes and the newest frame, whole.
func TestSuspendedTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &frozen{thawed: make(chan struct{})}
		close(out.thawed)
		term := New(out)
		term.Ask()
		term.startWriter()
		defer term.Close()
		v := tea.View{WindowTitle: "title", MouseMode: tea.MouseModeCellMotion}
		term.Show(plainTheme, draw.New(20, 1), v)
		synctest.Wait()
		begin := time.Now()
		term.suspendOutput()
		if took := time.Since(begin); took > 0 {
			t.Errorf("it took %v to suspend", took)
		}
		say(term, "unseen")
		term.Copy("unseen")
		synctest.Wait()
		if n := len(out.writes); n != 2 || string(out.writes[1]) != leave {
			t.Fatalf("suspended, it writes %q", out.writes)
		}
		c := draw.New(20, 1)
		c.Put(0, 0, "seen", draw.Text)
		term.Show(plainTheme, c, v)
		term.resumeOutput()
		synctest.Wait()
		got := string(out.writes[2])
		if !strings.HasPrefix(got, enter+"\x1b]2;title\a"+mice[tea.MouseModeCellMotion]) ||
			!strings.Contains(got, "\x1b[2J") ||
			!strings.Contains(got, "seen") || !strings.Contains(got, "\x1b]52;") {
			t.Errorf("resumed, it writes %q", got)
		}
	})
}

// A terminal that nobody reads holds up Ctrl-Z for a second, no longer.
func TestSuspendOfFrozenTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &frozen{thawed: make(chan struct{})}
		term := New(out)
		term.startWriter()
		say(term, "first")
		synctest.Wait()
		begin := time.Now()
		term.suspendOutput()
		if took := time.Since(begin); took != closing {
			t.Errorf("it took %v to suspend", took)
		}
		close(out.thawed)
		term.Close()
	})
}

// A text goes into the clipboard without a frame, also through tmux; one that is too long does not go at all.
func TestCopy(t *testing.T) {
	out := &recorder{}
	term := New(out)
	if !term.Copy("gpu-n01\x1b") {
		t.Error("a short text is refused")
	}
	term.Flush()
	const plain = "\x1b]52;c;Z3B1LW4wMRs=\a"
	if got := out.next(); got != plain {
		t.Errorf("it writes %q", got)
	}
	term.tmux = true
	term.Copy("gpu-n01\x1b")
	term.Flush()
	if got, want := out.next(), plain+"\x1bPtmux;\x1b"+plain+"\x1b\\"; got != want {
		t.Errorf("in tmux it writes %q, want %q", got, want)
	}
	if term.Flush(); out.Len() > 0 {
		t.Errorf("it writes %q once more", out.String())
	}
	if term.Copy(strings.Repeat("a", MaxClip+1)) {
		t.Error("a long text is taken")
	}
	if term.Flush(); out.Len() > 0 {
		t.Errorf("a long text writes %d bytes", out.Len())
	}
}

// A panic in the writer restores the terminal and is reported.
func TestPanicOfWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &frozen{thawed: make(chan struct{})}
		close(out.thawed)
		term := New(out)
		term.startWriter()
		say(term, "first")
		synctest.Wait()
		term.Show(nil, draw.New(20, 1), tea.View{})
		synctest.Wait()
		term.Close()
		if err := term.Failure(); err == nil || !strings.Contains(err.Error(), "terminal.go") {
			t.Errorf("the error is %v", err)
		}
		if last := out.writes[len(out.writes)-1]; string(last) != leave {
			t.Errorf("the last write is %q", last)
		}
	})
}

func TestUsable(t *testing.T) {
	for _, test := range [][4]int{{0, 0, 80, 24}, {0, 50, 80, 24}, {-1, -1, 80, 24}, {100, 30, 100, 30}, {1, 1, 1, 1},
		{65535, 65535, 1000, 500}} {
		if got := limitSize(test[0], test[1]); got.Width != test[2] || got.Height != test[3] {
			t.Errorf("%d×%d is used as %d×%d", test[0], test[1], got.Width, got.Height)
		}
	}
}

// An alert is written without a frame, and those that a terminal does not take do not pile up.
func TestSay(t *testing.T) {
	var out bytes.Buffer
	term := New(&out)
	for range 2 * MaxClip {
		term.Say("\a")
	}
	term.startWriter()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		term.mu.Lock()
		waits := term.clip
		term.mu.Unlock()
		if waits == "" || time.Now().After(deadline) {
			break
		}
	}
	term.Close()
	if got := out.String(); got != strings.Repeat("\a", MaxClip) {
		t.Errorf("%d bytes", len(got))
	}
}

// forced returns what an emulator shows after frames in this theme, cell by cell.
func forced(t *testing.T, name string, profile colorprofile.Profile, after func(*Terminal)) *vt.Emulator {
	t.Helper()
	out := &recorder{}
	term := New(out)
	for _, text := range []string{"a longer text", "short"} { // the second frame removes some of the first
		c := draw.New(20, 2)
		c.Put(0, 0, text, draw.Text)
		c.Put(0, 1, "dim", draw.Dim)
		term.Show(draw.ForScreen(name, profile, name == draw.Dark, false), c, tea.View{})
		term.Flush()
	}
	after(term)
	screen := vt.NewEmulator(20, 2)
	if _, err := screen.Write(out.Bytes()); err != nil {
		t.Fatal(err)
	}
	return screen
}

// unpainted counts the cells without a background, and those with a text but without a color of its own.
func unpainted(screen *vt.Emulator) (n int) {
	for y := range 2 {
		for x := range 20 {
			if c := screen.CellAt(x, y); c == nil || c.Style.Bg == nil || c.Content != " " && c.Style.Fg == nil {
				n++
			}
		}
	}
	return n
}

// A dark or light theme sets both colors of every cell, whatever the terminal's own are. The other themes leave the
// terminal's background.
func TestForcedThemePaintsTheScreen(t *testing.T) {
	for _, profile := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
		for name, want := range map[string]int{draw.Dark: 0, draw.Light: 0, draw.Auto: 40, draw.Colorblind: 40} {
			if got := unpainted(forced(t, name, profile, func(*Terminal) {})); got != want {
				t.Errorf("%s, %v: %d cells are not painted, want %d", name, profile, got, want)
			}
		}
	}
	if got := unpainted(forced(t, draw.Light, colorprofile.ASCII, func(*Terminal) {})); got != 40 {
		t.Errorf("without colors, %d cells are painted", 40-got)
	}
}

// Nothing of the painted screen is left for the shell.
func TestForcedThemeIsUndone(t *testing.T) {
	screen := forced(t, draw.Light, colorprofile.TrueColor, (*Terminal).leaveScreen)
	if _, err := screen.Write([]byte("$ ls\x1b[K")); err != nil {
		t.Fatal(err)
	}
	if got := unpainted(screen); got != 40 {
		t.Errorf("%d cells of the shell are painted", 40-got)
	}
}

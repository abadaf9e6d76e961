package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// lastRow returns the last row of the screen.
func (r *rig) lastRow() string {
	rows := strings.Split(r.screen.String(), "\n")
	return rows[len(rows)-1]
}

// tickWithin reports whether a command brings the next tick within limit.
func tickWithin(t *testing.T, cmd tea.Cmd, limit time.Duration) bool {
	t.Helper()
	if cmd == nil {
		return false
	}
	got := make(chan tea.Msg, 1)
	go func() { got <- cmd() }()
	select {
	case <-got:
		return true
	case <-time.After(limit):
		return false
	}
}

func TestAnIdleScreenIsDrawnSeldom(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.now = r.now.Add(source.IdleAfter - time.Second)
	r.Display = 100 * time.Millisecond
	if !tickWithin(t, r.send(tick{r.chain}), 30*time.Second) {
		t.Error("no tick within 30 s before the screen is idle")
	}
	r.now = r.now.Add(time.Second)
	r.Display = time.Minute
	cmd := r.send(tick{r.chain})
	if !strings.Contains(r.screen.String(), "idle: polling every 30s, press any key") ||
		tickWithin(t, cmd, 100*time.Millisecond) {
		t.Errorf("an idle screen is drawn as before:\n%.200s", r.screen.String())
	}
	r.Display = 5 * time.Minute
	if before := r.chain; !tickWithin(t, r.press("x"), 30*time.Second) || r.chain == before {
		t.Error("a key does not wake the screen")
	}
	if r.send(tick{r.chain}); strings.Contains(r.screen.String(), "idle: ") {
		t.Error("the screen is still called idle")
	}
}

// A screen that nobody can see is idle at once, and as before when somebody sees it again, or presses a key.
func TestADetachedScreenIsDrawnSeldom(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	slow := func() bool { return strings.Contains(r.screen.String(), "idle: polling every 30s") }
	r.send(attached(false))
	if !slow() || r.heard.left != 1 || r.heard.touched != 0 {
		t.Errorf("detached: idle %v, %d times left, %d touches", slow(), r.heard.left, r.heard.touched)
	}
	if r.send(tick{r.chain}); !slow() {
		t.Error("the next tick wakes it")
	}
	before := r.chain
	if r.send(attached(true)); slow() || r.heard.touched != 1 || r.chain == before {
		t.Errorf("attached: idle %v, %d touches, chain %d after %d", slow(), r.heard.touched, r.chain, before)
	}
	r.send(attached(false))
	if r.press("x"); r.scene.Slow != 1 || r.heard.left != 2 {
		t.Errorf("a key does not wake it: %d, left %d times", r.scene.Slow, r.heard.left)
	}
	if r.send(tick{r.chain}); slow() {
		t.Error("still idle after a key")
	}
}

// taping is a Recorder that records until it has ended.
type taping struct{ ended bool }

func (*taping) Switch() string { return "" }
func (r *taping) Status() string {
	if r.ended {
		return ""
	}
	return "rec 5m"
}

func TestWhatIsRecordedKeepsItsPace(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	recording := &taping{}
	r.Record = recording
	r.send(tick{r.chain})
	r.send(attached(false))
	r.now = r.now.Add(2 * source.IdleAfter)
	if r.send(tick{r.chain}); r.scene.Slow != 1 || r.heard.left != 0 {
		t.Errorf("slow by %d, left %d times", r.scene.Slow, r.heard.left)
	}
	recording.ended = true
	for range 2 {
		if r.send(tick{r.chain}); r.scene.Slow != source.IdleFactor || r.heard.left != 1 {
			t.Errorf("after its end: slow by %d, left %d times", r.scene.Slow, r.heard.left)
		}
	}
}

// The end of a recording that somebody watches changes nothing.
func TestTheEndOfARecordingIsNoLeaving(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	recording := &taping{}
	r.Record = recording
	r.send(tick{r.chain})
	recording.ended = true
	if r.send(tick{r.chain}); r.scene.Slow != 1 || r.heard.left != 0 {
		t.Errorf("slow by %d, left %d times", r.scene.Slow, r.heard.left)
	}
}

func TestTheBannerStandsUntilAKeyAndInTheHelp(t *testing.T) {
	const banner = "GPU nodes are down on Tuesday from 8 to 12"
	r := newRig(t, uitest.Fixture())
	r.Banner = banner
	r.model = newModel(r.Options, &r.out)
	r.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	if !strings.Contains(r.lastRow(), banner) {
		t.Errorf("the last row is %q", r.lastRow())
	}
	r.dirty = false
	if r.send(tea.MouseWheelMsg{}); strings.Contains(r.screen.String(), banner) ||
		!strings.Contains(r.lastRow(), "? all") {
		t.Errorf("after the mouse moved, the last row is %q", r.lastRow())
	}
	if r.press("?", "t", "u", "e", "s"); !strings.Contains(r.screen.String(), "▸ "+banner[:20]) ||
		!strings.Contains(r.screen.String(), banner) {
		t.Errorf("the help does not have it:\n%s", r.screen.String())
	}
}

// The address of the help that the admins chose is whole in the palette, at the usual width.
func TestTheHelpOfTheSiteInThePalette(t *testing.T) {
	const address = "https://docs.example.org/gpu/nvnodetop"
	r := newRig(t, uitest.Fixture())
	r.HelpURL = address
	r.model = newModel(r.Options, &r.out)
	r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if r.press("?", "d", "o", "c", "s", "."); !strings.Contains(r.screen.String(), "help: "+address) {
		t.Errorf("the help does not have it:\n%s", r.screen.String())
	}
}

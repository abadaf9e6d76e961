package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lookback"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// deck is a recording that only notes what is wanted.
type deck struct {
	place  lookback.TapePosition
	orders []lookback.TapeOrder
}

func (d *deck) Turn(o lookback.TapeOrder) string {
	d.orders = append(d.orders, o)
	return map[lookback.TapeOrder]string{lookback.LaterProblem: "no later problem"}[o]
}

func (d *deck) Position() lookback.TapePosition { return d.place }

func placed(at time.Duration) lookback.TapePosition {
	began := uitest.Now.Add(-20 * time.Minute)
	return lookback.TapePosition{
		Began: began, End: began.Add(62 * time.Minute), At: began.Add(at), Speed: 10, Read: 1,
		Problems: []time.Time{began.Add(12 * time.Minute), began.Add(44 * time.Minute)},
	}
}

// replayRig is a model that shows a recording.
func replayRig(t *testing.T) (*rig, *deck) {
	r, d := newRig(t, uitest.Fixture()), &deck{place: placed(20 * time.Minute)}
	r.Tape, r.scene.Replay = d, true
	r.resize(120, 40)
	return r, d
}

// The keys of a recording do the same on every page, and nothing where none is shown.
func TestReplayKeysOnEveryPage(t *testing.T) {
	t.Parallel()
	wanted := map[string]lookback.TapeOrder{"z": lookback.Pause, "(": lookback.StepBack, ")": lookback.StepOn, "{": lookback.LongBack,
		"}": lookback.LongOn, "ctrl+home": lookback.Beginning, "ctrl+end": lookback.End, "-": lookback.Slower, "+": lookback.Faster,
		"alt+up": lookback.EarlierProblem, "alt+down": lookback.LaterProblem}
	for at, p := range helpPages {
		live := onPage(t, at)
		before := live.text()
		r, d := onPage(t, at), &deck{place: placed(0)}
		r.Tape = d
		for k, order := range wanted {
			d.orders = nil
			if r.press(k); !slices.Equal(d.orders, []lookback.TapeOrder{order}) {
				t.Errorf("%s: %s gives %v, want %v", p.page, k, d.orders, order)
			}
			if !strings.Contains("(){}", k) { // these look back
				live.press(k)
			}
		}
		if live.text() != before {
			t.Errorf("%s: a key of a recording changes a screen that shows none", p.page)
		}
	}
}

func TestReplayArrows(t *testing.T) {
	r, d := replayRig(t)
	for _, k := range []tea.KeyPressMsg{{Code: tea.KeyLeft, Mod: tea.ModCtrl}, {Code: tea.KeyRight, Mod: tea.ModCtrl}} {
		r.send(k)
	}
	if !slices.Equal(d.orders, []lookback.TapeOrder{lookback.ShortBack, lookback.ShortOn}) {
		t.Errorf("orders %v", d.orders)
	}
}

// A key typed into a prompt is text, not an order to the replay.
func TestReplayAndPrompt(t *testing.T) {
	r, d := replayRig(t)
	r.press("o")
	r.press("/")
	r.press("z")
	if len(d.orders) > 0 || !strings.Contains(r.text(), "filter: z") {
		t.Errorf("orders %v, screen\n%s", d.orders, r.text())
	}
}

func TestReplayNotice(t *testing.T) {
	r, _ := replayRig(t)
	r.press("alt+down")
	lines := strings.Split(r.text(), "\n")
	if !strings.Contains(lines[37], "no later problem") ||
		!strings.HasPrefix(lines[38], " replay  20:00 of 1:02:00  x10 ") {
		t.Errorf("the last lines are\n%s\n%s", lines[37], lines[38])
	}
}

// The help lists the keys of a recording only in one, and there no key that has no meaning.
func TestReplayHelp(t *testing.T) {
	r, _ := replayRig(t)
	live := newRig(t, uitest.Fixture())
	for text, in := range map[string]*rig{"pause / resume": r, "record to a file": live} {
		for _, rig := range []*rig{r, live} {
			rig.press("?")
			for _, k := range typedKeys(text) {
				rig.send(k)
			}
			text := "▸ " + text[:5]
			if strings.Contains(rig.text(), text) != (rig == in) {
				t.Errorf("%q in the help of a recording: %t\n%s", text, rig == r, rig.text())
			}
			rig.press("esc")
		}
	}
}

// frames of the line below a screen.
var tapes = []struct {
	name  string
	place func() lookback.TapePosition
}{
	{"playing", func() lookback.TapePosition { return placed(20 * time.Minute) }},
	{"paused", func() lookback.TapePosition { p := placed(12 * time.Minute); p.Paused = true; return p }},
	{"reading", func() lookback.TapePosition {
		p := placed(50 * time.Minute)
		p.Read, p.Problems = 0.3,
			p.Problems[:1]
		return p
	}},
	{"damaged", func() lookback.TapePosition { p := placed(30 * time.Minute); p.Damaged = true; return p }},
	{"end", func() lookback.TapePosition { p := placed(62 * time.Minute); p.Speed = 1; return p }},
}

// tapeFrames are golden frames of a recording.
func tapeFrames(yield func(name, text string) bool) {
	s := shots[slices.IndexFunc(shots, func(s shot) bool { return s.name == "overview" })]
	for _, p := range tapes {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 12}} {
			for theme, ascii := range map[*draw.Theme]bool{asciiTheme: true, darkTheme: false} {
				if !ascii && size[0] != 120 {
					continue
				}
				c := draw.New(size[0], size[1])
				v, sc := s.scene(size[0], size[1]-1)
				sc.ASCII = ascii
				f, place := &part.Frame{Canvas: c, Scene: sc}, p.place()
				v.drawPage(f)
				lookback.DrawTape(f, size[1]-1, &place)
				name := "replay-" + p.name + "-" + draw.MiB(uint64(size[0])<<20) + map[bool]string{true: "-ascii",
					false: "-dark"}[ascii]
				if !yield(name, string(theme.Encode(nil, c))+"\n") {
					return
				}
			}
		}
	}
}

// recorder is one that only says something.
type notes struct{ on bool }

func (n *notes) Switch() string {
	n.on = !n.on
	return map[bool]string{true: "recording to a file", false: "recorded"}[n.on]
}

func (n *notes) Status() string { return map[bool]string{true: "rec 12m"}[n.on] }

// Ctrl-K records, says where, and the first row says so as long as it does.
func TestRecordKey(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	k := tea.KeyPressMsg{Code: 'k', Mod: tea.ModCtrl}
	if r.send(k); r.switchRecording() != nil {
		t.Error("there is something to record to")
	}
	r.Record = &notes{}
	for _, want := range []struct{ first, last string }{{"● rec 12m  ", "recording to a file"}, {"", "recorded"}} {
		r.send(r.switchRecording()())
		lines := strings.Split(r.text(), "\n")
		if !strings.Contains(lines[0], want.first) || strings.Contains(lines[0], "●") != (want.first != "") ||
			!strings.HasPrefix(lines[38], " "+want.last) {
			t.Errorf("rows\n%s\n%s", lines[0], lines[38])
		}
	}
	if !slices.Contains(keys.Record.Keys(), k.String()) {
		t.Errorf("%s records nothing", k)
	}
}

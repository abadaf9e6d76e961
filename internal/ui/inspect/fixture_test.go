package inspect

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

var (
	id   = wire.ProcessID{PID: 77, StartTicks: 9}
	noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
)

func target() tally.Target {
	return tally.Target{Node: "n1", ProcessID: id, User: "alice", Command: "python train.py", Rank: &wire.Rank{Rank: 3},
		Job: "12_4", Mine: true}
}

// scene is a node with two GPUs and one process on both, listed at a time.
func scene(w, h int, listed time.Time) *part.Scene {
	n := &cluster.Node{Name: "n1", State: cluster.NodeReporting, Interval: 3 * time.Second, Listed: true,
		ListedAt: listed}
	for i := range 2 {
		g := cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}, Number: i, Key: string(rune('a' + i))}
		g.Index = i
		g.Values.Set(metric.Util, 90)
		g.Card.Values.Set(metric.MemoryTotal, 80<<30)
		n.GPUs = append(n.GPUs, g)
		n.Processes = append(n.Processes, wire.Process{
			PID: 77, StartTicks: 9, GPU: i, State: "R", SMPercent: new(60 + 20*i), GPUMemory: new(uint64(10+i) << 30),
			CPUPercent: new(101.0), RSS: new(uint64(4) << 30),
			ElapsedSec: new(int64(3600)), Threads: new(12),
			Identity: wire.Identity{User: "alice", Command: "python train.py", Directory: "/home/alice", Step: "0",
				Parent: 70},
		})
	}
	s := &part.Scene{Size: part.Size{W: w, H: h}, Memory: &part.Memory{},
		Snap: &cluster.Snapshot{At: listed, Poll: 3 * time.Second,
			Nodes: map[string]*cluster.Node{"n1": n}}}
	s.Snap.Jobs = []cluster.JobView{{Job: cluster.Job{ID: "12_4", Number: "16", Nodes: []string{"n1"}}}}
	s.SetJob(0)
	s.SetNode(0)
	return s
}

// drawn is what an overlay shows.
func drawn(s *part.Scene, o interface{ Draw(*part.Frame) }) string {
	c := draw.New(s.W, s.H)
	o.Draw(&part.Frame{Canvas: c, Scene: s})
	return string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, c))
}

// rowWith is the first row with a text.
func rowWith(text, want string) int {
	for y, line := range strings.Split(text, "\n") {
		if strings.Contains(line, want) {
			return y
		}
	}
	return -1
}

var keyCodes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown,
	"pgdown": tea.KeyPgDown, "end": tea.KeyEnd, "home": tea.KeyHome}

func press(name string) tea.KeyPressMsg {
	if code, ok := keyCodes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if name == "ctrl+c" {
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// overlay is what the tests press keys on.
type overlay interface {
	Press(msg tea.Msg, s *part.Scene) (nav.Answer, bool)
}

// pressed is the answer to the last of some keys.
func pressed(o overlay, s *part.Scene, keys string) (a nav.Answer, open bool) {
	open = true
	for k := range strings.FieldsSeq(keys) {
		a, open = o.Press(press(k), s)
	}
	return a, open
}

// environ is an overlay with these variables.
func environ(t *testing.T, s *part.Scene, truncated bool, list ...string) *FactSheet {
	t.Helper()
	e, a := NewEnviron(target())
	if len(a.Ask) != 1 || !a.Taken || a.Ask[0].Node != "n1" || *a.Ask[0].Request.Environ != id {
		t.Fatalf("asks %+v", a)
	}
	e.Press(nav.Result{Ask: a.Ask[0], Reply: wire.Reply{Environ: &wire.Environ{Variables: list, Truncated: truncated}}},
		s)
	return e
}

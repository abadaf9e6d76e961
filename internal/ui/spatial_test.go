package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// desk is a view of a scene, without a model: what is pressed, and what is then drawn.
type desk struct {
	t  *testing.T
	v  *view
	sc *part.Scene
}

func newDesk(t *testing.T, s shot, w, h int) *desk {
	snap := s.snap()
	s.snap = func() *cluster.Snapshot { return snap }
	v, sc := s.scene(w, h)
	return &desk{t, v, sc}
}

// send gives the page a message, and the view what the page does not take.
func (d *desk) send(msg tea.Msg) {
	if !d.v.passMessage(onScreen(msg, d.sc), d.sc).Taken {
		if k, ok := msg.(tea.KeyPressMsg); ok {
			d.v.handleGlobalKey(k, d.sc)
		}
	}
	d.v.resolveSelection(d.sc)
}

func (d *desk) press(keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		if code, ok := named[k]; ok {
			msg = tea.KeyPressMsg{Code: code}
		}
		d.send(msg)
	}
}

func (d *desk) lines() []string { return withoutBar(strings.Split(string(d.frame()), "\n")) }

func (d *desk) frame() []byte { return plainTheme.Encode(nil, d.canvas()) }

func (d *desk) canvas() *draw.Canvas {
	h := d.sc.H
	if d.sc.WithBar {
		h++
	}
	c := draw.New(d.sc.W, h)
	d.v.drawPage(&part.Frame{Canvas: c, Scene: d.sc})
	return c
}

// cursor is where the cursor is on the screen.
func (d *desk) cursor() (x, y int) {
	d.t.Helper()
	for y, line := range d.lines() {
		if before, _, found := strings.Cut(line, "▸"); found {
			return len([]rune(before)), y
		}
	}
	for y, line := range withoutBar(strings.Split(string(darkTheme.Encode(nil, d.canvas())), "\n")) {
		if before, _, found := strings.Cut(line, ";48;2;230;237;243m"); found { // the cursor of the heat map
			return ansi.StringWidth(before[:strings.LastIndex(before, "\x1b")]), y
		}
	}
	d.t.Fatalf("there is no cursor:\n%s", strings.Join(d.lines(), "\n"))
	return 0, 0
}

// In the heat map an arrow moves the cursor to the tile that lies in its direction, and not beyond the edge.
func TestSpatial(t *testing.T) {
	large := uitest.BigFixture()
	for _, size := range [][2]int{{120, 40}, {200, 50}, {80, 24}} {
		d := newDesk(t, shot{snap: func() *cluster.Snapshot { return large },
			view: func(v *view) { v.on = keys.OnOverview; v.overview().Grid = overview.GridMap }}, size[0], size[1])
		left, top := d.cursor()
		d.press("right")
		x, y := d.cursor()
		if x <= left || y != top {
			t.Errorf("%v: → goes from %d,%d to %d,%d", size, left, top, x, y)
		}
		wide := x - left
		d.press("down", "down", "right")
		if gotX, gotY := d.cursor(); gotX != left+2*wide || gotY != top+2 {
			t.Errorf("%v: ↓↓→ goes from %d,%d to %d,%d", size, x, y, gotX, gotY)
		}
		d.press("left", "up", "left", "up", "left", "up")
		if x, y := d.cursor(); x != left || y != top {
			t.Errorf("%v: the cursor leaves the corner: %d,%d", size, x, y)
		}
		for range 20 {
			d.press("right")
		}
		x, y = d.cursor()
		if y != top || x <= left+wide {
			t.Errorf("%v: the right edge is at %d,%d", size, x, y)
		}
	}
}

// A click selects the tile or the row under it, and a second click opens the node.
func TestClick(t *testing.T) {
	for name, grid := range map[string]overview.Grid{"rows": overview.GridRows, "map": overview.GridMap} {
		d := newDesk(t, shot{snap: uitest.BigFixture,
			view: func(v *view) { v.on = keys.OnOverview; v.overview().Grid = grid }}, 120, 40)
		d.press("down", "down", "right")
		x, y := d.cursor()
		node := d.sc.Node.Name
		d.press("home")
		click := tea.MouseClickMsg{X: x + 5, Y: y, Button: tea.MouseLeft}
		if d.send(click); d.sc.Node.Name != node || d.v.on != keys.OnOverview {
			t.Errorf("%s: a click on %s selects %s", name, node, d.sc.Node.Name)
		}
		for _, beside := range []tea.MouseClickMsg{{X: x, Y: 0, Button: tea.MouseLeft},
			{X: x, Y: 39, Button: tea.MouseLeft}, {X: x, Y: y, Button: tea.MouseRight}} {
			if d.send(beside); d.sc.Node.Name != node || d.v.on != keys.OnOverview {
				t.Errorf("%s: a click beside the nodes selects %s", name, d.sc.Node.Name)
			}
		}
		if d.send(click); d.v.on != keys.OnNode || d.sc.Node.Name != node {
			t.Errorf("%s: the second click opens %s", name, d.where())
		}
	}
}

// In strips, too, keys and clicks select the node that is there; Home and End lead to the ends of what is on the
// screen.
func TestStripsOnTheScreen(t *testing.T) {
	d := newDesk(t, shot{snap: func() *cluster.Snapshot { return uitest.SwitchedFixture(1000) },
		view: func(v *view) { v.on = keys.OnOverview }}, 120, 40)
	for _, step := range []struct{ key, node string }{
		{"home", "gpu-n0993"}, {"right", "gpu-n0994"}, // the nodes under no switch: one of them has failed
		// two switches with a warning, and the others
		{"down", "gpu-n0002"}, {"down", "gpu-n0482"}, {"down", "gpu-n0034"},
		{"left", "gpu-n0033"}, {"up", "gpu-n0481"}, {"end", "gpu-n0992"}, {"home", "gpu-n0993"},
	} {
		d.press(step.key)
		if d.sc.Node.Name != step.node {
			t.Errorf("%s leads to %s, want %s", step.key, d.sc.Node.Name, step.node)
		}
	}
	click := tea.MouseClickMsg{X: 8, Y: 5, Button: tea.MouseLeft}
	d.send(click)
	node := d.sc.Node.Name
	if lines := d.lines(); !strings.HasPrefix(lines[5], "▸") || !strings.Contains(lines[2], "▸ "+node) {
		t.Errorf("a click selects %s:\n%s", node, strings.Join(lines[:8], "\n"))
	}
	if d.send(click); d.v.on != keys.OnNode || d.sc.Node.Name != node {
		t.Errorf("the second click opens %s", d.where())
	}
}

func (d *desk) where() string { return string(d.v.on) + " " + d.sc.Node.Name }

// The wheel moves the cursor of a list, never the job.
func TestWheel(t *testing.T) {
	d := newDesk(t, shot{snap: uitest.Fixture, view: func(*view) {}}, 120, 40)
	down, up := tea.MouseWheelMsg{Button: tea.MouseWheelDown}, tea.MouseWheelMsg{Button: tea.MouseWheelUp}
	for _, key := range []string{"", "d", "o"} {
		d.press(strings.Fields(key)...)
		if d.send(down); d.sc.Job.ID != "48211" {
			t.Errorf("after %q the wheel changes the job", key)
		}
	}
	if d.sc.Node.Name != "gpu-n04" {
		t.Errorf("a notch leads to %s", d.sc.Node.Name)
	}
	if d.send(up); d.sc.Node.Name != "gpu-n01" {
		t.Errorf("a notch back leads to %s", d.sc.Node.Name)
	}
}

// Nodes do not change places because one recovers: until the user sorts again.
func TestWorstKeepsPlaces(t *testing.T) {
	d := newDesk(t, shot{snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }}, 120, 40)
	d.press("s")
	before := strings.Join(d.sc.Order, " ")
	later := uitest.Fixture()
	later.Jobs[0].Findings = nil
	well := *later.Nodes["gpu-n01"]
	well.Name = "gpu-n04"
	later.Nodes["gpu-n04"] = &well
	d.sc.Snap = later
	d.v.resolveSelection(d.sc)
	if after := strings.Join(d.sc.Order, " "); after != before || d.sc.Node.Name != "gpu-n04" {
		t.Errorf("the order was %s and is %s, with the cursor on %s", before, after, d.sc.Node.Name)
	}
	if d.press("s", "s"); d.sc.Order[0] != "gpu-n03" { // it connects, the others are well
		t.Errorf("sorted again: %s", d.sc.Order)
	}
}

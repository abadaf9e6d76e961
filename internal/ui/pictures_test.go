package ui

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	words "github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/test/golden"
	"github.com/nvnodetop/nvnodetop/test/picture"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// act presses keys and then shows the screen for a while.
type act struct {
	keys    []string
	caption string
	shown   time.Duration
}

// pictures are the pictures of README.md, of the demo's cluster: stills after all their keys, and one that moves.
var pictures = []struct {
	name, title string
	nodes, h    int
	steps       []act
}{
	{"tour", "From the overview to the slow GPU, and anywhere by name", 4, 34, []act{
		{nil, "$ nvnodetop", 2500 * time.Millisecond},
		{[]string{"n"}, "n   the next problem", 1500 * time.Millisecond},
		{[]string{"enter"}, "Enter   open the node", 2 * time.Second},
		{[]string{"enter"}, "Enter   open the GPU that is slow", 3 * time.Second},
		{[]string{":", "r", "a", "n", "k", " ", "2", "2"}, ": rank 22   find anything by its name", 2 * time.Second},
		{[]string{"esc", "esc", "esc", "esc"}, "Esc   back", time.Second},
	}},
	{"node", "The node view: GPUs, processes, problems and the last ten minutes", 4, 40,
		[]act{{keys: []string{"n", "enter"}}}},
	{"gpu", "One GPU: its last ten minutes, throttle reasons, links, errors and processes", 4, 40,
		[]act{{keys: []string{"n", "enter", "enter"}}}},
	{"heatmap", "Heat map: 64 nodes with 8 GPUs each", 64, 40, []act{{}}},
	{"processes", "Processes of a job, and the question before a signal is sent", 4, 40,
		[]act{{keys: []string{"5", "w", "w", "T"}}}},
}

// The pictures of README.md show what the program shows. scripts/pictures makes them anew.
func TestGoldenPictures(t *testing.T) {
	raced.Skip(t)
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			var frames []picture.Frame
			synctest.Test(t, func(t *testing.T) { frames = film(t, p.nodes, p.h, p.steps) })
			path := filepath.Join("../../docs/screens", p.name+".svg")
			if golden.Updating() {
				golden.Write(t, path, string(picture.SVG(p.title, frames...)))
			}
			svg, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(picture.TextIn(svg), picture.Text(frames...)); diff != "" {
				t.Errorf("%s is out of date (-picture +program): run scripts/pictures\n%s", path, diff)
			}
		})
	}
}

// film plays the demo in a terminal on a clock of its own, and returns the frames after each step.
func film(t *testing.T, nodes, h int, steps []act) []picture.Frame {
	defer func(local *time.Location) { time.Local = local }(time.Local)
	time.Local = time.UTC
	time.Sleep(14*time.Hour + 5*time.Minute) // by day
	ctx, cancel := context.WithCancel(t.Context())
	defer synctest.Wait()
	defer cancel()
	cluster := demo.New(nodes, 8, demo.Seed, 3*time.Second, 10*time.Minute)
	s := store.New(3*time.Second, words.Rules(words.Defaults()))
	go func() { _ = cluster.Run(ctx, s.Apply) }() // it ends with ctx
	<-cluster.CaughtUp()

	r := &rig{t: t, screen: vt.NewEmulator(120, h)}
	r.screen.RegisterOscHandler(11, func([]byte) bool { return true }) // nobody reads its answers: they would block it
	r.model = newModel(Options{Snapshot: s.Snapshot, Now: time.Now, Controls: cluster, Display: time.Second,
		Profile: colorprofile.TrueColor, Theme: "dark", Version: "nvnodetop"}, &r.out)
	r.send(tea.WindowSizeMsg{Width: 120, Height: h})
	var frames []picture.Frame
	for _, step := range steps {
		for _, k := range step.keys {
			r.press(k)
			later(r, time.Second) // the nodes list processes where the user looks
		}
		later(r, 3*time.Second)
		frame := picture.Of(r.screen)
		frame.Caption, frame.For = step.caption, step.shown
		frames = append(frames, frame)
	}
	return frames
}

// later draws the screen after some time.
func later(r *rig, d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	r.send(tick{r.chain})
}

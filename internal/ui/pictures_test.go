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
	words "github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/test/golden"
	"github.com/nvnodetop/nvnodetop/test/picture"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// act presses keys and then shows the screen for a while.
type act struct {
	keys    []string
	caption string
	shown   time.Duration
	looks   bool // it takes as long as the two looks of the stacks
}

// pictures are the pictures of README.md, docs/HANG.md and docs/MARKS.md, of the demo's cluster: stills after all their
// keys, and two that move.
var pictures = []struct {
	name, title string
	nodes, h    int
	steps       []act
	hangs       bool
}{
	{name: "tour", title: "From the overview to the slow GPU, and anywhere by name", nodes: 4, h: 34, steps: []act{
		{caption: "$ nvnodetop", shown: 2500 * time.Millisecond},
		{keys: []string{"n"}, caption: "n   the next problem", shown: 1500 * time.Millisecond},
		{keys: []string{"enter"}, caption: "Enter   open the node", shown: 2 * time.Second},
		{keys: []string{"enter"}, caption: "Enter   open the GPU that is slow", shown: 3 * time.Second},
		{keys: []string{":", "r", "a", "n", "k", " ", "2", "2"}, caption: ": rank 22   find anything by its name",
			shown: 2 * time.Second},
		{keys: []string{"esc", "esc", "esc", "esc"}, caption: "Esc   back", shown: time.Second},
	}},
	{name: "node", title: "The node view: GPUs, processes, problems and the last ten minutes", nodes: 4, h: 40,
		steps: []act{{keys: []string{"n", "enter"}}}},
	{name: "gpu", title: "One GPU: its last ten minutes, throttle reasons, links, errors and processes", nodes: 4,
		h:     40,
		steps: []act{{keys: []string{"n", "enter", "enter"}}}},
	{name: "heatmap", title: "Heat map: 64 nodes with 8 GPUs each", nodes: 64, h: 40, steps: []act{{}}},
	{name: "processes", title: "Processes of a job, and the question before a signal is sent", nodes: 4, h: 40,
		steps: []act{{keys: []string{"5", "w", "w", "T"}}}},
	{name: "marks", title: "Letters and marks: the overview of a job with trouble", nodes: 4, h: 24, steps: []act{{}}},
	{name: "hang", title: "Why a job hangs: from the problem to the rank that holds all others up", nodes: 64,
		h: 34, hangs: true, steps: []act{
			{caption: "$ nvnodetop", shown: 3 * time.Second},
			{keys: []string{"b"}, caption: "b   what every rank does", shown: 4 * time.Second, looks: true},
			{keys: []string{"down", "enter"}, caption: "Enter   the group with one rank", shown: 4 * time.Second},
			{keys: []string{"esc", "c"}, caption: "c   where it parts from the others", shown: 4 * time.Second},
		}},
}

// The pictures of README.md show what the program shows. scripts/generate makes them anew.
func TestGoldenPictures(t *testing.T) {
	raced.Skip(t)
	var made []string
	for _, p := range pictures {
		path := filepath.Join("../../docs/screens", p.name+".svg")
		made = append(made, path)
		t.Run(p.name, func(t *testing.T) {
			var frames []picture.Frame
			synctest.Test(t, func(t *testing.T) { frames = film(t, p.nodes, p.h, p.steps, p.hangs) })
			if golden.Updating() {
				golden.Write(t, path, string(picture.SVG(p.title, frames...)))
			}
			svg, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(picture.TextIn(svg), picture.Text(frames...)); diff != "" {
				t.Errorf("%s is out of date (-picture +program): run scripts/generate\n%s", path, diff)
			}
		})
	}
	golden.Only(t, "../../docs/screens/*.svg", made)
}

// film plays the demo in a terminal on a clock of its own, and returns the frames after each step.
func film(t *testing.T, nodes, h int, steps []act, hangs bool) []picture.Frame {
	defer func(local *time.Location) { time.Local = local }(time.Local)
	time.Local = time.UTC
	time.Sleep(14*time.Hour + 5*time.Minute) // by day
	ctx, cancel := context.WithCancel(t.Context())
	defer synctest.Wait()
	defer time.Sleep(time.Hour) // until the timers of the model have ended
	defer cancel()
	cluster := demo.New(nodes, 8, demo.Seed, 3*time.Second, 10*time.Minute)
	if hangs {
		cluster.Hang()
	}
	s := store.New(3*time.Second, words.Rules(words.Defaults()))
	go func() { _ = cluster.Run(ctx, s.Apply) }() // it ends with ctx
	<-cluster.CaughtUp()

	r := &rig{t: t, screen: vt.NewEmulator(120, h)}
	r.screen.RegisterOscHandler(11, func([]byte) bool { return true }) // nobody reads its answers: they would block it
	r.model = newModel(Options{Snapshot: s.Snapshot, Now: time.Now, Controls: cluster, Display: time.Second,
		Profile: colorprofile.TrueColor, Version: "nvnodetop"}, &r.out)
	r.send(tea.WindowSizeMsg{Width: 120, Height: h})
	told := make(answers, 1000)
	var frames []picture.Frame
	for _, step := range steps {
		for _, k := range step.keys {
			told.run(r.send(pressed(k)))
			told.later(r, time.Second) // the nodes list processes where the user looks
		}
		told.later(r, 3*time.Second)
		if step.looks {
			for range 9 {
				told.later(r, time.Second)
			}
		}
		frame := picture.Of(r.screen)
		frame.Caption, frame.For = step.caption, step.shown
		frames = append(frames, frame)
	}
	return frames
}

// answers are those that nodes have given, and the model has not got yet.
type answers chan resultMsg

// run asks what the model wants to know.
func (a answers) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, cmd := range msg {
				a.run(cmd)
			}
		case resultMsg:
			a <- msg
		}
	}()
}

// later draws the screen after some time.
func (a answers) later(r *rig, d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	for len(a) > 0 {
		a.run(r.send(<-a))
		synctest.Wait()
	}
	a.run(r.send(tick{r.chain}))
}

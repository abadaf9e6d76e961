package ui

import (
	"errors"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// shot is one screen of one Snapshot.
type shot struct {
	name  string
	snap  func() *cluster.Snapshot
	view  func(v *view)
	typed string                   // then these keys are pressed; "\r" is Enter, "\t" Tab, "\v" Shift-↓
	told  func(nav.Ask) nav.Result // the answers to what they ask
	later func(v *view, s *part.Scene)
}

var shots = append(inspectShots(), []shot{
	{name: "node", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }},
	{name: "connection", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnConnection }},
	{name: "log", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnLog }, later: readsLog(uitest.ALog)},
	{name: "log-ended", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }, typed: "Gl", later: readsLog(uitest.ALog)},
	{name: "report", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }, typed: "Gkkkk\r",
		later: reports(uitest.AReport())},
	{name: "report-asking", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }, typed: "Gkkkk\r"},
	{name: "report-none", snap: uitest.NoJobsFixture, view: func(v *view) {
		v.on = keys.OnReport
		v.report.Arrive(&part.Scene{}, nav.Go{Report: "48377_2"})
	}, later: reports(nil, errors.New("SLURM's accounting does not show job \"48377_2\""))},
	{name: "waiting", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }, typed: "jjj\rE",
		told: func(a nav.Ask) nav.Result { return nav.Result{Ask: a, Wait: uitest.AWait()} }},
	{name: "stacks", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnStacks }, later: readsStacks(2)},
	{name: "cluster", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnCluster }, later: counts(uitest.ACluster(8))},
	{name: "overview", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n02", 1) }},
	{name: "nojobs", snap: uitest.NoJobsFixture, view: func(*view) {}},
	{name: "palette", snap: uitest.Fixture, view: func(v *view) {
		v.palette.Open(v.paletteSource(keys.OnNode, "node view", true))
	}, typed: "n03"},
	{name: "help", snap: uitest.Fixture, view: func(v *view) {
		v.palette.Open(v.paletteSource(keys.OnProcesses, "processes", false))
	}},
	{name: "help-marks", snap: uitest.Fixture, view: func(v *view) {
		v.palette.Open(v.paletteSource(keys.OnNode, "node view", false))
	}, typed: "warning"},
	{name: "problems", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnProblems }, typed: "j"},
	{name: "ranks", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks }, typed: "n"},
	{name: "jobs", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }},
	{name: "users", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnUsers }, typed: "j"},
	{name: "gpu", snap: uitest.Fixture, view: showGPU("gpu-n02", 1, uitest.Fixture, 1)},
	{name: "processes-node", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }, typed: "5scj jj ki"},
	{name: "signal-results", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks }, typed: "T\t\ty",
		told: uitest.SomeReplies},
	{name: "settings", snap: uitest.Fixture, view: func(v *view) {
		v.settings.Begin(settings.Choices{Theme: draw.Colorblind, View: ViewAuto,
			Look: part.Look{Colors: part.Colors{Levels: part.UsualLevels},
				Columns: rows.ChosenColumns{Node: "gpu,temperature_celsius,util_percent"}}})
		v.on, v.settings.Now.Classic = keys.OnSettings, true
		v.goToSetting("Memory yellow from")
	}, typed: "\r\v"},
	{name: "settings-news", snap: uitest.Fixture, view: func(v *view) {
		v.settings.News = []settings.News{{Way: "terminal", On: true}, {Way: "command", Not: "notify.command is not set"},
			{Way: "webhook"}, {Way: "mail", Not: "there is no sendmail on this host"}}
		v.on = keys.OnSettings
		v.goToSetting(settings.NewsTitle)
	}, typed: "jj"},
	{name: "settings-end", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnSettings }, typed: "G"},
}...)

// newNodeView is the state of a screen that starts with a node.
func newNodeView() *view { return newView(&Options{Choices: settings.Choices{View: ViewNode}}) }

// goToSetting puts the cursor of the page of settings on the row with a title.
func (v *view) goToSetting(title string) {
	v.settings.Arrive(&part.Scene{Size: part.Size{W: 80, H: 24}}, nav.Go{Choice: title})
}

// scene is what a shot shows in a terminal of that size.
func (s shot) scene(w, h int) (*view, *part.Scene) {
	v := newNodeView()
	sc := &part.Scene{Snap: s.snap(), Display: time.Second, Version: "nvnodetop 0.1.0",
		Memory: &part.Memory{}}
	sc.Resize(w, h)
	v.resolveSelection(sc)
	s.view(v)
	v.resolveSelection(sc)
	for _, r := range s.typed {
		msg := tea.KeyPressMsg{Code: r, Text: string(r)}
		switch r {
		case '\r':
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case '\t':
			msg = tea.KeyPressMsg{Code: tea.KeyTab}
		case '\v':
			msg = tea.KeyPressMsg{Code: tea.KeyDown, Mod: tea.ModShift}
		}
		a := v.passMessage(msg, sc)
		sc.Still = a.Still
		if !a.Taken {
			v.handleGlobalKey(msg, sc)
		}
		v.resolveSelection(sc)
		for _, ask := range a.Ask {
			if s.told != nil {
				v.passMessage(s.told(ask), sc)
				v.resolveSelection(sc)
			}
		}
	}
	if s.later != nil {
		s.later(v, sc)
	}
	return v, sc
}

// take draws a shot.
func (s shot) take(w, h int) *draw.Canvas { return s.takeFor(w, h, false) }

// takeFor draws a shot for a terminal that may show ASCII only.
func (s shot) takeFor(w, h int, ascii bool) *draw.Canvas {
	c := draw.New(w, h)
	v, sc := s.scene(w, h)
	sc.ASCII = ascii
	v.drawPage(&part.Frame{Canvas: c, Scene: sc})
	return c
}

var asciiTheme, darkTheme = uitest.ASCIITheme, uitest.DarkTheme

// dark are the shots that show what ASCII cannot: roles and glyphs.
var dark = []string{"overview", "ranks", "jobs", "users", "gpu", "processes-node", "signal-results", "environ", "metrics", "metrics-gone"}

// picturesOf returns shots as all pages' tests want them. Each page has more in its package.
func picturesOf(shown []shot) (list []uitest.Picture) {
	for _, s := range shown {
		snap := s.snap() // once: making a large one takes longer than drawing it
		s.snap = func() *cluster.Snapshot { return snap }
		list = append(list, uitest.Picture{Name: s.name, Dark: slices.Contains(dark, s.name), Take: s.takeFor,
			Odd: !slices.ContainsFunc(shots, func(golden shot) bool { return golden.name == s.name })})
	}
	return list
}

func TestGolden(t *testing.T) {
	raced.Skip(t)
	uitest.Golden(t, func(yield func(name, text string) bool) {
		for name, text := range uitest.Frames(picturesOf(shots)) {
			if !yield(name, text) {
				return
			}
		}
		tapeFrames(yield)
	})
}

// To draw a screen changes neither what is chosen nor the scene, and the same scene always gives the same picture.
func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, s := range allShots() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			snap := s.snap()
			s.snap = func() *cluster.Snapshot { return snap }
			for _, size := range [][2]int{{80, 24}, {200, 50}} {
				checkUnchanged(t, s, size[0], size[1])
			}
		})
	}
}

// checkUnchanged draws a shot twice, and compares it with one that was never drawn.
func checkUnchanged(t *testing.T, s shot, w, h int) {
	v, sc := s.scene(w, h)
	sameView, same := s.scene(w, h)
	var pictures [2]string
	for i := range pictures {
		c := draw.New(w, h)
		v.drawPage(&part.Frame{Canvas: c, Scene: sc})
		pictures[i] = string(darkTheme.Encode(nil, c))
	}
	if pictures[0] != pictures[1] {
		t.Error("the second picture differs from the first")
	}
	uitest.DiffPages(t, sameView, v)
	uitest.DiffScenes(t, same, sc)
}

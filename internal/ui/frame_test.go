package ui

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"charm.land/bubbles/v2/cursor"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/internal/ui/uitest"
	"github.com/nvnodetop/nvnodetop/test/golden"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// shot is one screen of one Snapshot.
type shot struct {
	name  string
	snap  func() *cluster.Snapshot
	view  func(v *view)
	typed string                   // then these keys are pressed; "\r" is Enter, "\t" Tab, "\v" Shift-↓
	told  func(nav.Ask) nav.Result // the answers to what they ask
	later func(v *view, s *part.Scene)

	columns rows.ChosenColumns
}

var shots = append(inspectShots(), []shot{
	{name: "node", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }},
	{name: "node-procs", snap: uitest.Fixture, view: func(v *view) {
		v.chooseNode("gpu-n02",
			1)
		v.node().Processes = node.ShowOn
	}},
	{name: "node-classic", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1); v.classic = true }},
	{name: "node-filter", snap: uitest.Fixture,
		view:  func(v *view) { v.chooseNode("gpu-n02", 1); v.node().Processes = node.ShowOn },
		typed: "/util<97 or pid=358761\r"},
	{name: "filter-prompt-node", snap: uitest.Fixture,
		view: func(v *view) { v.chooseNode("gpu-n02", 1); v.node().Processes = node.ShowOn }, typed: "/rank>12"},
	{name: "node-filter-none", snap: uitest.Fixture,
		view: func(v *view) { v.chooseNode("gpu-n02", 1); v.node().Processes = node.ShowOn }, typed: "/user=bob\r"},
	{name: "node-shared", snap: uitest.Fixture, view: func(v *view) { v.job = "48377"; v.node().Processes = node.ShowOn }},
	{name: "node-states", snap: uitest.StatesFixture, view: func(*view) {}},
	{name: "node-connecting", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n03", 2) }},
	{name: "node-refused", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n04", 3) }},
	{name: "connection", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnConnection }},
	{name: "log", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnLog }, later: readsLog(uitest.ALog)},
	{name: "log-ended", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }, typed: "Gl", later: readsLog(uitest.ALog)},
	{name: "log-error", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnLog },
		later: readsLog("", errors.New("the log is read through its node: \"gpu-n01\" is not connected"))},
	{name: "report", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }, typed: "Gkkkk\r",
		later: reports(uitest.AReport())},
	{name: "report-asking", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }, typed: "Gkkkk\r"},
	{name: "report-none", snap: uitest.NoJobsFixture, view: func(v *view) {
		v.on = keys.OnReport
		v.report.Arrive(&part.Scene{}, nav.Go{Report: "48377_2"})
	}, later: reports(nil, errors.New("SLURM's accounting does not show job \"48377_2\""))},
	{name: "stacks", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnStacks }, later: readsStacks(2)},
	{name: "stacks-asking", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnStacks }, later: readsStacks(0)},
	{name: "stacks-group", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnStacks },
		later: readsThen("j\r")},
	{name: "stacks-diff", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnStacks }, later: readsThen("jc")},
	{name: "cluster", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnCluster }, later: counts(uitest.ACluster(8))},
	{name: "cluster-nodes", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnCluster }, typed: "v",
		later: counts(uitest.ACluster(8))},
	{name: "cluster-partition", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnCluster },
		later: func(v *view, s *part.Scene) {
			counts(uitest.ACluster(8))(v, s)
			for _, k := range []string{"down", "down", "down", "down", "down", "down", "down", "enter"} {
				v.passMessage(pressed(k), s)
			}
			v.resolveSelection(s)
		}},
	{name: "cluster-1000", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnCluster }, typed: "v",
		later: counts(uitest.ACluster(1000))},
	{name: "cluster-all", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnCluster }, later: ofEveryone(2)},
	{name: "cluster-idle", snap: uitest.IdleFixture, view: func(v *view) { v.on = keys.OnCluster }, later: ofEveryone(3)},
	{name: "cluster-asking", snap: uitest.NoJobsFixture, view: func(v *view) { v.on = keys.OnCluster }},
	{name: "cluster-stale", snap: uitest.NoJobsFixture, view: func(v *view) { v.on = keys.OnCluster },
		later: counts(uitest.ACluster(8), uitest.ErrNoController)},
	{name: "cluster-hidden", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnCluster },
		later: counts(nil, uitest.ErrHiddenNodes)},
	{name: "cluster-none", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnCluster },
		later: counts(capacity.Of(&capacity.Supply{}, uitest.Now))},
	{name: "connection-transports", snap: uitest.DoorsFixture,
		view: func(v *view) { v.chooseNode("gpu-n04", 3); v.on = keys.OnConnection }},
	{name: "connection-passed", snap: uitest.PassedFixture,
		view: func(v *view) { v.chooseNode("gpu-n02", 1); v.on = keys.OnConnection }},
	{name: "overview", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n02", 1) }},
	{name: "overview-worst", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview; v.overview().Worst() }},
	{name: "overview-power", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n02", 1) },
		typed: "u"},
	{name: "overview-clock", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "uu"},
	{name: "overview-memory", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "uuu"},
	{name: "overview-temperature", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "uuuu"},
	{name: "heatmap-temperature", snap: uitest.BigFixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "uuuu"},
	{name: "times", snap: uitest.TroubledFixture, view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n02", 1) },
		typed: "vv"},
	{name: "times-64", snap: uitest.BigFixture, view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n044", 43) },
		typed: "v"},
	{name: "times-power", snap: uitest.TroubledFixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "vvus"},
	{name: "heatmap", snap: uitest.BigFixture, view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n017", 16) }},
	{name: "heatmap-200", snap: func() *cluster.Snapshot { return uitest.ManyFixture(200) },
		view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n0017", 16) }},
	{name: "heatmap-1000", snap: func() *cluster.Snapshot { return uitest.ManyFixture(1000) },
		view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n0017", 16) }},
	{name: "strips-1000", snap: func() *cluster.Snapshot { return uitest.SwitchedFixture(1000) },
		view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n0530", 529) }},
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
	{name: "problems-64", snap: uitest.BigFixture, view: func(v *view) { v.on = keys.OnProblems }, typed: "G"},
	{name: "ranks", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks }, typed: "n"},
	{name: "ranks-sorted", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks }, typed: "s"},
	{name: "ranks-unknown", snap: uitest.UnrankedFixture, view: func(v *view) { v.on = keys.OnRanks }},
	{name: "ranks-none", snap: uitest.NoGPUsFixture, view: func(v *view) { v.job = "48377"; v.on = keys.OnRanks }},
	{name: "jobs", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }},
	{name: "filter-prompt-jobs", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs },
		typed: "s/mmlu gpus<3"},
	{name: "jobs-1000", snap: func() *cluster.Snapshot { return uitest.TasksFixture(1000) },
		view: func(v *view) { v.on = keys.OnJobs }, typed: "G"},
	{name: "jobs-none", snap: func() *cluster.Snapshot {
		return &cluster.Snapshot{At: uitest.Now,
			Discovery: uitest.AwayFixture().Discovery}
	}, view: func(v *view) { v.on = keys.OnJobs }},
	{name: "users", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnUsers }, typed: "j"},
	{name: "byhand", snap: uitest.ByHandFixture, view: func(*view) {}},
	{name: "controller-away", snap: uitest.AwayFixture, view: func(v *view) { v.on = keys.OnOverview }},
	{name: "slurm-failed", snap: uitest.SlurmFailedFixture, view: func(*view) {}},
	{name: "filter-prompt", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "/N0 2"},
	{name: "filter-map", snap: uitest.BigFixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "/n03\r"},
	{name: "filter-prompt-wrong", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview },
		typed: "/n0\r/ utl<50 or x"},
	{name: "filter-prompt-tab", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks },
		typed: "/train u\t\t"},
	{name: "filter-ranks", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks },
		typed: "/sm<90 or state=gone\r"},
	{name: "filter-ranks-none", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks },
		typed: "/user=nobody\r"},
	{name: "filter-problems", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnProblems },
		typed: "/severity=warning\rj"},
	{name: "filter-problems-none", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnProblems },
		typed: "/letter=E\r"},
	{name: "filter-none", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "/gpu xyz\r"},
	{name: "gpu", snap: uitest.Fixture, view: showGPU("gpu-n02", 1, uitest.Fixture, 1)},
	{name: "marks", snap: uitest.MarksFixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }},
	{name: "marks-gpu", snap: uitest.MarksFixture, view: showGPU("gpu-n02", 1, uitest.MarksFixture, 1)},
	{name: "gpu-throttled", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n01", 0); v.on = keys.OnGPU }},
	{name: "gpu-old", snap: uitest.OldFixture, view: showGPU("gpu-n02", 1, uitest.OldFixture, 3)},
	{name: "gpu-lost", snap: uitest.StatesFixture, view: showGPU("gpu-n01", 0, uitest.StatesFixture, 2)},
	{name: "gpu-mig", snap: uitest.MigFixture, view: showGPU("gpu-n01", 0, uitest.MigFixture, 0)},
	{name: "gpu-instance", snap: uitest.MigFixture,
		view: func(v *view) {
			v.chooseNode("gpu-n01", 0)
			v.on = keys.OnGPU
			v.gpu().Arrive(nil, nav.Go{Node: "gpu-n01", GPU: "MIG-1"})
		}},
	{name: "node-mig", snap: uitest.TenthFixture,
		view: func(v *view) { v.chooseNode("gpu-n01", 0); v.node().Processes = node.ShowOn }},
	{name: "processes-gpu", snap: uitest.Fixture, view: showGPU("gpu-n02", 1, uitest.Fixture, 3), typed: "5"},
	{name: "processes-node", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }, typed: "5scj jj ki"},
	{name: "processes-shared", snap: uitest.Fixture, view: func(v *view) { v.job = "48377" }, typed: "5ss"},
	{name: "processes-job", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "5sg$"},
	{name: "processes-jobs", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "5w  k"},
	{name: "processes-tree", snap: uitest.TreeFixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }, typed: "5tjjj",
		told: uitest.Relatives},
	{name: "processes-filter", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview },
		typed: "5/sm<50 or gpu=7"},
	{name: "processes-none-match", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview },
		typed: "5/sm>200\r"},
	{name: "processes-sorting", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "5s"},
	{name: "processes-none", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n04", 3) }, typed: "5"},
	{name: "signal", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }, typed: "5  T"},
	{name: "signal-job", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "5K\t\t"},
	{name: "signal-others", snap: uitest.Fixture, view: func(v *view) { v.job = "48377" }, typed: "5   I"},
	{name: "signal-which", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }, typed: "5S"},
	{name: "signal-results", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks }, typed: "T\t\ty",
		told: uitest.SomeReplies},
	{name: "signal-family", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }, typed: "5K\t\t\t",
		told: uitest.SomeReplies},
	{name: "scancel", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }, typed: "5X4821\r"},
	{name: "scancel-signal", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }, typed: "5X\tusr1\r"},
	{name: "scancel-refused", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }, typed: "5X48211\r",
		told: uitest.SomeReplies},
	{
		name: "columns-node", snap: uitest.StatesFixture, view: func(v *view) { v.chooseNode("gpu-n01", 0) },
		columns: rows.ChosenColumns{Node: "flags,power_watts,temperature_celsius,util_percent,util_bar,history"},
	},
	{
		name: "columns-procs", snap: uitest.Fixture, view: func(v *view) { v.node().Processes = node.ShowOn },
		columns: rows.ChosenColumns{Node: "memory_used_bytes,util_percent", Processes: "gpu,command,cpu_percent,pid"},
	},
	{
		name: "columns-overview", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview },
		columns: rows.ChosenColumns{Overview: "health,power_sum_watts,gpus,memory_used_sum_bytes,memory_bar"},
	},
	{
		name: "columns-manager", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "5w  k",
		columns: rows.ChosenColumns{Processes: "command,cpu_percent,gpu,pid"},
	},
	{
		name: "columns-ranks", snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks }, typed: "n",
		columns: rows.ChosenColumns{Ranks: "sm_percent,node,host_memory_percent,user,type,gpu,cpu_percent,command"},
	},
	{
		name: "columns-jobs", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs },
		columns: rows.ChosenColumns{Jobs: "job,left_seconds,name,util_mean_percent,health"},
	},
	{
		name: "columns-users", snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnUsers },
		columns: rows.ChosenColumns{Users: "gpus,job,gpu_memory_bytes"},
	},
	{name: "settings", snap: uitest.Fixture, view: func(v *view) {
		v.settings.Begin(settings.Choices{Theme: draw.Colorblind, View: ViewAuto, Levels: part.Levels{60, 85},
			Columns: rows.ChosenColumns{Node: "gpu,temperature_celsius,util_percent"}})
		v.on = keys.OnSettings
	}, typed: "j\rjjjj\r\v"},
	{name: "settings-news", snap: uitest.Fixture, view: func(v *view) {
		v.settings.News = []settings.News{{Way: "terminal", On: true}, {Way: "command", Not: "notify.command is not set"},
			{Way: "webhook"}, {Way: "mail", Not: "there is no sendmail on this host"}}
		v.on = keys.OnSettings
	}, typed: "jjjjjjjjj"},
	{name: "settings-end", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnSettings }, typed: "G"},
	{name: "nogpus", snap: uitest.NoGPUsFixture, view: func(*view) {}},
	{name: "past-node", snap: uitest.PastFixture, view: func(v *view) { v.chooseNode("gpu-n04", 3) }},
	{name: "past-gpu", snap: uitest.PastFixture, view: showGPU("gpu-n04", 3, uitest.PastFixture, 5)},
	{name: "past-overview", snap: uitest.PastFixture,
		view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n04", 3) }},
	{name: "past-times", snap: uitest.PastFixture, view: func(v *view) { v.on = keys.OnOverview; v.chooseNode("gpu-n04", 3) },
		typed: "vv"},
	{name: "past-connection", snap: uitest.PastFixture,
		view: func(v *view) { v.chooseNode("gpu-n04", 3); v.on = keys.OnConnection }},
	{name: "past-ranks", snap: uitest.PastFixture, view: func(v *view) { v.chooseNode("gpu-n04", 3); v.on = keys.OnRanks }},
	{name: "ranks-programs", snap: uitest.ProgramsFixture, view: func(v *view) { v.on = keys.OnRanks }, typed: "n"},
	{name: "silence", snap: uitest.SilenceFixture, view: func(v *view) { v.on = keys.OnOverview }},
	{name: "silence-map", snap: uitest.SilenceFixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "v"},
	{name: "past-manager", snap: uitest.PastFixture, view: func(v *view) { v.chooseNode("gpu-n04", 3) }, typed: "5"},
}...)

// scene is what a shot shows in a terminal of that size.
func (s shot) scene(w, h int) (*view, *part.Scene) {
	v := newView(&Options{View: ViewNode})
	sc := &part.Scene{Snap: s.snap(), Columns: s.columns, Display: time.Second, Version: "nvnodetop 0.1.0",
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

var (
	asciiTheme = draw.NewTheme(colorprofile.NoTTY, false, true)
	darkTheme  = draw.NewTheme(colorprofile.TrueColor, false, false)
)

// dark are the shots that show what ASCII cannot: roles and glyphs.
var dark = []string{"node-classic", "node-shared", "node-states", "node-refused", "overview", "heatmap", "strips-1000",
	"times", "ranks", "jobs", "users", "gpu", "gpu-throttled", "gpu-lost", "processes-node", "processes-shared",
	"signal", "signal-results", "environ", "metrics", "metrics-gone", "copy-menu", "past-node", "past-gpu",
	"past-overview", "silence"}

func TestGolden(t *testing.T) {
	raced.Skip(t)
	for _, s := range shots {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				golden.Equal(t, "testdata/"+name+"-ascii.golden",
					string(asciiTheme.Encode(nil, s.takeFor(size[0], size[1], true)))+"\n")
			})
			if size[0] == 120 && slices.Contains(dark, s.name) {
				t.Run(name+"-dark", func(t *testing.T) {
					golden.Equal(t, "testdata/"+name+"-dark.golden",
						string(darkTheme.Encode(nil, s.take(size[0], size[1])))+"\n")
				})
			}
		}
	}
}

// everything compares what is not exported too. The cursor of an input has a number of its own. Functions, which say
// what a list is of, cannot be compared.
var everything = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.IgnoreTypes(cursor.Model{}), cmpopts.EquateNaNs(),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type().Kind() == reflect.Func }, cmp.Ignore()),
}

// To draw a screen changes neither what is chosen nor the scene, and the same scene always gives the same picture.
func TestDrawingChangesNothing(t *testing.T) {
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
	if diff := cmp.Diff(sameView, v, everything, theSame[cluster.Snapshot](), seenAlike(),
		theSame[cluster.GPU]()); diff != "" {
		t.Errorf("the view has changed:\n%s", diff)
	}
	if diff := cmp.Diff(same, sc, everything, theSame[cluster.JobView](), seenAlike(),
		cmpopts.IgnoreTypes(&cluster.Snapshot{}, &part.Memory{})); diff != "" {
		t.Errorf("the scene has changed:\n%s", diff)
	}
}

// seenAlike holds nodes with the same past to be the same, of which each scene makes its own.
func seenAlike() cmp.Option {
	return cmp.Comparer(func(a, b *cluster.Node) bool { return a == b || a.Past != nil && a.Past == b.Past })
}

// theSame compares what belongs to the Snapshot, which both scenes share, by its place.
func theSame[T any]() cmp.Option { return cmp.Comparer(func(a, b *T) bool { return a == b }) }

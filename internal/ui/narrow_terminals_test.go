package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

func linesOf(s shot, w, h int) []string {
	return withoutBar(linesOfAll(s, w, h))
}

// withoutBar leaves out the bar of pages: the tests count rows as the pages do.
func withoutBar(lines []string) []string {
	if len(lines) < part.Tall {
		return lines
	}
	return slices.Delete(slices.Clone(lines), header.BarRow, header.BarRow+1)
}

// onScreen returns a message with the row of the mouse as the screen counts it.
func onScreen(msg tea.Msg, s *part.Scene) tea.Msg {
	if m, is := msg.(tea.MouseClickMsg); is && s.WithBar && m.Y >= header.BarRow {
		m.Y++
		return m
	}
	return msg
}

// Nothing of the node's line runs into the tag that says that it is old, and the sentence below is whole or ends in
// "…".
func TestStaleLines(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, withFailure := range []bool{false, true} {
		snap := uitest.StatesFixture()
		if withFailure {
			n := snap.Nodes["gpu-n01"]
			n.Failure, n.RetryAt = &reach.Failure{Short: "connection closed by the node"}, uitest.Now.Add(9*time.Second)
		}
		s := shot{name: "stale", snap: func() *cluster.Snapshot { return snap }, view: func(*view) {}}
		for w := 40; w < 220; w++ {
			lines := linesOf(s, w, 30)
			before, tag, found := strings.Cut(lines[3], " [stale 12s]")
			if !found || tag != "" || strings.HasSuffix(before, "/") {
				t.Errorf("%d wide: %q", w, lines[3])
			}
			if sentence := strings.TrimSpace(lines[4]); !strings.HasSuffix(sentence, ".") &&
				!strings.HasSuffix(sentence, "…") {
				t.Errorf("%d wide: %q", w, sentence)
			}
		}
	}
}

// In low and narrow terminals there still is a word on what is wrong, and as many as there is room for.
func TestHealthInNarrowTerminals(t *testing.T) {
	s := shot{name: "overview", snap: uitest.Fixture,
		view: func(v *view) { v.on = keys.OnOverview; v.overview().Grid = overview.GridRows }}
	text := strings.Join(linesOf(s, 60, 20), "\n")
	for _, want := range []string{"login refused", "thermal 87°C", "2 ECC errors"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q:\n%s", want, text)
		}
	}
}

// Rows 0 and 1 have the job and the worst of what is wrong, however narrow they are.
func TestHeaderInNarrowTerminals(t *testing.T) {
	s := shot{name: "node", snap: uitest.Fixture, view: func(*view) {}}
	for w := 28; w < 120; w++ {
		lines := linesOf(s, w, 24)
		if !strings.HasPrefix(lines[0], " Job 48211 ll") || !strings.Contains(lines[0], " 18:42:07") {
			t.Errorf("%d wide: %q", w, lines[0])
		}
		if !strings.Contains(lines[1], "login refused") {
			t.Errorf("%d wide: %q", w, lines[1])
		}
	}
}

// A number that does not fit loses its digits' meaning: it must be whole, or not there.
func TestNumbersAreNeverCut(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	s := shot{name: "large", snap: func() *cluster.Snapshot {
		snap := uitest.Fixture()
		n := snap.Nodes["gpu-n02"]
		for i := range n.GPUs {
			uitest.Set(n.GPUs[i].GPU, uitest.Values{"sm": 10001, "mem": 10001, "power": 10200, "limit": 11200, "used": 1 << 20,
				"total": 2 << 20})
		}
		for i := range n.Processes {
			n.Processes[i].CPUPercent, n.Processes[i].PID, n.Processes[i].Command = new(12800.5), 4194303, "train"
		}
		return snap
	}, view: func(v *view) { v.chooseNode("gpu-n02", 1); v.node().Processes = node.ShowOn }}
	for w := 60; w < 240; w++ {
		for _, line := range linesOf(s, w, 40)[3:24] {
			for i, r := range line {
				if r == '…' && i > 0 && line[i-1] >= '0' && line[i-1] <= '9' {
					t.Fatalf("%d wide: a number is cut in %q", w, line)
				}
			}
		}
	}
}

// A second flag is shown at the cost of the first one's age.
func TestTwoFlags(t *testing.T) {
	s := shot{name: "flags", snap: func() *cluster.Snapshot {
		snap := uitest.Fixture()
		two := snap.Jobs[0].Findings[1]
		two.Kind = cluster.KindPowerBrake
		snap.Jobs[0].Findings = append(snap.Jobs[0].Findings, two)
		return snap
	}, view: func(*view) {}}
	if text := strings.Join(linesOf(s, 80, 24), "\n"); !strings.Contains(text, "!THERMAL +1") {
		t.Errorf("there is no second flag:\n%s", text)
	}
	if text := strings.Join(linesOf(s, 200, 50), "\n"); !strings.Contains(text, "!THERMAL 40s +1") {
		t.Errorf("there is room for the age:\n%s", text)
	}
}

// This host has no name to resolve and no login: such stages do not stand there as pending.
func TestConnectionHasTheStagesOfTheWay(t *testing.T) {
	s := shot{name: "connection", snap: func() *cluster.Snapshot {
		snap := uitest.Fixture()
		for _, n := range snap.Nodes {
			n.State, n.Failure = cluster.NodeReporting, nil
			n.Route.Stages = []reach.Stage{"probe", "driver", "stream"}
			n.Steps = nil
			for _, stage := range n.Route.Stages {
				n.Steps = append(n.Steps, reach.Step{Stage: stage, State: reach.StepDone, Text: "well"})
			}
		}
		return snap
	}, view: func(v *view) { v.on = keys.OnConnection }}
	for _, h := range []int{20, 50} {
		text := strings.Join(linesOf(s, 100, h), "\n")
		if strings.Contains(text, "pending") || strings.Contains(text, "  login ") || strings.Count(text, "well") < 3 {
			t.Errorf("%d rows:\n%s", h, text)
		}
	}
}

// A low terminal says what went wrong, and what can be done rather than what it means.
func TestConnectionInLowTerminals(t *testing.T) {
	s := shot{name: "refused", snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n04", 3) }}
	for h, want := range map[int][]string{
		9:  {"closed by PAM", "Access denied"},
		16: {"closed by PAM", "pending", "Access denied", "Look for a crashed rank"},
		24: {"closed by PAM", "pending: probe, driver, stream", "Access denied", "Look for a crashed rank",
			"shows the refusal", "SLURM lists this node"},
	} {
		text := strings.Join(linesOf(s, 80, h), "\n")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%d rows have no %q:\n%s", h, w, text)
			}
		}
	}
}

// In a narrow terminal a problem is whole: its sentence stands below its place.
func TestProblemsInNarrowTerminals(t *testing.T) {
	d := newDesk(t, shot{snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnProblems }}, 40, 12)
	text := strings.Join(d.lines(), "\n")
	for _, want := range []string{"gpu-n04\n   Login refused:", "job's output"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

// Without room for a graph of a GPU, its problem has the rows.
func TestShortPageOfAGPU(t *testing.T) {
	d := newDesk(t, shot{snap: uitest.Fixture, view: showGPU("gpu-n02", 1, uitest.Fixture, 3)}, 60, 10)
	if text := strings.Join(d.lines(), "\n"); !strings.Contains(text, "→ ") ||
		!strings.Contains(text, "report it to your admins") {
		t.Errorf("the page shows\n%s", text)
	}
}

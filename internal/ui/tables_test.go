package ui

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// Columns of the queue stay apart, and the tasks of an array can be told apart, in terminals of every width.
func TestPendingColumns(t *testing.T) {
	s := shot{name: "nojobs", snap: uitest.NoJobsFixture, view: func(*view) {}}
	for w := 60; w <= 200; w += 10 {
		text := strings.Join(linesOf(s, w, 40), "\n")
		if !regexp.MustCompile(`4850\S*12\]  +a-very-lo`).MatchString(text) {
			t.Errorf("%d wide:\n%s", w, text)
		}
	}
	if text := strings.Join(linesOf(s, 120, 40), "\n"); !strings.Contains(text,
		"48500_[1-400%12]      a-very-long-job-name-for-a-sweep") || !strings.Contains(text, "QOSMaxGRESPerUser") {
		t.Errorf("there is room:\n%s", text)
	}
}

// Which of several clusters was asked is said on each page that shows SLURM's answer.
func TestSeveralClustersAreSaid(t *testing.T) {
	const note = "only one cluster is asked"
	noted := func(snap *cluster.Snapshot) func() *cluster.Snapshot {
		snap.Discovery.Note = note
		return func() *cluster.Snapshot { return snap }
	}
	calm := uitest.Fixture()
	for i := range calm.Jobs {
		calm.Jobs[i].Findings = nil
	}
	for name, s := range map[string]shot{
		"no jobs":  {snap: noted(uitest.NoJobsFixture()), view: func(*view) {}},
		"jobs":     {snap: noted(uitest.Fixture()), view: func(v *view) { v.on = keys.OnJobs }},
		"overview": {snap: noted(calm), view: func(v *view) { v.on = keys.OnOverview }},
	} {
		if text := strings.Join(linesOf(s, 160, 40), "\n"); !strings.Contains(text, note) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// A letter does not touch the number behind it: "97P100" would be a model.
func TestLettersStandApart(t *testing.T) {
	s := shot{name: "cells", snap: func() *cluster.Snapshot {
		snap := trouble(uitest.Fixture(), "gpu-n01", 4)
		for i := range snap.Nodes["gpu-n01"].GPUs {
			uitest.Set(snap.Nodes["gpu-n01"].GPUs[i].GPU, uitest.Values{"util": 100})
		}
		return snap
	}, view: func(v *view) { v.on = keys.OnOverview }}
	for w := 124; w <= 300; w += 4 {
		if w >= 160 && w < 188 { // the pane leaves less room
			continue
		}
		if lines := linesOf(s, w, 40); !strings.Contains(lines[4], "100T 100T 100 ") {
			t.Errorf("%d wide: %q", w, lines[4])
		}
	}
}

// Ten kilowatts stand apart from the memory before them.
func TestPowerStandsApart(t *testing.T) {
	s := shot{name: "power", snap: func() *cluster.Snapshot {
		snap := uitest.Fixture()
		for _, name := range []string{"gpu-n01", "gpu-n02"} {
			for i := range snap.Nodes[name].GPUs {
				uitest.Set(snap.Nodes[name].GPUs[i].GPU, uitest.Values{"power": 900, "limit": 1000})
			}
		}
		return snap
	}, view: func(v *view) { v.on = keys.OnOverview }}
	for w := 78; w < 160; w++ { // then the pane has it
		if w >= 80 && w < 102 { // the numbers of the GPUs have its room
			continue
		}
		lines := linesOf(s, w, 40)
		at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "JOB ") })
		if !strings.Contains(lines[at], " 14.4/16.0kW") {
			t.Errorf("%d wide: %q", w, lines[at])
		}
	}
}

// GPUs of one model are not named one by one: the line of the node has the model.
func TestNamesOfModels(t *testing.T) {
	for _, several := range []bool{false, true} {
		s := shot{name: "models", snap: func() *cluster.Snapshot {
			snap := uitest.Fixture()
			if several {
				snap.Nodes["gpu-n01"].GPUs[3].Card.Name = "NVIDIA A30"
			}
			return snap
		}, view: func(*view) {}}
		lines := linesOf(s, 140, 40)
		if got := strings.Contains(lines[5], " NAME "); got != several {
			t.Errorf("several models: %v, named: %v\n%s", several, got, strings.Join(lines, "\n"))
		}
		if !strings.Contains(lines[3], "H100") {
			t.Errorf("the node's line does not name the model: %q", lines[3])
		}
	}
}

// The owner of the other GPUs fits into its column, and the task of an array is visible.
func TestOwners(t *testing.T) {
	s := shot{name: "shared", snap: func() *cluster.Snapshot {
		snap := uitest.Fixture()
		n := snap.Nodes["gpu-s11"]
		n.Listed, n.Processes = false, nil
		sibling := snap.Jobs[1]
		sibling.ID, sibling.Minors = "48377_1204", map[string][]int{"gpu-s11": {5}}
		snap.Jobs = append(snap.Jobs, sibling)
		return snap
	}, view: func(v *view) { v.job = "48377" }}
	for w := 80; w <= 200; w += 8 {
		text := strings.Join(linesOf(s, w, 40), "\n")
		if strings.Count(text, "other job\n") != 5 || !regexp.MustCompile(`job 4\S*4\n`).MatchString(text) {
			t.Errorf("%d wide:\n%s", w, text)
		}
	}
}

// How many GPUs count is never cut.
func TestHowManyCount(t *testing.T) {
	t.Parallel()
	s := shot{name: "rows", snap: uitest.BigFixture,
		view: func(v *view) { v.on = keys.OnOverview; v.overview().Grid = overview.GridRows }}
	for w := 40; w <= 200; w += 5 {
		lines := linesOf(s, w, 24)
		at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "JOB ") })
		if !regexp.MustCompile(`488( of |/)512( |$)`).MatchString(lines[at]) {
			t.Errorf("%d wide: %q", w, lines[at])
		}
	}
}

// A sum that lacks GPUs is marked in terminals of every width with room for a number.
func TestWhatASumCounts(t *testing.T) {
	s := shot{name: "states", snap: uitest.StatesFixture, view: func(*view) {}}
	for w := 40; w <= 200; w += 5 {
		if text := strings.Join(linesOf(s, w, 40), "\n"); !regexp.MustCompile(`ALL \(?6( of |/)8`).MatchString(text) {
			t.Errorf("%d wide:\n%s", w, text)
		}
	}
}

// Row 1, the total and the graphs count the same GPUs: those that report, neither lost nor hung.
func TestCountsAgree(t *testing.T) {
	snap := uitest.Fixture()
	uitest.Forget(&snap.Nodes["gpu-n01"].GPUs[2], "GPU is lost")
	snap.Jobs[0].GPUsSeen, snap.Jobs[0].Findings = 15, nil
	for _, grid := range []overview.Grid{overview.GridRows, overview.GridMap} {
		s := shot{name: "counts", snap: func() *cluster.Snapshot { return snap },
			view: func(v *view) { v.on, v.overview().Grid = keys.OnOverview, grid }}
		text := strings.Join(linesOf(s, 120, 40), "\n")
		if n := strings.Count(text, "15 of 32 GPUs"); n != 3 || strings.Contains(text, "16 of") ||
			strings.Contains(text, "16 GPUs") {
			t.Errorf("%d times 15 of 32:\n%s", n, text)
		}
	}
}

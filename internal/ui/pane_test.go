package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// beside returns what a desk shows right of the rule beside its list; "": there is no pane.
func (d *desk) beside() string {
	var pane []string
	for _, line := range d.lines() {
		if _, right, there := strings.Cut(line, "│"); there {
			pane = append(pane, strings.TrimRight(right, " "))
		}
	}
	return strings.TrimSpace(strings.Join(pane, "\n"))
}

// From 160 columns on, the row under the cursor is in full beside each list, and follows the cursor.
func TestAPaneBesideEachList(t *testing.T) {
	for _, test := range []struct {
		page  keys.Page
		moves string
		want  []string
	}{
		{keys.OnOverview, "", []string{"gpu-n01  CPU", "Processes", "Node history"}},
		{keys.OnOverview, "down", []string{"gpu-n02  CPU"}},
		{keys.OnOverview, "right", []string{"gpu-n01  GPU0", "Last 10 min", "Links and errors"}},
		{keys.OnProblems, "home", []string{"gpu-n04: login refused", "What to try"}},
		{keys.OnProblems, "home down", []string{"gpu-n01  GPU5", "Thermal", "→ ", "Throttle reasons"}},
		{keys.OnRanks, "home", []string{"command    python", "rank       0 of", "gpu-n01  GPU0"}},
		{keys.OnProcesses, "home", []string{"command    python", "PID", "gpu-n01  GPU0"}},
		{keys.OnJobs, "home", []string{"Job 48211", "gpu-n04", "Problems"}},
		{keys.OnJobs, "home down down down", []string{"48390  llama-70b-cont", "pending: starts in 3h10m",
			"4 nodes, 32 GPUs"}},
		{keys.OnUsers, "home", []string{"alice on 3 nodes", "gpu-n01 gpu-n02 gpu-s11"}},
	} {
		for _, w := range []int{159, 160, 200, 300} {
			d := newDesk(t, shot{snap: uitest.JobsFixture, view: func(v *view) { v.on = test.page }}, w, 50)
			for _, move := range strings.Fields(test.moves) {
				d.press(move)
			}
			got := d.beside()
			for _, want := range test.want {
				if w >= 160 != strings.Contains(got, want) {
					t.Errorf("%s %s, %d wide: %q in\n%s", test.page, test.moves, w, want, got)
				}
			}
		}
	}
}

// The arrows lead along the GPUs of a node; Enter and a click on the pane open what it shows. The cursor stays in its
// column on another node.
func TestGPUsInTheOverview(t *testing.T) {
	click := tea.MouseClickMsg{X: 110, Y: 20, Button: tea.MouseLeft}
	for _, test := range []struct {
		moves, where string
		gpu          int
	}{
		{"enter", "48211/gpu-n01 0", -1}, {"right enter", "48211/gpu-n01 gpu", 0},
		{"right right down enter", "48211/gpu-n02 gpu", 1}, {"right left enter", "48211/gpu-n01 0", -1},
		{"left left right enter", "48211/gpu-n01 gpu", 0}, {"right click", "48211/gpu-n01 gpu", 0},
		{"click", "48211/gpu-n01 0", -1},
		{"right right right right right right right right right enter", "48211/gpu-n01 gpu", 7},
	} {
		r := newRig(t, uitest.Fixture())
		r.send(tea.WindowSizeMsg{Width: 160, Height: 50})
		r.press("o")
		for _, move := range strings.Fields(test.moves) {
			if move == "click" {
				r.send(click)
			} else {
				r.press(move)
			}
		}
		if r.where() != test.where || test.gpu >= 0 && r.shows() != test.gpu {
			t.Errorf("%s leads to %s, GPU%d, want %s, GPU%d", test.moves, r.where(), r.shows(), test.where, test.gpu)
		}
	}
}

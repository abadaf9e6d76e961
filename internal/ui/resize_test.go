package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// resize gives the terminal another size.
func (r *rig) resize(w, h int) {
	r.t.Helper()
	r.screen.Resize(w, h)
	r.send(tea.WindowSizeMsg{Width: w, Height: h})
}

// checkGeometry says that the screen has the exact height, and no line that is wider than the terminal.
func (r *rig) checkGeometry(name string, w, h int) {
	r.t.Helper()
	lines := strings.Split(ansi.Strip(r.screen.Render()), "\n")
	if len(lines) != h || !strings.Contains(lines[h-1], "q quit") && !strings.Contains(lines[h-1], "close") {
		r.t.Errorf("%s in %d×%d has %d lines; the last is %q", name, w, h, len(lines), lines[len(lines)-1])
	}
	for y, line := range lines {
		if wide := ansi.StringWidth(line); wide > w {
			r.t.Errorf("%s in %d×%d: line %d has %d columns", name, w, h, y, wide)
		}
	}
}

// walked are the pages, with the keys that lead to them, what is on them in every size, and where n and then N lead.
var walked = []struct {
	name, keys string
	where      string
	cursor     string // in the row with the cursor; "": there is none
	shows      string
	n, N       string // after these keys the selection is there
}{
	{"node view", "right", "48211/gpu-n02 0", "", "gpu-n02", "48211/gpu-n03 0", "48211/gpu-n01 0"},
	{"processes", "right p p", "48211/gpu-n02 0", "", "gpu-n02", "48211/gpu-n03 0", "48211/gpu-n01 0"},
	{"a node that does not report", "left", "48211/gpu-n04 0", "", "gpu-n04", "48211/gpu-n01 0", "48211/gpu-n04 0"},
	{"overview", "o down", "48211/gpu-n02 1", "gpu-n02", "JOB", "48211/gpu-n03 1", "48211/gpu-n01 1"},
	{"overview, worst first", "o s down", "48211/gpu-n01 1", "gpu-n01", "JOB", "48211/gpu-n03 1", "48211/gpu-n01 1"},
	{"overview, power", "o u down down", "48211/gpu-n03 1", "gpu-n03", "power", "48211/gpu-n04 1", "48211/gpu-n03 1"},
	{"heat map", "o v right", "48211/gpu-n03 1", "", "AVG", "48211/gpu-n04 1", "48211/gpu-n03 1"},
	{"nodes over time", "o v v down", "48211/gpu-n02 1", "gpu-n02", "lowest utilization", "48211/gpu-n03 1",
		"48211/gpu-n01 1"},
	{"filter", "o / n 0 2 enter", "48211/gpu-n02 1", "gpu-n02", "1 of 4 nodes matches", "48211/gpu-n02 1",
		"48211/gpu-n02 1"},
	{"problems", "! home down", "48211/gpu-n01 3", "GPU5", "Problems of job", "48211/gpu-n03 3", "48211/gpu-n01 3"},
	{"ranks", "right m down", "48211/gpu-n02 ranks", "    14 ", "Ranks of job", "48211/gpu-n01 ranks",
		"48211/gpu-n02 ranks"},
	{"ranks, sorted", "m s s down", "48211/gpu-n02 ranks", "358811", "Ranks of job", "48211/gpu-n01 ranks",
		"48211/gpu-n02 ranks"},
	{"GPU", "enter right", "48211/gpu-n01 gpu", "", "GPU6", "48211/gpu-n03 gpu", "48211/gpu-n01 gpu"},
	{"GPU of another node", "right enter left", "48211/gpu-n02 gpu", "", "GPU7", "48211/gpu-n03 gpu",
		"48211/gpu-n01 gpu"},
	{"connection", "right d", "48211/gpu-n02 2", "", "gpu-n02", "48211/gpu-n03 2", "48211/gpu-n01 2"},
	{"palette", "?", "48211/gpu-n01 4", "", "record to a file", "48211/gpu-n01 4", "48211/gpu-n01 4"},
}

// From each page a terminal may be made smaller and larger: the page and the selection stay, and at the old size it is
// what it was.
func TestResizeFromEveryPage(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, p := range walked {
		r := newRig(t, uitest.RanksFixture())
		r.press(strings.Fields(p.keys)...)
		before, at := r.text(), strings.TrimRight(r.cursorLine(), " ")
		if r.where() != p.where || !strings.Contains(at, p.cursor) {
			t.Errorf("%s: %q leads to %s, with the cursor on %q:\n%s", p.name, p.keys, r.where(), at, before)
			continue
		}
		for _, size := range [][2]int{{80, 24}, {200, 50}, {60, 20}, {30, 8}, {120, 40}} {
			r.resize(size[0], size[1])
			if r.where() != p.where {
				t.Errorf("%s: %d×%d leads to %s", p.name, size[0], size[1], r.where())
			}
			if size[0] < 60 {
				continue // no room for names
			}
			r.checkGeometry(p.name, size[0], size[1])
			if !strings.Contains(r.text(), p.shows) || !strings.Contains(r.cursorLine(), p.cursor) {
				t.Errorf("%s in %d×%d has no %q, or the cursor on %q:\n%s", p.name, size[0], size[1], p.shows,
					r.cursorLine(), r.text())
			}
		}
		if after := r.text(); after != before {
			t.Errorf("%s has changed from\n%s\nto\n%s", p.name, before, after)
		}
	}
}

// n and N lead from each page, in a small terminal too, to the next problem and to the one before, and stay on the
// page.
func TestProblemKeysOnEveryPage(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, p := range walked {
		for _, size := range [][2]int{{120, 40}, {80, 24}, {60, 20}} {
			r := newRig(t, uitest.RanksFixture())
			r.press(strings.Fields(p.keys)...)
			r.resize(size[0], size[1])
			if r.press("n"); r.where() != p.n {
				t.Errorf("%s in %v: n leads to %s, want %s", p.name, size, r.where(), p.n)
			}
			if r.press("N"); r.where() != p.N {
				t.Errorf("%s in %v: N leads back to %s, want %s", p.name, size, r.where(), p.N)
			}
			r.checkGeometry(p.name, size[0], size[1])
		}
	}
}

// While a terminal changes its size a job may end and its nodes may go: the page goes to what is left.
func TestResizeWhileAJobEnds(t *testing.T) {
	t.Parallel()
	for _, p := range walked {
		r := newRig(t, uitest.RanksFixture())
		r.press(strings.Fields(p.keys)...)
		r.snap = uitest.RanksFixture()
		r.snap.Jobs = slices.DeleteFunc(r.snap.Jobs, func(j cluster.JobView) bool { return j.ID == "48211" })
		r.send(tick{r.chain})
		for _, size := range [][2]int{{80, 24}, {200, 50}, {60, 20}} {
			r.resize(size[0], size[1])
			if !strings.HasPrefix(r.where(), "48377/gpu-s11") {
				t.Errorf("%s in %v: the selection is %s", p.name, size, r.where())
			}
			r.checkGeometry(p.name, size[0], size[1])
		}
	}
}

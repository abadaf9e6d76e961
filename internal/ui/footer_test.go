package ui

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// The page of processes names its scope, tree, signals and order in 80 columns too.
func TestFooterOfTheProcesses(t *testing.T) {
	for w, want := range map[int]string{
		80:  "1-9  Enter open  / filter  w scope  t tree  T signal  s sort  ? all  q quit",
		100: "1-9 pages  Enter open  ←→ column  / filter  w scope  t tree  T signal  s sort: GPU  ? all  q quit",
		140: "1-9 pages  Enter open  ←→ column  / filter  w scope  t tree  T signal  s sort: GPU  e environment  " +
			"Space tag  y copy  ? all  q quit",
	} {
		r := newRig(t, uitest.Fixture())
		r.resize(w, 24)
		if r.press("5"); strings.TrimSpace(footOf(r)) != want {
			t.Errorf("%d wide: %q, want %q", w, footOf(r), want)
		}
	}
}

// The footers of all pages have the keys in one order.
func TestFootersHaveOneOrder(t *testing.T) {
	t.Parallel()
	order := []string{"1-9", "Enter", "Esc", "←→", "↑↓", "[]", "/", "w", "t", "T", "s", "v", "p", "n", "()", "?", "q"}
	key := regexp.MustCompile(`(?:^|  )(\S+) [^ ]`)
	for _, w := range []int{60, 80, 100, 120, 200} {
		for digit := range digits {
			r := lived(t, uitest.Fixture, 30*time.Second)
			r.resize(w, 24)
			r.press(digit)
			var at []int
			for _, m := range key.FindAllStringSubmatch(strings.TrimSpace(footOf(r)), -1) {
				if i := slices.Index(order, m[1]); i >= 0 {
					at = append(at, i)
				}
			}
			if !slices.IsSorted(at) || len(at) < 3 {
				t.Errorf("page %s, %d wide: %q", digit, w, footOf(r))
			}
			if digit != "0" && w == 200 && !strings.Contains(footOf(r), "() past") {
				t.Errorf("page %s does not say that one can look back: %q", digit, footOf(r))
			}
		}
	}
}

// Esc leads back to the page from which the user has come, and the footer names it. In the overview it leads to the
// jobs after a visit there, and it ends somewhere.
func TestEscLeadsBack(t *testing.T) {
	for typed, want := range map[string][]keys.Page{
		"2":             {keys.OnOverview},
		"1 2":           {keys.OnJobs, keys.OnOverview},
		"1 enter":       {keys.OnJobs, keys.OnOverview},
		"1 enter enter": {keys.OnOverview},
		"7 2 3":         {keys.OnOverview},
		"7 3":           {keys.OnProblems, keys.OnOverview},
		"1 3":           {keys.OnJobs, keys.OnOverview},
		"8 1 5 2":       {keys.OnOverview},
		"3 4 5":         {keys.OnGPU, keys.OnNode, keys.OnOverview},
		"3 4 5 2":       {keys.OnProcesses, keys.OnOverview},
	} {
		r := newRig(t, uitest.Fixture())
		r.resize(200, 24)
		r.press("2")
		r.press(strings.Fields(typed)...)
		for _, page := range want {
			if r.view.on != page {
				out := entryOf(page).number.Help().Desc
				if !strings.Contains(footOf(r), "Esc "+out+" ") {
					t.Errorf("%q: the footer does not name %s: %q", typed, out, footOf(r))
				}
				r.press("esc")
			}
			if r.view.on != page {
				t.Fatalf("%q: Esc leads to %s, not to %s", typed, r.view.on, page)
			}
		}
		if r.press("esc"); r.view.on != keys.OnOverview || strings.Contains(footOf(r), "Esc") {
			t.Errorf("%q: the last Esc leads to %s: %q", typed, r.view.on, footOf(r))
		}
	}
}

// A click on a key of the footer does what the key does, on every page; the left half of two keys is the first. Behind
// a dialog the footer does nothing: there y sends a signal.
func TestClicksOnTheFooter(t *testing.T) {
	t.Parallel()
	click := func(r *rig, hint string, right int) {
		t.Helper()
		lines := strings.Split(strings.TrimRight(r.screen.String(), "\n"), "\n")
		last := len(lines) - 1
		at := strings.Index(lines[last], hint)
		if at < 0 {
			t.Fatalf("there is no %q in %q", hint, lines[last])
		}
		r.send(tea.MouseClickMsg{X: len([]rune(lines[last][:at])) + right, Y: r.scene.H - 1, Button: tea.MouseLeft})
	}
	for _, test := range []struct {
		before, hint string
		right        int
		key          string
	}{
		{"2", "v map", 4, "v"}, {"2", "Enter open", 7, "enter"}, {"3", "←→ node", 0, "left"}, {"3", "←→ node", 1, "right"},
		{"5", "s sort", 2, "s"}, {"6", "Esc node", 2, "esc"}, {"7", "? all", 1, "?"}, {"2 ?", "Esc close", 0, "esc"},
		{"0 " + strings.Repeat("down ", 9), "Shift-↓ move", 3, "shift+down"},
		{"5", "T signal", 0, "T"}, {"1", "Enter open", 0, "enter"},
	} {
		clicked, typed := newRig(t, uitest.Fixture()), newRig(t, uitest.Fixture())
		for _, r := range []*rig{clicked, typed} {
			r.resize(160, 40)
			r.press(strings.Fields(test.before)...)
		}
		click(clicked, test.hint, test.right)
		if typed.press(test.key); clicked.state() != typed.state() {
			t.Errorf("%s: a click on %q leads to\n%s\nits key to\n%s", test.before, test.hint, clicked.text(), typed.text())
		}
	}
	r := newRig(t, uitest.Fixture())
	r.resize(160, 40)
	r.press("5", "T")
	r.send(stillMsg{r.rested})
	if click(r, "y copy", 0); r.heard.signals > 0 || !strings.Contains(r.text(), "y send") {
		t.Errorf("a click behind the dialog sends %d signals:\n%s", r.heard.signals, r.text())
	}
}

package ui

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// The page of processes names its scope, tree, signals and order in 80 columns too.
func TestFooterOfTheProcesses(t *testing.T) {
	for w, want := range map[int]string{
		80:  "1-9  Enter open  / filter  w scope  t tree  T signal  s sort  ? all  q quit",
		100: "1-9 pages  Enter open  ←→ column  / filter  w scope  t tree  T signal  s sort: GPU  ? all  q quit",
		140: "1-9 pages  Enter open  ←→ column  / filter  w scope  t tree  T signal  s sort: GPU  e environment  " +
			"Space tag  y copy  ? all  q quit",
	} {
		r := newRig(t, fixture())
		r.resize(w, 24)
		if r.press("5"); strings.TrimSpace(footOf(r)) != want {
			t.Errorf("%d wide: %q, want %q", w, footOf(r), want)
		}
	}
}

// The footers of all pages have the keys in one order.
func TestFootersHaveOneOrder(t *testing.T) {
	order := []string{"1-9", "Enter", "Esc", "←→", "↑↓", "[]", "/", "w", "t", "T", "s", "v", "p", "n", "()", "?", "q"}
	key := regexp.MustCompile(`(?:^|  )(\S+) [^ ]`)
	for _, w := range []int{60, 80, 100, 120, 200} {
		for digit := range digits {
			r := lived(t, fixture, 30*time.Second)
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
		r := newRig(t, fixture())
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

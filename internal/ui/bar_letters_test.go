package ui

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// clickOn clicks on the first column of a text in a row of the terminal.
func clickOn(t *testing.T, r *rig, y int, text string) {
	t.Helper()
	before, _, is := strings.Cut(strings.Split(r.screen.String(), "\n")[y], text)
	if !is {
		t.Fatalf("row %d lacks %q:\n%s", y, text, r.screen.String())
	}
	r.Update(tea.MouseClickMsg{X: len([]rune(before)), Y: y, Button: tea.MouseLeft})
	r.send(nil) // draws
}

// The bar has the pages that only letters lead to, too. A click leads there from every page, also where the letter has
// another meaning, and a second click stays there. The page on the screen keeps its place in the bar.
func TestClicksOnLettersOfTheBar(t *testing.T) {
	letters := map[string]keys.Page{"b stacks": keys.OnStacks, "c cluster": keys.OnCluster, "l log": keys.OnLog}
	for _, w := range []int{120, 200} {
		for at, from := range helpPages {
			if slices.Contains([]keys.Page{keys.OnNoJobs, keys.OnEnviron, keys.OnDetails, keys.OnMetrics}, from.page) {
				continue
			}
			for chip, to := range letters {
				r := onPage(t, at)
				r.resize(w, 40)
				bar := strings.Split(r.screen.String(), "\n")[header.BarRow]
				for range 2 {
					if clickOn(t, r, header.BarRow, chip); r.view.on != to {
						t.Errorf("%d wide, on %s: a click on %q leads to %s", w, from.page, chip, r.view.on)
					}
				}
				if now := strings.Split(r.screen.String(), "\n")[header.BarRow]; now != bar {
					t.Errorf("the bar changes from %q to %q", bar, now)
				}
			}
		}
	}
}

// The letters lead there from pages that are about no single job, too: the bar shows them.
func TestLettersOfTheBar(t *testing.T) {
	for _, from := range []string{"0", "1", "8"} {
		for letter, to := range map[string]keys.Page{"b": keys.OnStacks, "c": keys.OnCluster, "l": keys.OnLog} {
			r := newRig(t, uitest.Fixture())
			if r.press(from, letter); r.view.on != to {
				t.Errorf("from %s %s leads to %s", from, letter, r.view.on)
			}
		}
	}
}

// A click on a tab or on a problem of row 1 leads there.
func TestClicksOnTheHeader(t *testing.T) {
	snap := uitest.Fixture()
	for name, n := range snap.Nodes {
		for i := range n.GPUs {
			n.GPUs[i].Key = name + "-" + strconv.Itoa(i)
		}
	}
	r := newRig(t, snap)
	r.resize(120, 40)
	r.press("3")
	node := r.scene.Job.Nodes[1]
	if clickOn(t, r, header.BarRow+1, node); r.view.on != keys.OnNode || r.scene.Node.Name != node {
		t.Errorf("a click on %s leads to %s on %s", node, r.view.on, r.scene.Node.Name)
	}
	r.press("4")
	clickOn(t, r, header.BarRow+1, "GPU2")
	clicked := r.screen.String()
	r.press("left")
	before := r.screen.String()
	if r.press("right"); before == clicked || r.screen.String() != clicked {
		t.Errorf("a click on GPU2 leads to\n%s", clicked)
	}
	r.press("2")
	problem := strings.Fields(strings.Split(r.screen.String(), "\n")[1])
	clickOn(t, r, 1, problem[1])
	if !slices.Contains([]keys.Page{keys.OnGPU, keys.OnNode, keys.OnStacks, keys.OnProblems}, r.view.on) {
		t.Errorf("a click on %q leads to %s", problem, r.view.on)
	}
	r.press("2", "/")
	if clickOn(t, r, 1, problem[1]); r.view.on != keys.OnOverview {
		t.Errorf("a click leads away from a prompt, to %s", r.view.on)
	}
}

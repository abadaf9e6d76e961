package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// digits lead to these pages.
var digits = map[string]keys.Page{"1": keys.OnJobs, "2": keys.OnOverview, "3": keys.OnNode, "4": keys.OnGPU,
	"5": keys.OnProcesses, "6": keys.OnRanks, "7": keys.OnProblems, "8": keys.OnUsers, "9": keys.OnConnection,
	"0": keys.OnSettings}

// Each digit leads to its page from every page, and stays there when it is pressed again. The bar fills that page.
func TestDigits(t *testing.T) {
	t.Parallel()
	for at, from := range helpPages {
		if from.page == keys.OnNoJobs {
			continue
		}
		for digit, to := range digits {
			r := onPage(t, at)
			for range 2 {
				if r.press(digit); r.view.focusedKeys(r.scene) != to {
					t.Errorf("%s on %s leads to %s, not to %s", digit, from.page, r.view.focusedKeys(r.scene), to)
				}
			}
		}
	}
	r := newRig(t, uitest.NoJobsFixture())
	if r.press("4"); r.view.focusedKeys(r.scene) != keys.OnNoJobs {
		t.Error("4 leads to a GPU without a job")
	}
	if r.press("8"); r.view.focusedKeys(r.scene) != keys.OnUsers {
		t.Error("8 does not lead to the users without a job")
	}
}

// A click on a page in the bar leads there, at each width; not while a prompt has the keyboard.
func TestClicksOnTheBar(t *testing.T) {
	t.Parallel()
	for _, w := range []int{70, 80, 100, 120, 200} {
		for digit, to := range digits {
			r := newRig(t, uitest.Fixture())
			r.resize(w, 40)
			bar := []rune(strings.ReplaceAll(strings.Split(r.screen.String(), "\n")[header.BarRow], "jobs 2", "jobs  "))
			x := slices.IndexFunc(bar, func(c rune) bool { return string(c) == digit })
			click := tea.MouseClickMsg{X: x, Y: header.BarRow, Button: tea.MouseLeft}
			if r.Update(click); r.view.on != to {
				t.Errorf("%d wide: a click on %s leads to %s, not to %s", w, digit, r.view.on, to)
			}
			r.press("2", "/")
			if r.Update(click); r.view.on != keys.OnOverview {
				t.Errorf("a click on %s leads away from a prompt, to %s", digit, r.view.on)
			}
		}
	}
}

// The bar is there from 30 rows on; below, the footer begins with the digits.
func TestBarOrFooter(t *testing.T) {
	for _, h := range []int{10, 24, 29, 30, 40, 100} {
		for _, page := range []keys.Page{keys.OnOverview, keys.OnGPU, keys.OnJobs, keys.OnSettings} {
			text := string(plainTheme.Encode(nil, shot{snap: uitest.Fixture, view: func(v *view) { v.on = page }}.take(120,
				h)))
			bar, footer := strings.Contains(text, "2 overview"), strings.Contains(text, "\n 1-9 pages  ")
			if bar != (h >= 30) || footer != (h < 30) {
				t.Errorf("%s, %d rows: bar %v, digits in the footer %v", page, h, bar, footer)
			}
		}
	}
	text := linesOfAll(shot{snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnProblems }}, 200, 40)[header.BarRow]
	if !strings.Contains(text, "7 problems 3 ") || !strings.Contains(text, "9 connection ✗ ") {
		t.Errorf("the bar is %q", text)
	}
}

// linesOfAll are the lines of the terminal, with the bar.
func linesOfAll(s shot, w, h int) []string {
	return strings.Split(string(plainTheme.Encode(nil, s.take(w, h))), "\n")
}

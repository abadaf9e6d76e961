package ui

import (
	"slices"
	"strings"
	"testing"
)

// F and \\ filter, in all scopes; / reverses. Esc takes the tags away, then the filter, then leads back.
func TestProcessesAreFiltered(t *testing.T) {
	for _, test := range []struct{ before, text, after, title string }{
		{"P F", "gpu=3", "", "Processes of gpu-n01 2 of 9 match, by GPU"}, {"P F", "gpu=3", "enter", "Processes of gpu-n01 2 of 9 match, by GPU"}, {"P \\", "ray", "enter", "Processes of gpu-n01 1 of 9 match, by GPU"},
		{"P F", "gpu=3", "enter w", "Processes of job 48211 4 of 18 match, on 2 of 4 nodes, by GPU"}, {"P F", "gpu=3", "enter esc", "Processes of gpu-n01 9 processes, by GPU"}, {"P F", "gpu=3", "esc", "Processes of gpu-n01 9 processes, by GPU"},
		{"P space F", "gpu=3", "enter", "Processes of gpu-n01 2 of 9 match, by GPU"}, {"P F", "gpu=3", "enter space", "Processes of gpu-n01 1 tagged of 2 that match, by GPU"},
		{"P F", "gpu=3", "enter space esc", "Processes of gpu-n01 2 of 9 match, by GPU"}, {"P F", "gpu=3", "enter space esc esc", "Processes of gpu-n01 9 processes, by GPU"}, {"P F", "gpu=3", "enter space esc esc esc", ""},
		{"P F", "ray <", "enter", "Processes of gpu-n01 1 of 9 match, by GPU"}, {"P F", "problem=lag", "enter", "Processes of gpu-n01 0 of 9 match, by GPU"}, {"P F", "ray", "enter t", "Processes of gpu-n01 1 process, as a tree"},
		{"o P w F", "job=48377", "enter", "Processes of your 2 jobs 2 of 20 match, on 3 of 5 nodes, by GPU"},
	} {
		r := newRig(t, fixture())
		r.press(strings.Fields(test.before)...)
		r.types(test.text)
		r.press(strings.Fields(test.after)...)
		if got := r.title(); got != test.title {
			t.Errorf("%q %q %q: %q, want %q", test.before, test.text, test.after, got, test.title)
		}
	}
	r := newRig(t, fixture())
	r.press("P", "F")
	r.types("train o/q")
	if got := r.footer(); !strings.Contains(got, "filter: train o/q") || r.where() != "48211/gpu-n01 processes" {
		t.Errorf("the prompt does not take all letters: %q", got)
	}
	if r.press("backspace", "backspace", "backspace", "enter", "o", "p", "/"); !slices.Equal(r.pids()[:2], []string{"318823", "318820"}) {
		t.Errorf("filtered and reversed, there are %v", r.pids())
	}
}

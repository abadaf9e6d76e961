package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// In the view of a node one filter is for the GPUs and for the processes on them. The page says what it hides; the sum
// stays that of the GPUs of the node that --only names.
func TestFilterOfANode(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, test := range []struct {
		start, typed, then string
		only               tally.Only
		rows               string // the numbers of the GPUs, and those of the processes
		shows              string
	}{
		{typed: "util>97", rows: "257" + "257", shows: `3 of 8 GPUs match "util>97"`},
		{typed: "user=alice", rows: "01234567" + "012334567", shows: `8 of 8 GPUs match "user=alice"`},
		{typed: "user=bob", shows: `no GPUs match "user=bob": Esc clears the filter`},
		{typed: `user=="bob"`, then: "enter", shows: `no processes match user=="bob": Esc clears the filter`},
		{start: `user=="alice"`, typed: "gpu<1", rows: "00", shows: `1 of 9 matches user=="alice" and "gpu<1"`},
		{typed: "pid=358811", rows: "33", shows: `1 of 8 GPUs matches "pid=358811"`},
		{typed: "ecc", rows: "3", shows: `no processes match "ecc": Esc clears the filter`},
		{typed: "pid=358811", then: "enter", rows: "33", shows: `1 of 9 matches "pid=358811"`},
		{typed: "rank>13", rows: "6767", shows: `2 of 9 match "rank>13"`},
		{typed: "rank>13", then: "enter left", rows: "", shows: `no GPUs match "rank>13"`},
		{typed: "rank>13", then: "enter left right", rows: "6767", shows: `2 of 8 GPUs match "rank>13"`},
		{typed: "rank>13", then: "esc", rows: "01234567" + "012334567"},
		{typed: "rank>13", then: "enter esc", rows: "01234567" + "012334567"},
		{typed: "gpu<4", only: tally.Only{"3", "5"}, rows: "333", shows: `1 of 2 GPUs matches "gpu<4"`},
		{start: "gpu!=3", typed: "gpu<5", rows: "01234" + "0124", shows: `4 of 9 match "gpu!=3" and "gpu<5"`},
	} {
		r := narrowed(t, test.only, test.start)
		r.press("/")
		r.types(test.typed)
		r.press(strings.Fields(test.then)...)
		sum := "ALL (8 GPUs)"
		if test.only != nil {
			sum = "ALL (2 GPUs)"
		}
		if got := r.gpuRows(); got != test.rows || !strings.Contains(r.text(), test.shows) || test.rows != "" &&
			!strings.Contains(r.text(), sum) {
			t.Errorf("%q /%s %s: %s, want %s and %q in\n%s", test.start, test.typed, test.then, got, test.rows,
				test.shows, r.text())
		}
		if test.then == "esc" || test.then == "enter esc" {
			if strings.Contains(r.text(), "match") || r.where() != "48211/gpu-n02 0" {
				t.Errorf("/%s %s leads to %s:\n%s", test.typed, test.then, r.where(), r.text())
			}
		}
	}
}

// A task of an array has the ID that squeue prints, not only the number that SLURM gives its processes.
func TestFilterOfANodeByTask(t *testing.T) {
	for _, start := range []string{"", "job=48100_7"} {
		r := narrowed(t, nil, start)
		r.snap.Jobs[0].ID = "48100_7"
		for i := range r.snap.Jobs[0].Findings {
			r.snap.Jobs[0].Findings[i].Job = "48100_7"
		}
		for i := range r.snap.Nodes["gpu-n02"].Processes {
			r.snap.Nodes["gpu-n02"].Processes[i].Job = r.snap.Jobs[0].Number
		}
		r.send(tick{r.chain})
		r.press("right", "/")
		r.types("job=48100_7")
		if got := r.gpuRows(); got != "01234567"+"012334567" {
			t.Errorf("begun with %q: %s in\n%s", start, got, r.text())
		}
	}
}

// A click opens the GPU that is under the mouse, not the one that was there without the filter. What a node without
// values shows is not filtered.
func TestFilteredRowsOfANode(t *testing.T) {
	r := narrowed(t, nil, "")
	r.press("/")
	r.types("rank=13")
	if got := r.footer(); !strings.HasPrefix(got, "filter: rank=13█") || !strings.Contains(got, "1 of 8") {
		t.Errorf("the last row is %q", got)
	}
	r.press("enter")
	if !strings.Contains(r.footer(), "Esc clear filter") {
		t.Errorf("the footer is %q", r.footer())
	}
	for y, line := range strings.Split(r.text(), "\n") {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "5" && words[1] == "13" {
			r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 20, Y: y})
			break
		}
	}
	key, want := r.view.gpu().Press(pressed("5"), r.scene).GPU, r.scene.NodeOf("gpu-n02").GPUs[5].Key
	if r.where() != "48211/gpu-n02 gpu" || key != want {
		t.Errorf("a click leads to %s %s", r.where(), key)
	}
	r.press("esc", "right", "/", "x") // to a node without values
	if strings.Contains(r.footer(), "filter:") || r.where() != "48211/gpu-n03 0" {
		t.Errorf("the last row at %s is %q", r.where(), r.footer())
	}
}

// A prompt is no more once its node shows no values: keys mean what they mean there.
func TestPromptOfANodeWithoutValues(t *testing.T) {
	r := narrowed(t, nil, "")
	r.press("/", "x")
	gone := uitest.Fixture()
	gone.Nodes["gpu-n02"].State, gone.Nodes["gpu-n02"].GPUs = gone.Nodes["gpu-n03"].State, nil
	gone.Nodes["gpu-n02"].Hello = nil
	r.snap = gone
	r.send(tick{r.chain})
	if strings.Contains(r.footer(), "filter:") {
		t.Errorf("the last row is %q", r.footer())
	}
	if r.press("!"); r.where() != "48211/gpu-n02 3" { // the problems
		t.Errorf("! leads to %s", r.where())
	}
}

// Processes that are not shown are asked for while a filter may be about them.
func TestFilterAsksForProcesses(t *testing.T) {
	r := narrowed(t, nil, "")
	r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	r.press("p", "/", "x", "enter")
	if got := r.heard.looks[len(r.heard.looks)-1]; !got.processes {
		t.Errorf("asked for %+v", got)
	}
	if r.press("esc"); r.heard.looks[len(r.heard.looks)-1].processes {
		t.Error("they are asked for without a filter too")
	}
}

package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// narrowed is a rig that was started with these GPUs and this filter of processes.
func narrowed(t *testing.T, only tally.Only, text string) *rig {
	t.Helper()
	r := newRig(t, uitest.Fixture())
	e, wrong := filter.Parse(text, filter.Of(&rows.Processes))
	if wrong != nil {
		t.Fatal(wrong)
	}
	o := r.Options
	o.Only, o.Processes = only, e
	o.Snapshot = func(time.Time) *cluster.Snapshot { return r.snap }
	r.model = newModel(o, &r.out)
	r.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	r.send(tick{})
	r.press("right", "p") // gpu-n02
	if !strings.Contains(r.text(), "─ Processes ─") {
		r.press("p")
	}
	return r
}

// gpuRows are the numbers in the first column, of GPUs and then of processes.
func (r *rig) gpuRows() (numbers string) {
	for line := range strings.Lines(r.text()) {
		if words := strings.Fields(strings.TrimLeft(line, " ▲✗▸")); len(words) > 4 && words[1] != "of" &&
			len(words[0]) == 1 && strings.Contains("01234567", words[0]) {
			numbers += words[0]
		}
	}
	return numbers
}

// The GPUs that --only does not name are hidden in the view of a node, and their processes with them. The sum is that
// of the GPUs shown.
func TestOnly(t *testing.T) {
	for _, test := range []struct {
		only tally.Only
		text string
		want string
		sum  string
	}{
		{nil, "", "01234567012334567", "ALL (8 GPUs)"},
		{tally.Only{"3", "5"}, "", "35335", "ALL (2 GPUs)"},
		{nil, "pid=358811", "012345673", "ALL (8 GPUs)"},
		{tally.Only{"3", "5"}, "not pid=358811", "3535", "ALL (2 GPUs)"},
	} {
		r := narrowed(t, test.only, test.text)
		if got := r.gpuRows(); got != test.want || !strings.Contains(r.text(), test.sum) {
			t.Errorf("%v %s: %s, want %s in\n%s", test.only, test.text, got, test.want, r.text())
		}
	}
	// what --only hides, the filter does not
	if r := narrowed(t, tally.Only{"3", "5"}, "user=alice"); strings.Contains(r.text(), "match") {
		t.Errorf("the filter is said to hide something:\n%s", r.text())
	}
	r := narrowed(t, nil, "pid=358811")
	if !strings.Contains(r.text(), `1 of 9 matches "pid=358811"`) {
		t.Errorf("nothing tells of the filter:\n%s", r.text())
	}
	if r.press("m"); !strings.Contains(r.text(), `1 of 18 matches "pid=358811"`) {
		t.Errorf("the ranks are not filtered:\n%s", r.text())
	}
	if r.press("esc"); strings.Contains(r.text(), "matches") {
		t.Errorf("Esc does not show all ranks:\n%s", r.text())
	}
	if r := narrowed(t, tally.Only{"9"}, "user=nobody"); !strings.Contains(r.text(),
		"no GPU of --only on this node: 9") || !strings.Contains(r.text(), `no processes match "user=nobody"`) {
		t.Errorf("nothing says why there is nothing:\n%s", r.text())
	}
}

// The page of processes has those on the GPUs of --only, in each scope; a signal to all ranks is for all of them.
func TestOnlyOnThePageOfProcesses(t *testing.T) {
	for only, test := range map[string]struct{ rows, ofJob string }{
		"3": {"  3  358761   3  358811 ", "4 processes on the GPUs of --only, on 2 of 4 nodes"},
		"5": {"  5  358817 ", "2 processes on the GPUs of --only"}, "9": {"", "no processes on 2 nodes, waiting for 2"},
	} {
		r := narrowed(t, tally.Only{only}, "")
		r.press("5")
		var got string
		for line := range strings.Lines(r.text()) {
			if words := strings.Fields(strings.TrimLeft(line, " ▸")); len(words) > 4 &&
				strings.HasPrefix(words[1], "3587") || len(words) > 4 && strings.HasPrefix(words[1], "3588") {
				got += "  " + words[0] + "  " + words[1] + " "
			}
		}
		want := test.rows
		if got != want || want != "" && !strings.Contains(r.text(), " on the GPUs of --only, by GPU") {
			t.Errorf("--only %s: %q, want %q, in\n%s", only, got, want, r.text())
		}
		if want == "" && !strings.Contains(r.text(), "no processes on the GPUs of --only: 9") {
			t.Errorf("nothing says why there is nothing:\n%s", r.text())
		}
		if r.press("w"); !strings.Contains(r.text(), test.ofJob) {
			t.Errorf("--only %s in the job:\n%s", only, r.text())
		}
	}
	r := narrowed(t, tally.Only{"5"}, "")
	r.press("m", "home")
	if r.press("T"); r.where() != "48211/gpu-n01 ranks" ||
		!strings.Contains(r.text(), "this process is on a GPU that --only hides: start without it to signal the process") {
		t.Errorf("T leads to %s:\n%s", r.where(), r.text())
	}
}

// The page of processes begins with the processes that were asked for at the start.
func TestProcessesAskedForAtTheStart(t *testing.T) {
	r := narrowed(t, nil, "pid=358811")
	if r.press("5"); !strings.Contains(r.text(), "1 of 9 match") || strings.Count(r.text(), "python") != 1 {
		t.Errorf("got\n%s", r.text())
	}
}

// A user all of whose processes are hidden is not listed.
func TestOnlyOnThePageOfUsers(t *testing.T) {
	for only, want := range map[string]string{"3": "1 user on", "5": "2 users on"} {
		r := narrowed(t, tally.Only{only}, "")
		if r.press("U"); !strings.Contains(r.text(), want) || strings.Contains(r.text(), "bob ") {
			t.Errorf("--only %s:\n%s", only, r.text())
		}
	}
	r := narrowed(t, tally.Only{"9"}, "")
	for _, n := range r.snap.Nodes {
		n.Listed = true
	}
	if r.press("U"); !strings.Contains(r.text(), "no processes on the GPUs of --only: 9") {
		t.Errorf("nothing says why there is nothing:\n%s", r.text())
	}
}

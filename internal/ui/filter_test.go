package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// types gives the model a text key by key.
func (r *rig) types(text string) {
	for _, c := range text {
		r.press(string(c))
	}
}

// footer is the last row of the screen.
func (r *rig) footer() string {
	lines := strings.Split(strings.TrimRight(r.text(), "\n"), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// While the prompt is open every key is text, those of other things too.
func TestKeysAreTextInThePrompt(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("o", "/")
	for _, k := range []string{"q", "?", "r", "p", "o", "d", "C", "s", "/", "h", "n", "m", "!", "]"} {
		if cmd := r.press(k); cmd != nil {
			t.Errorf("%s did something", k)
		}
	}
	r.press("left", "up")
	if got := r.footer(); !strings.HasPrefix(got, "filter: q?rpodCs/hnm!]") || r.heard.refreshed > 0 ||
		r.view.settings.Now.Classic || r.where() != "48211/gpu-n01 1" {
		t.Errorf("the last row is %q, at %s", got, r.where())
	}
	if cmd := r.press("ctrl+c"); cmd == nil {
		t.Error("Ctrl-C does not quit")
	}
}

// The nodes follow what is typed, and the selection goes to one that matches. Enter gives the keys back, Esc the nodes.
func TestFilter(t *testing.T) {
	for _, test := range []struct {
		keys, typed, then string
		want              string // job/node screen
		shown, gone       string
	}{
		{"o", "N04", "", "48211/gpu-n04 1", `1 of 4 nodes matches "N04"`, "gpu-n02  "},
		{"o", "n0", "", "48211/gpu-n01 1", `4 of 4 nodes match "n0"`, "no nodes"},
		{"o", "3 gpu", "", "48211/gpu-n03 1", `1 of 4 nodes matches "3 gpu"`, "gpu-n02  "},
		{"o", "xyz", "", "48211/gpu-n01 1", `no nodes match "xyz": Esc clears the filter`, "gpu-n02  "},
		{"o", "xyz", "enter", "48211/gpu-n01 1", `no nodes match "xyz": Esc clears the filter`, "gpu-n02  "},
		{"o", "xyz", "enter right enter", "48211/gpu-n01 1", "no nodes match", "gpu-n02  "},
		{"o", "xyz", "enter d p", "48211/gpu-n01 1", "no nodes match", "gpu-n02  "},
		{"o", "n02", "esc", "48211/gpu-n02 1", "gpu-n01  ", "match"},
		{"o", "n02", "enter esc", "48211/gpu-n02 1", "gpu-n01  ", "match"},
		{"o", "n02", "enter / esc", "48211/gpu-n02 1", "gpu-n01  ", "match"},
		{"o", "n02", "enter o o", "48211/gpu-n02 1", `1 of 4 nodes matches "n02"`, "gpu-n01  "},
		{"o", "n02", "backspace enter", "48211/gpu-n02 1", `4 of 4 nodes match "n0"`, "no nodes"},
		{"o", "n02", "enter right", "48211/gpu-n02 1", "whole job   16 of 32 GPUs", "JOB "},
		{"o down", "n01", "enter esc enter right", "48211/gpu-n02 0", "gpu-n02", "match"},
		{"o", "n02", "enter ] [", "48211/gpu-n02 1", `1 of 4 nodes matches "n02"`, "gpu-n01  "},
		{"o", "n02", "enter ]", "48377/gpu-s11 1", "gpu-s11", "match"},
		{"o", "n04", "home delete enter", "48211/gpu-n04 1", `1 of 4 nodes matches "04"`, "gpu-n02  "},
		{"o", "n0", "enter / 2 enter", "48211/gpu-n02 1", `1 of 4 nodes matches "n02"`, "gpu-n01  "},
	} {
		r := newRig(t, uitest.Fixture())
		r.press(strings.Fields(test.keys)...)
		r.press("/")
		r.types(test.typed)
		r.press(strings.Fields(test.then)...)
		_, body, _ := strings.Cut(r.text(), "\n── ") // below the lines that tell of the whole job
		body, _, _ = strings.Cut(body, "── Problems ─")
		if got := r.where(); got != test.want {
			t.Errorf("%s /%s %s: %s, want %s", test.keys, test.typed, test.then, got, test.want)
		}
		if !strings.Contains(r.text(), test.shown) || strings.Contains(body, test.gone) {
			t.Errorf("%s /%s %s: no %q, or some %q in\n%s", test.keys, test.typed, test.then, test.shown, test.gone,
				r.text())
		}
	}
}

// A node that a new Snapshot brings is filtered too; a job that ends takes its prompt along.
func TestFilterOfANewSnapshot(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("o", "/")
	r.types("n02")
	gone := uitest.Fixture()
	gone.Jobs[0].Nodes = []string{"gpu-n01", "gpu-n12", "gpu-n022"}
	r.snap = gone
	r.send(tick{r.chain})
	if got := r.where(); got != "48211/gpu-n022 1" {
		t.Errorf("the node has left the job, and %s is selected", got)
	}
	ended := uitest.Fixture()
	ended.Jobs = ended.Jobs[1:]
	r.snap = ended
	r.send(tick{r.chain})
	if cmd := r.press("q"); cmd == nil {
		t.Error("the prompt of a job that has ended still has the keyboard")
	}
}

// A pasted text becomes one line, whatever it contains, and not too long; without a prompt it is ignored.
func TestPaste(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.send(tea.PasteMsg{Content: "oq"})
	if r.where() != "48211/gpu-n01 0" {
		t.Errorf("a paste pressed keys: %s", r.where())
	}
	r.press("o", "/")
	r.send(tea.PasteMsg{Content: "n0\x1b[31m\u202e\x00\n2\x7f\u009b"})
	if got := r.footer(); !strings.HasPrefix(got, "filter: n0[31m 2█") {
		t.Errorf("the last row is %q", got)
	}
	r.press("esc", "/")
	r.send(tea.PasteMsg{Content: "N\u200b0\u202e2\x9f"}) // none of what is not seen counts
	r.send(tea.KeyPressMsg{Code: tea.KeyExtended, Text: "\u202e"})
	if !strings.Contains(r.text(), `1 of 4 nodes matches "N02" `) {
		t.Errorf("what is not seen takes part:\n%s", r.text())
	}
	r.send(tea.PasteMsg{Content: strings.Repeat("模", 1_000_000)})
	if n := len([]rune(r.footer())); n > 120 {
		t.Errorf("the last row has %d characters", n)
	}
	if got := r.footer(); !strings.Contains(got, "模█") {
		t.Errorf("the cursor is not to be seen in %q", got)
	}
}

// The help of a page has the keys of that page.
func TestHelpIsThePages(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	const words = "filter the rows"
	if r.press("d", "?", "f", "i", "l", "t"); strings.Contains(r.text(), words) {
		t.Errorf("the help of the connection has a key of the overview:\n%s", r.text())
	}
	if r.press("esc", "o", "?", "f", "i", "l", "t"); !strings.Contains(r.text(), words) {
		t.Errorf("the help of the overview has no %q:\n%s", words, r.text())
	}
}

package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// titled is the rule of what is over the page of processes, or of that page.
func (r *rig) titled() string {
	for _, line := range strings.Split(r.text(), "\n")[2:] {
		for _, title := range []string{"Environment of", "Process gpu", "Copy from", "Help: "} {
			if at := strings.Index(line, title); at >= 0 {
				return strings.Join(strings.Fields(strings.ReplaceAll(line[at:], "─", " "))[:3], " ")
			}
		}
	}
	return r.title()
}

// The pages about one process open over the page of processes, and from each other; Esc and q close the last, and so
// does the key that has opened it.
func TestInspectKeys(t *testing.T) {
	t.Parallel()
	const list = "Processes of gpu-n02 9 processes, by GPU"
	for keys, want := range map[string]string{
		"5 e": "Environment of gpu-n02:358802", "5 down e": "Environment of gpu-n02:358805", "5 e esc": list,
		"5 enter": "Process gpu-n02:358802 rank", "5 enter esc": list, "5 y": "Copy from gpu-n02:358802",
		"5 enter e": "Environment of gpu-n02:358802", "5 enter e esc": "Process gpu-n02:358802 rank",
		"5 enter e esc esc": list, "5 enter y esc": "Process gpu-n02:358802 rank",
		"5 enter y": "Process gpu-n02:358802 rank",
		"5 y esc":   list, "5 y q": list, "5 y 1": list, "5 enter enter": list, "5 enter q": list, "5 e q": list,
		"5 e e": list, "5 enter e q": "Process gpu-n02:358802 rank", "5 e ? q esc": "Environment of gpu-n02:358802",
		"5 enter down": "Process gpu-n02:358802 rank", "5 e ]": "Environment of gpu-n02:358802",
		"5 enter P": "Process gpu-n02:358802 rank",
		"5 e !":     "Environment of gpu-n02:358802", "5 e m": "Environment of gpu-n02:358802",
		"5 enter y ?": "Process gpu-n02:358802 rank",
		"5 e ? esc":   "Environment of gpu-n02:358802", "5 e / q enter": "Environment of gpu-n02:358802",
		"5 enter space": "Process gpu-n02:358802 rank", "5 w w end enter": "Process gpu-s11:901241 alice",
	} {
		r := newRig(t, uitest.Fixture())
		r.press("right")
		r.press(strings.Fields(keys)...)
		got := r.titled()
		if got != want {
			t.Errorf("after %q: %q, want %q", keys, got, want)
		}
	}
}

// From the pages about one process, too, : leads anywhere, and their help can suspend.
func TestFindFromAProcess(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"e", "v", "enter"} {
		r := newRig(t, uitest.Fixture())
		r.resize(120, 40)
		r.press("5", page)
		before := r.text()
		r.press(":")
		if text := r.text(); !strings.Contains(text, "What do you want to do?") {
			t.Fatalf("%s: nothing asks what to find:\n%s", page, text)
		}
		if r.press("esc"); r.text() != before {
			t.Errorf("%s: Esc leads to\n%s", page, r.text())
		}
		r.press(":")
		r.send(tea.PasteMsg{Content: "358811"})
		if r.press("enter"); r.titled() != "Processes of gpu-n02 9 processes, by GPU" {
			t.Errorf("%s: : leads to %q", page, r.titled())
		}
		r.press(page, "?")
		r.send(tea.PasteMsg{Content: "suspend"})
		if !suspends(r.press("enter")) {
			t.Errorf("%s: its help does not suspend:\n%s", page, r.text())
		}
	}
}

// suspends reports whether a command suspends the program.
func suspends(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	switch msg := cmd().(type) {
	case terminal.Suspend:
		return true
	case tea.BatchMsg:
		return slices.ContainsFunc(msg, suspends)
	}
	return false
}

// The shell that is to be copied starts behind the login host of --login, if there is one.
func TestCopyBehindALoginHost(t *testing.T) {
	for login, want := range map[string]string{"": "ssh -t gpu-n02",
		"al@cluster": "ssh -t -J al@cluster alice@gpu-n02"} {
		r := newRig(t, uitest.Fixture())
		o := r.Options
		o.Login = login
		r.model = newModel(o, &r.out)
		r.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		r.press("right", "5", "y")
		if !strings.Contains(r.text(), "shell on its node   "+want+" ") {
			t.Errorf("--login %q: no %q in\n%s", login, want, r.text())
		}
	}
}

// The selection stays, a click on the selected row opens it, and m releases the mouse.
func TestInspectMouse(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("right", "5", "down")
	y := 0
	for i, line := range strings.Split(r.text(), "\n") {
		if strings.HasPrefix(line, "▸") {
			y = i
		}
	}
	r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 20, Y: y + 1})
	if got := r.titled(); !strings.HasPrefix(got, "Processes of") {
		t.Fatalf("the first click opens %q", got)
	}
	if r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 20, Y: y + 1}); r.titled() != "Process gpu-n02:358808 rank" {
		t.Errorf("the second click opens %q", r.titled())
	}
	if r.press("M"); !r.view.noMouse || !strings.Contains(r.text(), "M mouse: off") {
		t.Error("M does not give the mouse back")
	}
}

// An environment that arrives while the help is on, or the metrics are over it, is there afterwards.
func TestInspectHearsLate(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("right", "5", "enter")
	a := r.view.process().Press(tea.KeyPressMsg{Code: 'e', Text: "e"}, r.scene)
	r.Update(r.runErrands(r.view.process(), a)())
	r.press("?")
	ask := a.Ask[0]
	r.send(resultMsg{r.view.process(), nav.Result{Ask: ask, Reply: uitest.EnvironFixture}})
	if r.press("esc"); !strings.Contains(r.text(), "NCCL_DEBUG") ||
		!strings.Contains(r.text(), "rank 8, 26 variables") {
		t.Errorf("shown is\n%s", r.text())
	}
	r.press("esc", "esc")
	r.send(resultMsg{r.view.process(), nav.Result{Ask: ask, Reply: uitest.EnvironFixture}})
	if got := r.titled(); !strings.HasPrefix(got, "Processes of") {
		t.Errorf("an answer that nobody waits for opens %q", got)
	}
}

// The copied text is named in place of the footer until the next key, and so is a text that was too long.
func TestCopiesAreSaid(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("right", "5", "y", "2")
	if lines := strings.Split(r.text(), "\n"); !strings.Contains(lines[38],
		"copied, if your terminal lets programs copy (OSC 52): gpu-n02:358802") {
		t.Errorf("the last row is %q", lines[38])
	}
	if r.press("j"); strings.Contains(r.text(), "OSC 52") {
		t.Error("it is still said after the next key")
	}
	r.runErrands(&asker{}, nav.Answer{Copy: strings.Repeat("x", terminal.MaxClip+1), Notice: "copied"})
	if got := r.scene.Notice; got != "not copied: terminals take at most 100 kB" {
		t.Errorf("said is %q", got)
	}
}

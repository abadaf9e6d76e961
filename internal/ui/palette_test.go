package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// The palette finds and runs a typed word: an action by its key, a thing by going there. A signal asks first.
func TestPalette(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, test := range []struct{ keys, sees string }{
		{":", "What do you want to do?"},
		{":n03", "▸ node gpu-n03"},
		{":n03\r", "gpu-n03"},
		{":rank 11\r", "Processes"},
		{":cells power\r", "power"},
		{":theme light\r", "light"},
		{":users\r", "Users"},
		{":page problems\r", "Problems"},
		{":terminate\r", "which rank or process?"},
		{":kill\r", "kill… (SIGKILL): which rank or process?"},
		{":kill rank 11\r", "Send SIGKILL"},
		{":SIGUSR1 rank 11\r", "Send which signal"},
		{":copy 358811\r", "Copy from"},
		{":cancel 48211\r", "Cancel job 48211?"},
		{":problems of 48377\r", "Problems of job 48377"},
		{":problems of 99999", "nothing matches"},
		{":log of 48211\r", "Log of job 48211"},
		{":sort by memory\r", "by GPU-MEM"},
		{":compare two\r", "choose the row, then press c"},
		{":csv\r", "nvnodetop snapshot --format csv"},
		{":news of\r", "Settings"},
		{":nothing at all\r", "nothing to run"},
		{":░\r", "is explained here"},
		{":look back\r", "not now: nothing earlier is known yet"},
		{":rd to a fl\r", "no name or word matches"},
		{":nothing at all", "nothing matches"},
		{":zzz\x1b", "Enter"},
		{":loss\r", "not now: the log of this job has told no steps yet"},
		{":eta\r", "Jobs"},
	} {
		r := newRig(t, uitest.Fixture())
		r.resize(120, 40)
		for _, k := range typedKeys(test.keys) {
			switch k.Code {
			case '\r':
				k = pressed("enter")
			case 0x1b:
				k = pressed("esc")
			}
			r.send(k)
		}
		if text := r.text(); !strings.Contains(text, test.sees) {
			t.Errorf("%q shows no %q:\n%s", test.keys, test.sees, text)
		}
	}
}

// What cannot be done now is dim, says why, and is not done. The help of a page searches things only if nothing there
// matches; what was run most comes first in a search for anything.
func TestPaletteSaysWhyNot(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.resize(80, 24)
	typed := func(text string) {
		for _, k := range typedKeys(text) {
			r.send(k)
		}
	}
	typed("?look back")
	if !strings.Contains(r.text(), "▸ look back ") || !strings.Contains(r.text(), "Not now: nothing earlier is known yet") {
		t.Errorf("nothing says that there is no past:\n%s", r.text())
	}
	if r.press("enter"); !r.view.palette.IsOpen() {
		t.Error("what is not possible is run")
	}
	r.press("esc")
	if typed("?overview"); strings.Contains(r.text(), "node gpu-n0") || !strings.Contains(r.text(), "▸ overview") {
		t.Errorf("a thing is found among the actions of the page:\n%s", r.text())
	}
	r.press("esc")
	if typed("?gpu-n03"); !strings.Contains(r.text(), "▸ node gpu-n03") {
		t.Errorf("a thing is not found:\n%s", r.text())
	}
	r.press("enter", ":")
	if !strings.Contains(r.text(), "most used") || !strings.Contains(r.text(), "▸ node gpu-n03") {
		t.Errorf("the node is not among what was used:\n%s", r.text())
	}
	if r.press("esc", "?"); strings.Contains(r.text(), "most used") {
		t.Errorf("the help begins with what was used:\n%s", r.text())
	}
}

// A click beside the box closes it; a click in it selects, and runs what is selected.
func TestPaletteAndTheMouse(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.resize(120, 40)
	r.press("2", "?")
	rows := strings.Split(r.screen.String(), "\n")
	at := slices.IndexFunc(rows, func(line string) bool { return strings.Contains(line, "process manager") })
	click := tea.MouseClickMsg{X: 20, Y: at, Button: tea.MouseLeft}
	if r.Update(click); !r.view.palette.IsOpen() {
		t.Fatalf("one click runs:\n%s", strings.Join(rows, "\n"))
	}
	if r.Update(click); r.view.on != keys.OnProcesses {
		t.Errorf("two clicks on the process manager lead to %s", r.view.on)
	}
	r.press("?")
	if r.Update(tea.MouseClickMsg{X: 2, Y: 20, Button: tea.MouseLeft}); r.view.palette.IsOpen() {
		t.Error("a click beside the box does not close it")
	}
}

// What users call the progress of a job leads to the graphs of its log.
func TestPaletteLeadsToTheSteps(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, word := range []string{"loss", "step", "progress", "slower", "time per step"} {
		r := newRig(t, uitest.StepsFixture())
		r.resize(120, 40)
		for _, k := range typedKeys(":" + word) {
			r.send(k)
		}
		if r.press("enter"); !strings.Contains(r.text(), "Time of a step, s") {
			t.Errorf("%q shows no steps:\n%s", word, r.text())
		}
	}
}

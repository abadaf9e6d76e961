package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// do runs what the model wants done outside the screen, and gives it the results, which it returns.
func (r *rig) do(cmd tea.Cmd) (results []nav.Result) {
	r.t.Helper()
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			results = append(results, r.do(c)...)
		}
	case resultMsg:
		r.send(msg)
		return []nav.Result{msg.result}
	}
	return results
}

// sent presses keys and returns the signals that were asked for: "gpu-n01 15 318802/318802".
func (r *rig) sent(keys string) (sent []string) {
	r.t.Helper()
	for _, k := range strings.Fields(keys) {
		if k == "y" {
			r.send(stillMsg{r.rested})
		}
		cmd := r.press(k)
		if k != "y" { // may wait for a tick
			continue
		}
		for _, result := range r.do(cmd) {
			line := fmt.Sprint(result.Node, " ", result.Request.Signal.Number)
			for _, p := range result.Request.Signal.Processes {
				line += fmt.Sprintf(" %d/%d", p.PID, p.StartTicks)
			}
			sent = append(sent, line)
		}
	}
	return sent
}

// Only y sends a signal, to exactly those that were chosen, from the page of processes and from the ranks. Esc leads
// back.
func TestSignals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for keys, want := range map[string][]string{
			"5 T y":             {"gpu-n01 15 318802/318802"},
			"5 down down K y":   {"gpu-n01 9 318808/318804"},
			"5 I y":             {"gpu-n01 2 318802/318802"},
			"5 S enter y":       {"gpu-n01 10 318802/318802"},
			"5 T enter y":       nil,
			"5 T esc y":         nil,
			"5 space space T y": {"gpu-n01 15 318802/318802 318805/318803"},
			"5 w T tab tab y": {"gpu-n01 15 318802/318802 318805/318803 318808/318804 318811/318805 " +
				"318814/318806 318817/318807 318820/318808 318823/318809",
				"gpu-n02 15 358802/358802 358805/358803 358808/358804 358811/358805 358814/358806 358817/358807 " +
					"358820/358808 358823/358809"},
			"m K y":                     {"gpu-n01 9 318817/318807"},
			"m home down T enter esc T": nil,
			"m home down T y":           {"gpu-n01 15 318805/318803"},
			"m end up up S enter y":     {"gpu-n02 10 358823/358809"},
		} {
			r := newRig(t, uitest.Fixture())
			if got := r.sent(keys); !slices.Equal(got, want) {
				t.Errorf("after %q: asked for %q, want %q", keys, got, want)
			}
		}
		r := newRig(t, uitest.Fixture())
		r.press("m", "K")
		if got := r.where(); got != "48211/gpu-n01 processes" || !strings.Contains(r.text(), "Send SIGKILL to 1 process?") {
			t.Errorf("K in the ranks leads to %s", got)
		}
		r.press("esc", "esc")
		if got := r.where(); got != "48211/gpu-n01 ranks" {
			t.Errorf("Esc leads to %s", got)
		}
		r = newRig(t, uitest.Fixture())
		r.sent("5 T y")
		if !strings.Contains(r.text(), "Sent SIGTERM to 1 of 1 process") {
			t.Errorf("the result is not shown:\n%s", r.text())
		}
	})
}

// A filter of the page of processes does not keep a rank from its dialog.
func TestSignalsFromTheRanksPassTheFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, uitest.Fixture())
		r.press("5", "F", "z", "z", "enter", "esc", "esc")
		r.press("5", "F", "z", "z", "enter", "5", "m", "home", "down")
		if got := r.sent("T y"); !slices.Equal(got, []string{"gpu-n01 15 318805/318803"}) {
			t.Errorf("asked for %q\n%s", got, r.text())
		}
	})
}

// If signals are off, the keys say why, and no dialog opens.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, page := range []string{"5", "m"} {
			for _, k := range []string{"T", "K", "I", "S", "X"} {
				r := newRig(t, uitest.Fixture())
				r.scene.ReadOnly = "--readonly"
				r.press(page, k)
				says, opens := strings.Contains(r.text(), "signals and scancel are off: --readonly"),
					strings.Contains(r.text(), "╭")
				if on := k != "X" || page == "5"; says != on || opens {
					t.Errorf("%s %s: the reason is shown: %v, a dialog: %v", page, k, says, opens)
				}
				if page == "m" && !strings.HasSuffix(r.where(), " ranks") {
					t.Errorf("%s leads from the ranks to %s", k, r.where())
				}
				if got := r.sent("y"); got != nil {
					t.Errorf("%s %s y: asked for %q", page, k, got)
				}
				if r.press("down"); strings.Contains(r.text(), "are off") || strings.Contains(r.text(), "T terminate") {
					t.Errorf("%s %s: the reason stays, or the footer has a key that does nothing", page, k)
				}
			}
		}
	})
}

// X asks for the job of the row where all jobs are shown. SLURM gets nothing before its ID is typed.
func TestScancelOfTheJobOfTheRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for keys, want := range map[string]string{"5 X": "Cancel job 48211?", "5 w w end X": "Cancel job 48377?",
			"5 ] X": "Cancel job 48377?"} {
			r := newRig(t, uitest.Fixture())
			r.press(strings.Fields(keys)...)
			if !strings.Contains(r.text(), want) {
				t.Errorf("after %q there is no %q in\n%s", keys, want, r.text())
			}
		}
		r := newRig(t, uitest.Fixture())
		r.press("5", "X", "4", "8", "2", "1", "enter")
		cmd := r.press("1", "enter")
		if len(r.heard.canceled) > 0 || cmd == nil {
			t.Fatalf("canceled %q too early", r.heard.canceled)
		}
		r.do(cmd)
		if !slices.Equal(r.heard.canceled, []string{"48211 "}) || !strings.Contains(r.text(), "refused") {
			t.Errorf("canceled %q:\n%s", r.heard.canceled, r.text())
		}
		r = newRig(t, uitest.ByHandFixture())
		r.press("5", "X")
		if !strings.Contains(r.text(), "these nodes are not a job of SLURM") {
			t.Errorf("without a job X says\n%s", r.text())
		}
	})
}

// Over the metrics of a process, a signal is for that process, also once it has exited and the cursor below is on
// another one.
func TestSignalsFromTheMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, gone := range []bool{false, true} {
			r := newRig(t, uitest.Fixture())
			r.press("right", "5", "enter")
			if gone {
				s := uitest.Fixture()
				n := s.Nodes["gpu-n02"]
				n.Processes = slices.DeleteFunc(n.Processes, func(p wire.Process) bool { return p.PID == 358802 })
				r.snap = s
				r.send(tick{})
			}
			r.press("T")
			r.send(stillMsg{r.rested})
			cmd := r.press("y")
			asked := r.do(cmd)
			if len(asked) != 1 || asked[0].Request.Signal == nil || len(asked[0].Request.Signal.Processes) != 1 ||
				asked[0].Request.Signal.Processes[0].PID != 358802 {
				t.Errorf("gone %v: asked %+v", gone, asked)
			}
		}
	})
}

// An answer of a node after the end of the last job is dropped, and overlays of the page of processes are closed: an
// environment has secrets.
func TestAnswersAfterTheLastJob(t *testing.T) {
	for _, keys := range []string{"5 t", "5 e", "5 T y", "5 enter"} {
		r := newRig(t, uitest.Fixture())
		r.press(strings.Fields(keys)...)
		r.snap = uitest.NoJobsFixture()
		r.send(tick{})
		ask := nav.Ask{Node: "gpu-n01", Request: wire.Request{Environ: &wire.ProcessID{PID: 318802,
			StartTicks: 318802}}}
		r.send(resultMsg{r.view.process(), nav.Result{Ask: ask, Reply: uitest.EnvironFixture}})
		r.snap = uitest.Fixture()
		if r.send(tick{}); !strings.HasPrefix(r.titled(), "Processes of") {
			t.Errorf("after %q there is %q", keys, r.titled())
		}
	}
}

// scancel is offered for the job of the process under the cursor, and for no job that only a node has named.
func TestScancelIsForAListedJob(t *testing.T) {
	for name, want := range map[string]string{"48211": "Cancel job 48211?", "2": "Cancel job 48211?",
		"48377": "Cancel job 48377?"} {
		s := uitest.Fixture()
		n := s.Nodes["gpu-n01"]
		for i := range n.Processes {
			n.Processes[i].Job = name
		}
		for i := range s.Jobs {
			s.Jobs[i].Number = s.Jobs[i].ID
		}
		r := newRig(t, s)
		r.press("5", "X")
		if !strings.Contains(r.text(), want) {
			t.Errorf("job %q: no %q in\n%s", name, want, r.text())
		}
		r = newRig(t, s)
		if r.press("5", "enter", "X"); name == "2" && (strings.Contains(r.text(), "Cancel job") ||
			!strings.Contains(r.text(), "does not belong to one of your")) {
			t.Errorf("over the metrics, job %q:\n%s", name, r.text())
		}
	}
}

// y in the same paste as the key that has opened the dialog, or right after any other key, sends nothing: only once the
// question has been on the screen for a while.
func TestAPasteDoesNotAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for opened, want := range map[string]int{"5 K": 1, "m K": 1, "5 w T tab": 1, "5 S enter": 1, "5 X tab enter": 0} {
			r := newRig(t, uitest.Fixture())
			for _, k := range append(strings.Fields(opened), "y", "j", "y") {
				if cmd := r.press(k); k == "y" {
					r.do(cmd)
				}
			}
			if r.heard.signals+len(r.heard.canceled) > 0 {
				t.Errorf("%s and y: asked for %d signals and %q", opened, r.heard.signals, r.heard.canceled)
			}
			r.send(stillMsg{r.rested - 1}) // of the key before
			if r.do(r.press("y")); r.heard.signals+len(r.heard.canceled) > 0 {
				t.Errorf("%s: the time since an earlier key counts", opened)
			}
			r.send(stillMsg{r.rested})
			if r.do(r.press("y")); r.heard.signals != want || len(r.heard.canceled) != 1-want {
				t.Errorf("%s: y that comes later asks for %d signals and %q", opened, r.heard.signals, r.heard.canceled)
			}
		}
	})
}

// A question that the terminal has not got yet cannot have been read.
func TestAQuestionThatWaits(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("5")
	r.Update(pressed("K"))
	r.View() // and nothing writes it
	if _, cmd := r.Update(stillMsg{r.rested}); cmd == nil || r.scene.Still {
		t.Error("it counts as read")
	}
	r.terminal.Flush()
	if r.Update(stillMsg{r.rested}); !r.scene.Still {
		t.Error("it does not count as read")
	}
}

// The time begins with the last key.
func TestStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, uitest.Fixture())
		began := time.Now()
		msg := r.press("5", "K")()
		if batch, is := msg.(tea.BatchMsg); is {
			msg = batch[0]()
		}
		if took := time.Since(began); msg != (stillMsg{r.rested}) || took < stillTime {
			t.Errorf("%v after %v", msg, took)
		}
	})
}

// The footer, the help and the palette offer no signal to a process of another user, nor its environment; a tagged
// process of the user's takes them.
func TestNothingIsOfferedOnProcessesOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		offered := func(r *rig) bool {
			text := r.text()
			signal, environ := strings.Contains(text, "T signal"), strings.Contains(text, "e environment")
			if signal != environ {
				t.Errorf("a signal is offered: %v, the environment: %v\n%s", signal, environ, text)
			}
			return signal
		}
		r := newRig(t, uitest.Fixture())
		r.resize(200, 50)
		for _, step := range []struct {
			keys  string
			offer bool
		}{{"] 5 home", true}, {"end", false}, {"enter", false}, {"esc home space end", true}, {"esc", false}} {
			for _, k := range strings.Fields(step.keys) {
				r.press(k)
			}
			if offered(r) != step.offer {
				t.Errorf("after %q it is not %v:\n%s", step.keys, step.offer, r.text())
			}
		}
		for _, k := range []string{"?", "k", "i", "l", "l"} {
			r.press(k)
		}
		if text := r.text(); !strings.Contains(text, "Not now: process 901262 belongs to carol") {
			t.Errorf("the help does not say why:\n%s", text)
		}
		r.press("esc")
		for _, k := range []string{"2", ":", "k", "i", "l", "l", "enter", "c", "a", "r", "o", "l"} {
			r.press(k)
		}
		if text := r.text(); !strings.Contains(text, "PID 901248                  process 901248 belongs to carol") {
			t.Errorf("the question offers it:\n%s", text)
		}
	})
}

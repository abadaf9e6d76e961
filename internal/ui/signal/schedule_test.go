package signal

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func scheduleOf(t *testing.T, s *part.Scene) *rig {
	d, a := NewSchedule(targetAt(s, "n01", 0), nil, s)
	return &rig{t: t, s: s, open: true, asks: a.Ask, dialog: d}
}

// Only y changes processes, after a value that makes sense, and only those that were chosen.
func TestOnlyYSetsTheSchedule(t *testing.T) {
	for keys, want := range map[string]string{
		"1 0": "", "1 0 enter": "", "1 0 enter esc": "", "1 0 enter enter": "", "esc": "", "y": "", "enter y": "",
		"2 0 enter y": "", "x enter y": "", "tab enter y": "", "tab 3 - enter y": "",
		"1 0 enter y": "nice value 10 of [1000]", "- 5 enter y": "nice value -5 of [1000]",
		"1 0 enter tab y":           "nice value 10 of [1000]",
		"tab 0 - 3 , 8 enter y":     "CPUs 0-3,8 of [1000]",
		"tab 1 tab 2 enter y":       "nice value 2 of [1000]",
		"1 enter s 2 enter y":       "nice value 2 of [1000]",
		"tab 1 enter s 2 enter y":   "CPUs 2 of [1000]",
		"1 enter s 2 esc y":         "nice value 1 of [1000]",
		"1 0 enter tab tab y":       "nice value 10 of [1000 1001]",
		"2 0 enter backspace enter": "",
	} {
		r := scheduleOf(t, sceneOf(1, 2))
		r.press(keys)
		got := ""
		for _, a := range r.asks {
			s := a.Request.Signal
			var pids []int
			for _, p := range s.Processes {
				if p.StartTicks == 0 {
					t.Errorf("after %q: no start time", keys)
				}
				pids = append(pids, p.PID)
			}
			got = s.Schedule.String() + " of " + fmt.Sprint(pids)
			if s.Number != 0 {
				t.Errorf("after %q: signal %d", keys, s.Number)
			}
		}
		if got != want {
			t.Errorf("after %q: %q, want %q", keys, got, want)
		}
	}
}

// The dialog says what it does, and then what the node said. It never speaks of a signal.
func TestScheduleSays(t *testing.T) {
	r := scheduleOf(t, sceneOf(1, 2))
	r.says("Change the nice value of 1 process", "nice value: █", "only root may lower it", "Tab CPUs instead")
	r.press("2 0 enter")
	r.says("a nice value is a number from -20 to 19")
	r.press("tab")
	r.says("Choose the CPUs of 1 process", "CPUs: █", "Tab nice value instead", "!a number from")
	r.press("1 - enter")
	r.says(`"1-" is not a list of CPUs, such as 0-15,32`)
	r.press("3 enter")
	r.says("Set CPUs 1-3 for 1 process?", "y set", "s other value", "run on these CPUs only", "!others will wait",
		"!signal")
	r.press("tab tab y")
	r.says("Setting CPUs 1-3 for 2 processes", "no answer yet for 2")
	r.hear(reply(r.asks[0], wire.Signaled{}, wire.Signaled{ErrorID: wire.SignalKernel, Error: "why"}))
	r.says("Set CPUs 1-3 for 1 of 2 processes", "set for 1, not set for 1", "why", "!signal", "!sent")
	r = scheduleOf(t, sceneOf(1, 1))
	r.press("5 enter y")
	r.hear(nav.Result{Ask: r.asks[0], Err: errors.New(`"n01" is not connected`)})
	r.says("Set nice value 5 for 0 of 1 process", "not set: it is not connected")
}

package signal

import (
	"errors"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func cancelOf(t *testing.T) *rig {
	s := sceneOf(4, 8)
	c, a := NewCancel("48211", s)
	return &rig{t: t, s: s, open: true, asks: a.Ask, dialog: c}
}

// A job is canceled once its ID is typed, all of it; a signal goes to its steps at y.
func TestScancel(t *testing.T) {
	for _, test := range []struct {
		keys, want string
		open       bool
	}{
		{"", "", true},
		{"enter", "", true},
		{"y", "", true},
		{"4 8 2 1 enter", "", true},
		{"4 8 2 1 1 1 enter", "", true},
		{"4 8 2 1 1", "", true},
		{"4 8 2 1 1 enter", "scancel  48211", true},
		{"4 8 2 1 7 backspace 1 enter enter", "scancel  48211", false},
		{"4 8 2 1 1 esc", "", false},
		{"tab esc", "", false},
		{"tab enter", "", true},
		{"tab enter enter", "", false},
		{"tab enter y", "scancel USR1 48211", true},
		{"tab t e r m enter y y", "scancel TERM 48211", true},
		{"tab enter s h u p enter y", "scancel HUP 48211", true},
		{"tab enter s k i l l enter y", "", true}, // it would end the job, whose ID is not typed
		{"tab tab 4 8 2 1 1 enter", "scancel  48211", true},
		{"tab enter tab y enter", "", true},
	} {
		r := cancelOf(t)
		r.press(test.keys)
		if got := sentTo(r.asks); got != test.want || r.open != test.open {
			t.Errorf("after %q: %q, open %v", test.keys, got, r.open)
		}
	}
}

// The dialog says which job it is, and then what SLURM said.
func TestScancelSays(t *testing.T) {
	r := cancelOf(t)
	r.says("Cancel job 48211?", "48211  llama  of alice", "4 nodes, 32 GPUs, 1:00:00 left",
		"to run scancel 48211, type the job ID: █", "Unsaved work will be lost.")
	r.press("4 enter")
	r.says("that is not 48211", "job ID: 4█")
	r.press("8")
	r.says("!that is not")
	r.press("tab")
	r.says("Send which signal to job 48211?", "srun started", "often: write a checkpoint")
	r.press("enter")
	r.says("Send SIGUSR1 to job 48211?", "scancel --signal=USR1 48211 signals all steps",
		"A process that does not handle SIGUSR1 ends.", "y send")
	r.s.Snap.Jobs = nil
	r.says("SLURM no longer lists this job")
	for name, test := range map[string]struct {
		err  error
		keys string
		says []string
	}{
		"taken":  {nil, "4 8 2 1 1 enter", []string{"scancel 48211", "SLURM has accepted this: the job is ending."}},
		"signal": {nil, "tab enter y", []string{"scancel --signal=USR1 48211", "the steps of the job get SIGUSR1"}},
		"refused": {&reach.Failure{Short: "scancel failed", Cause: "Access/permission denied\x1b[2J",
			Words:   "scancel: error: Kill job error on job id 48211: Access/permission denied\x1b[2J\nsecond",
			Meaning: "Only the owner of a job and the admins may cancel it.", Hints: []string{"check whose job it is"}},
			"4 8 2 1 1 enter",
			[]string{"scancel failed: Access/permission denied",
				"scancel: error: Kill job error on job id 48211: Access/permission denied", "second", "Only the owner",
				"→ check whose job it is", "!\x1b"}},
		"other": {errors.New("context deadline exceeded"), "4 8 2 1 1 enter", []string{"context deadline exceeded"}},
	} {
		r := cancelOf(t)
		r.press(test.keys)
		r.says("no answer from SLURM yet", "Esc close")
		if r.hear(nav.Result{Ask: nav.Ask{Cancel: &nav.Cancel{Job: "48211"}}}) {
			t.Errorf("%s: the result of another request was taken", name)
		}
		if !r.hear(nav.Result{Ask: r.asks[0], Err: test.err}) {
			t.Errorf("%s: the result was not taken", name)
		}
		t.Run(name, func(t *testing.T) { r.t = t; r.says(test.says...) })
		if r.press("enter"); r.open {
			t.Errorf("%s: Enter does not close it", name)
		}
	}
}

// With the first component of a heterogeneous job all of them end, with another one only that.
func TestScancelOfAHeterogeneousJob(t *testing.T) {
	for id, want := range map[string][]string{
		"3+0": {"Cancel job 3+0?", "6 nodes, 48 GPUs", "the whole heterogeneous job: 2 components"},
		"3+1": {"Cancel job 3+1?", "2 nodes, 16 GPUs", "!whole heterogeneous"},
	} {
		s := sceneOf(4, 8)
		second := s.Snap.Jobs[0]
		s.Snap.Jobs[0].ID, second.ID, second.Nodes, second.GPUs = "3+0", "3+1", second.Nodes[:2], 16
		other := second
		other.ID = "31+0"
		s.Snap.Jobs = append(s.Snap.Jobs, second, other)
		c, a := NewCancel(id, s)
		r := &rig{t: t, s: s, open: true, asks: a.Ask, dialog: c}
		r.says(want...)
	}
}

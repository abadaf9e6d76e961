package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// F and \\ filter, in all scopes; / reverses. Esc takes the tags away, then the filter, then leads back.
func TestProcessesAreFiltered(t *testing.T) {
	for _, test := range []struct{ before, text, after, title string }{
		{"5 F", "gpu=3", "", "Processes of gpu-n01 2 of 9 match, by GPU"},
		{"5 F", "gpu=3", "enter", "Processes of gpu-n01 2 of 9 match, by GPU"},
		{"5 \\", "ray", "enter", "Processes of gpu-n01 1 of 9 match, by GPU"},
		{"5 F", "gpu=3", "enter w", "Processes of job 48211 4 of 18 match, on 2 of 4 nodes, by GPU"},
		{"5 F", "gpu=3", "enter esc", "Processes of gpu-n01 9 processes, by GPU"},
		{"5 F", "gpu=3", "esc", "Processes of gpu-n01 9 processes, by GPU"},
		{"5 space F", "gpu=3", "enter", "Processes of gpu-n01 2 of 9 match, by GPU"},
		{"5 F", "gpu=3", "enter space", "Processes of gpu-n01 1 tagged of 2 that match, by GPU"},
		{"5 F", "gpu=3", "enter space esc", "Processes of gpu-n01 2 of 9 match, by GPU"},
		{"5 F", "gpu=3", "enter space esc esc", "Processes of gpu-n01 9 processes, by GPU"},
		{"5 F", "gpu=3", "enter space esc esc esc", ""},
		{"5 F", "ray <", "enter", "Processes of gpu-n01 1 of 9 match, by GPU"},
		{"5 F", "problem=lag", "enter", "Processes of gpu-n01 0 of 9 match, by GPU"},
		{"5 F", "ray", "enter t", "Processes of gpu-n01 1 process, as a tree"},
		{"o 5 w F", "job=48377", "enter", "Processes of your 2 jobs 2 of 20 match, on 3 of 5 nodes, by GPU"},
	} {
		r := nvitopRig(t, uitest.Fixture())
		r.press(strings.Fields(test.before)...)
		r.types(test.text)
		r.press(strings.Fields(test.after)...)
		if got := r.title(); got != test.title {
			t.Errorf("%q %q %q: %q, want %q", test.before, test.text, test.after, got, test.title)
		}
	}
	r := nvitopRig(t, uitest.Fixture())
	r.press("5", "F")
	r.types("train o/q")
	if got := r.footer(); !strings.Contains(got, "filter: train o/q") || r.where() != "48211/gpu-n01 processes" {
		t.Errorf("the prompt does not take all letters: %q", got)
	}
	if r.press("backspace", "backspace", "backspace", "enter", "o", "p", "/"); !slices.Equal(r.pids()[:2],
		[]string{"318823", "318820"}) {
		t.Errorf("filtered and reversed, there are %v", r.pids())
	}
}

// Enter on a user opens the processes of that user on all nodes, on GPUs of other jobs too. The scope is the widest;
// Esc clears the filter, then leads back.
func TestUsersOpenTheirProcesses(t *testing.T) {
	const all = "Processes of all nodes of your 2 jobs "
	for keys, want := range map[string][2]string{
		"U enter":                {all + "20 of 25 match, on 3 of 5 nodes, by GPU", "48211/gpu-n01"},
		"U down enter":           {all + "3 of 25 match, on 3 of 5 nodes, by GPU", "48211/gpu-n01"},
		"U down enter end":       {all + "3 of 25 match, on 3 of 5 nodes, by GPU", "48377/gpu-s11"},
		"U down enter esc":       {all + "25 processes, on 3 of 5 nodes, by GPU", "48211/gpu-n01"},
		"U down enter end W":     {"Processes of gpu-s11 3 of 7 match, by GPU", "48377/gpu-s11"},
		"U down enter W esc w w": {"Processes of your 2 jobs 20 processes, on 3 of 5 nodes, by GPU", "48377/gpu-s11"},
		"a U down enter":         {all + "3 of 25 match, on 3 of 5 nodes, by GPU", "48211/gpu-n01"},
	} {
		r := nvitopRig(t, uitest.Fixture())
		r.press(strings.Fields(keys)...)
		if got := r.title(); got != want[0] || r.where() != want[1]+" processes" {
			t.Errorf("after %q: %q on %s, want %q", keys, got, r.where(), want)
		}
	}
	r := nvitopRig(t, uitest.Fixture())
	if r.press("U", "down", "enter"); len(r.pids()) != 3 || strings.Count(r.text(), " carol ") != 3 {
		t.Errorf("the processes of carol are %v", r.pids())
	}
	if r.press("esc", "esc"); !strings.Contains(r.text(), "── Users ──") {
		t.Errorf("Esc leads to\n%s", r.text())
	}
}

// A user whose name is odd, or not known, is found too.
func TestOddUsersOpenTheirProcesses(t *testing.T) {
	for _, name := range []string{"", `o"dd`, "a'b, c", "x|y", "1234", `o"d'd.*`} {
		s := uitest.Fixture()
		for i := range s.Nodes["gpu-s11"].Processes {
			if p := &s.Nodes["gpu-s11"].Processes[i]; p.User == "carol" {
				p.User = name
			}
		}
		found := "\n"
		for _, keys := range []string{"U enter", "U down enter", "U end enter"} {
			r := nvitopRig(t, s)
			r.press(strings.Fields(keys)...)
			found += strings.Join(r.pids(), " ") + "\n"
		}
		if !strings.Contains(found, "\n901248 901255 901262\n") {
			t.Errorf("the processes of %q are in none of\n%s", name, found)
		}
	}
}

// The way back from the processes of a user leads to the users, also where the page of processes was on the way there.
// That page is then as it was.
func TestTheProcessesOfAUserLeadBack(t *testing.T) {
	const node, filtered = "Processes of gpu-n01 9 processes, by GPU", "Processes of gpu-n01 2 of 9 match, by GPU"
	for keys, want := range map[string][2]string{
		"5 U down enter esc esc": {"users", ""}, "5 U down enter U": {"users", ""},
		"5 U down enter U esc": {"processes", node}, "5 U down enter 5 esc esc": {"users", ""},
		"5 U down enter 5 esc esc esc": {"processes", node},
		"5 U down enter esc esc esc":   {"processes", node}, "5 U down enter esc esc esc esc": {"0", ""},
		"5 U enter U enter 5 esc esc esc": {"processes", node},
		"U down enter ! 5": {"processes",
			"Processes of job 48211 18 processes, on 2 of 4 nodes, by GPU"},
		"5 F gpu=3 U down enter 5 esc esc esc": {"processes", filtered},
		"5 F gpu=3 U down enter esc esc esc": {"processes",
			filtered}, "5 F gpu=3 U down enter ! esc 5 esc esc esc": {"processes", filtered},
		"5 F gpu=3 U down enter ! o 5": {"processes",
			"Processes of job 48211 4 of 18 match, on 2 of 4 nodes, by GPU"},
		"5 t U down enter 5 esc esc esc": {"processes", "Processes of gpu-n01 9 processes, as a tree"},
	} {
		r := nvitopRig(t, uitest.Fixture())
		for _, k := range strings.Fields(keys) {
			if strings.Contains(k, "=") {
				r.types(k)
				r.press("enter")
			} else {
				r.press(k)
			}
		}
		where := strings.TrimPrefix(r.where(), "48211/gpu-n01 ")
		if strings.Contains(r.text(), "── Users ──") {
			where = "users"
		}
		if where != want[0] || where == "processes" && r.title() != want[1] {
			t.Errorf("%q leads to %s %q, want %s %q", keys, r.where(), r.title(), want[0], want[1])
		}
	}
	r := narrowed(t, nil, "pid=358811")
	if r.press("U", "enter", "esc", "esc", "esc", "5"); !strings.Contains(r.text(), "1 of 9 match") {
		t.Errorf("the filter of the start is no more:\n%s", r.text())
	}
}

// Without SLURM there are no jobs: the processes of a user are those on the nodes.
func TestTheProcessesOfAUserWithoutSlurm(t *testing.T) {
	s := uitest.Fixture()
	s.Jobs = s.Jobs[:1]
	s.Jobs[0].ID, s.Jobs[0].Number = "", ""
	for i := range s.Jobs[0].Findings {
		s.Jobs[0].Findings[i].Job = ""
	}
	r := nvitopRig(t, s)
	if r.press("U", "enter"); !strings.HasPrefix(r.title(), "Processes of 4 nodes 1") {
		t.Errorf("got %q", r.title())
	}
}

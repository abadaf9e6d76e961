package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// A key of another page says where it works, and a key without what it needs says so; a key of no page says nothing.
// The next key, or two seconds, bring the footer back.
func TestAKeyWithoutEffectSaysWhereItWorks(t *testing.T) {
	alone := func() *cluster.Snapshot {
		s := uitest.Fixture()
		s.Jobs = s.Jobs[1:]
		s.Jobs[0].Findings = nil
		return s
	}
	for _, test := range []struct{ keys, want string }{
		{"u", "u: on overview (2)"}, {"o t", "t: on processes (5)"},
		{"9 s", "s: on problems (7), ranks (6), jobs (1), users (8), …"},
		{"x", "x: on the page environment"},
	} {
		r := newRig(t, uitest.Fixture())
		footer := r.footer()
		r.press(strings.Fields(test.keys)...)
		if got := r.footer(); got != test.want {
			t.Errorf("after %q the footer is %q, want %q", test.keys, got, test.want)
		}
		if r.send(fadeMsg{r.touches - 1}); r.footer() != test.want {
			t.Errorf("an old message ends %q", test.want)
		}
		if r.send(fadeMsg{r.touches}); r.footer() == test.want || test.keys == "u" && r.footer() != footer {
			t.Errorf("%q stays", test.want)
		}
	}
	for key, want := range map[string]string{"n": "n: no job has a problem", "]": "]: there is no other job",
		".": ".: the job has one node"} {
		r := newRig(t, alone())
		if r.press(key); r.footer() != want {
			t.Errorf("%s says %q, want %q", key, r.footer(), want)
		}
	}
	r := newRig(t, uitest.Fixture())
	footer := r.footer()
	if r.press("~"); r.footer() != footer {
		t.Errorf("~ says %q", r.footer())
	}
}

// When a key changes the job, row 0 says so for a while.
func TestAnotherJobIsSaid(t *testing.T) {
	first := func(r *rig) string { return strings.SplitN(r.text(), "\n", 2)[0] }
	r := newRig(t, uitest.Fixture())
	if strings.Contains(first(r), "now job") {
		t.Errorf("row 0 begins with %q", first(r))
	}
	if cmd := r.press("down"); !strings.HasPrefix(first(r), "  now job 48377 ") || cmd == nil {
		t.Errorf("after ↓ row 0 is %q", first(r))
	}
	if r.send(fadeMsg{r.touches}); !strings.HasPrefix(first(r), " Job 48377 ") {
		t.Errorf("later row 0 is %q", first(r))
	}
	if r.press("]", "right"); strings.Contains(first(r), "now job") {
		t.Errorf("after another key row 0 is %q", first(r))
	}
}

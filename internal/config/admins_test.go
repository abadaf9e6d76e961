package config

import (
	"strings"
	"testing"
)

// Only the system's file says who sees the jobs of all.
func TestOnlyTheSystemNamesAdmins(t *testing.T) {
	for _, test := range []struct{ system, user, want, note string }{
		{"", "", "", ""},
		{"admins = ['carol', 'x.y@z']", "", "carol x.y@z", ""},
		{"admins = ['carol']", "admins = ['carol']", "carol", ""},
		{"", "admins = ['mallory']", "", `admins = ["mallory"] (USER:1) does not count: only the system's file sets it`},
		{"admins = ['carol']", "admins = ['mallory']", "carol",
			`admins = ["mallory"] (USER:1) becomes ["carol"]: the limit is admins (SYSTEM:1)`},
	} {
		in := place(t, test.system, test.user)
		c := Default()
		o, err := c.Load(in)
		if err != nil {
			t.Fatal(err)
		}
		note := strings.NewReplacer(in.User, "USER", in.System, "SYSTEM").Replace(strings.Join(o.Notes, "\n"))
		if got := strings.Join(c.Admins, " "); got != test.want || note != test.note {
			t.Errorf("%q, %q: %q, want %q; note %q", test.system, test.user, got, test.want, note)
		}
	}
	for _, text := range []string{"admins = 'carol dave'", "admins = ['-x']", "admins = [7]", "admins = ['a b']"} {
		c := Default()
		if _, err := c.Load(place(t, text, "")); err == nil || !strings.Contains(err.Error(), "must be a list of user names") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

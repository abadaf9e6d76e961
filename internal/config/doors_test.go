package config

import (
	"slices"
	"strings"
	"testing"
)

func TestDoors(t *testing.T) {
	for _, test := range []struct {
		name, system, user string
		line               map[string]Word
		want, says         string
	}{
		{name: "default", want: strings.Join(Transports[1:], " ")},
		{name: "system", system: "doors = ['ssh', 'openssh']", want: "ssh openssh local"},
		{name: "fewer", system: "doors = ['ssh', 'openssh']", user: "doors = ['openssh', 'control']",
			want: "openssh local"},
		{name: "none in common", system: "doors = ['ssh']", user: "doors = ['openssh']", want: "ssh local"},
		{name: "this host", system: "doors = ['local']", want: "local"},
		{name: "text", line: map[string]Word{"doors": {"--doors", "ssh, control"}}, want: "ssh control local"},
		{
			name: "a transport that is not allowed", system: "doors = ['ssh']",
			line: map[string]Word{"transport": {"--transport", "openssh"}},
			says: "transport openssh (--transport) is not allowed: doors is ssh, local (SYSTEM:1)",
		},
		{name: "login", system: "doors = ['openssh']", line: map[string]Word{"login": {"--login", "a"}},
			says: "login (--login) needs the transport ssh, which doors (SYSTEM:1) does not allow"},
		{name: "login through", user: "transport = 'openssh'", line: map[string]Word{"login": {"--login", "a"}},
			says: "login (--login) needs the transport ssh, not openssh (USER:1)"},
		{name: "auto", user: "doors = ['auto']", says: `USER:1: doors must be a list of ssh, control`},
		{name: "empty", user: "doors = []", says: `USER:1: doors must be a list`},
		{name: "other", user: "doors = ['telnet']", says: `USER:1: doors must be a list`},
		{name: "numbers", user: "doors = [1]", says: `such as ["ssh", "control"], not [1]`},
		{name: "a word", user: "doors = 'ssh'", says: `, not "ssh"`},
		{name: "transport", user: "transport = 'telnet'", says: `USER:1: transport must be auto, ssh, control`},
	} {
		in := place(t, test.system, test.user)
		in.Line = test.line
		c := Default()
		o, err := c.Load(in)
		if err != nil {
			if said := strings.NewReplacer(in.User, "USER", in.System,
				"SYSTEM").Replace(err.Error()); test.says == "" || !strings.Contains(said, test.says) {
				t.Errorf("%s: error %q, want %q", test.name, said, test.says)
			}
			continue
		}
		if got := strings.Join(c.Doors.doorNames(), " "); got != test.want || test.says != "" {
			t.Errorf("%s: %q, want %q, error %q", test.name, got, test.want, test.says)
		}
		if bound := test.name == "fewer" || test.name == "none in common"; bound != slices.ContainsFunc(o.Notes,
			func(n string) bool { return strings.HasPrefix(n, "doors = [") }) {
			t.Errorf("%s: notes %q", test.name, o.Notes)
		}
	}
	if allDoors.Has(Auto) || allDoors.Has("telnet") {
		t.Error("the set has what is no door")
	}
}

package config

import (
	"strings"
	"testing"
)

// The site's readonly cannot be undone; where it allows signals, everybody may forbid them for himself.
func TestReadOnly(t *testing.T) {
	for _, test := range []struct {
		name, system, user, variable, flag string
		want                               string // where it is from; empty: signals are allowed
		note                               string
	}{
		{name: "nowhere"},
		{name: "the site", system: "readonly = true", want: "SYSTEM:1"},
		{name: "the user", user: "\nreadonly = true", want: "USER:2"},
		{name: "the environment", variable: "1", want: "NVNODETOP_READONLY"},
		{name: "the flag", flag: "true", want: "--readonly"},
		{name: "the user undoes his own", user: "readonly = true", flag: "false"},
		{name: "the site allows it", system: "readonly = false", flag: "true", want: "--readonly"},
		{
			name: "the flag against the site", system: "readonly = true", flag: "false", want: "SYSTEM:1",
			note: "readonly = false (--readonly) becomes true: the limit is readonly (SYSTEM:1)",
		},
		{
			name: "the user's file against the site", system: "readonly = true", user: "readonly = false", want: "SYSTEM:1",
			note: "readonly = false (USER:1) becomes true: the limit is readonly (SYSTEM:1)",
		},
		{
			name: "the environment against the site", system: "readonly = true", variable: "false", want: "SYSTEM:1",
			note: "readonly = false (NVNODETOP_READONLY) becomes true: the limit is readonly (SYSTEM:1)",
		},
	} {
		in := place(t, test.system, test.user)
		if test.variable != "" {
			in.Environ = []string{"NVNODETOP_READONLY=" + test.variable}
		}
		if test.flag != "" {
			in.Line = map[string]Word{"readonly": {"--readonly", test.flag}}
		}
		c := Default()
		o, err := c.Load(in)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.NewReplacer(in.User, "USER", in.System, "SYSTEM")
		if from := short.Replace(c.ReadOnlyFrom); from != test.want || c.ReadOnly != (test.want != "") {
			t.Errorf("%s: %t, from %q, want %q", test.name, c.ReadOnly, from, test.want)
		}
		if note := short.Replace(strings.Join(o.Notes, "\n")); note != test.note {
			t.Errorf("%s: note %q, want %q", test.name, note, test.note)
		}
	}
}

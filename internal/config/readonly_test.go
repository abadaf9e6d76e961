package config

import (
	"fmt"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
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
			name: "the user's file against the site", system: "readonly = true", user: "readonly = false",
			want: "SYSTEM:1",
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

// The other limits of the system's file: the user may be stricter, and not looser.
func TestSwitches(t *testing.T) {
	for _, test := range []struct {
		system, user string
		want         string // serve, record and max_nodes, with where each is from
		note         string
	}{
		{"", "", "any  true  0 ", ""},
		{"serve = 'local'\nrecord = true\nmax_nodes = 100", "", "local SYSTEM:1 true  100 SYSTEM:3", ""},
		{"serve = 'local'\nmax_nodes = 100", "serve = 'off'\nrecord = false\nmax_nodes = 7",
			"off USER:1 false USER:2 7 USER:3", ""},
		{"serve = 'off'", "serve = 'any'", "off SYSTEM:1 true  0 ",
			`serve = "any" (USER:1) becomes "off": the limit is serve (SYSTEM:1)`},
		{"serve = 'local'", "serve = 'any'", "local SYSTEM:1 true  0 ",
			`serve = "any" (USER:1) becomes "local": the limit is serve (SYSTEM:1)`},
		{"record = false", "record = true", "any  false SYSTEM:1 0 ",
			`record = true (USER:1) becomes false: the limit is record (SYSTEM:1)`},
		{"max_nodes = 100", "max_nodes = 101", "any  true  100 SYSTEM:1",
			`max_nodes = 101 (USER:1) becomes 100: the limit is max_nodes (SYSTEM:1)`},
		{"", "max_nodes = 101", "any  true  101 USER:1", ""},
		{"", "logs = false", "any  true  0  no logs USER:1", ""},
		{"logs = false", "logs = true", "any  true  0  no logs SYSTEM:1",
			`logs = true (USER:1) becomes false: the limit is logs (SYSTEM:1)`},
	} {
		in := place(t, test.system, test.user)
		c := Default()
		o, err := c.Load(in)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.NewReplacer(in.User, "USER", in.System, "SYSTEM")
		got := short.Replace(fmt.Sprintln(c.Serve, c.ServeFrom, c.Record, c.RecordFrom, c.MaxNodes, c.MaxNodesFrom))
		if !c.Logs {
			got = short.Replace(strings.TrimSuffix(got, "\n") + " no logs " + c.LogsFrom + "\n")
		}
		if note := short.Replace(strings.Join(o.Notes, "\n")); got != test.want+"\n" || note != test.note {
			t.Errorf("%q, %q: %q, want %q; note %q, want %q", test.system, test.user, got, test.want, note, test.note)
		}
	}
	for _, test := range []struct{ system, user, want, note string }{
		{"", "", "any ", ""},
		{"", "[notify]\nallow = 'terminal'", "terminal USER:2", ""},
		{"[notify]\nallow = 'terminal'", "[notify]\nallow = 'off'", "off USER:2", ""},
		{"[notify]\nallow = 'off'", "[notify]\nallow = 'any'", "off SYSTEM:2",
			`notify.allow = "any" (USER:2) becomes "off": the limit is notify.allow (SYSTEM:2)`},
		{"[notify]\nallow = 'terminal'", "", "terminal SYSTEM:2", ""},
	} {
		in := place(t, test.system, test.user)
		c := Default()
		o, err := c.Load(in)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.NewReplacer(in.User, "USER", in.System, "SYSTEM")
		got, note := short.Replace(c.Notify.Allow+" "+c.Notify.AllowFrom), short.Replace(strings.Join(o.Notes, "\n"))
		if got != test.want || note != test.note {
			t.Errorf("%q, %q: %q, want %q; note %q", test.system, test.user, got, test.want, note)
		}
		for way, want := range map[string]bool{say.WayTerminal: c.Notify.Allow != NotifyOff,
			"webhook": c.Notify.Allow == NotifyAny} {
			if c.Notify.Allows(way) != want {
				t.Errorf("%s allows %s: %v", got, way, !want)
			}
		}
	}
	c := Default()
	if _, err := c.Load(place(t, "[notify]\nwebhook = '~/hook'", "")); err != nil || c.Notify.Webhook != "~/hook" {
		t.Errorf("the file of a webhook: %v", err)
	}
	for text, want := range map[string]string{
		"[notify]\ncommand = []": "notify.command must be a list of a program and its arguments, such as " +
			`["notify-send", "-a", "nvnodetop"], not a list`,
		"[notify]\nways = ['mail', 'pager']": `notify.ways must be a list of terminal, command, webhook, mail: it has "pager"`,
		"[notify]\nwebhook = 'https://hooks.example.org/services/T0/B0/secret'": "notify.webhook is the path of a file " +
			"with the URL, not the URL: write that into a file of mode 0600",
		"[notify]\nper_hour = 0": "notify.per_hour must be a whole number from 1 to 1000, not 0",
		"serve = true":           "serve must be off, local or any, not true",
		"record = 'no'":          `record must be true or false, not "no"`,
		"max_nodes = 0":          "max_nodes must be a whole number from 1 to 1000000, not 0",
		"max_nodes = 1.5":        "max_nodes must be a whole number from 1 to 1000000, not 1.5",
	} {
		c := Default()
		if _, err := c.Load(place(t, text, "")); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

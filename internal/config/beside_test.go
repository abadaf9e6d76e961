package config

import (
	"errors"
	"fmt"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// installed makes a program below PREFIX/bin with a file of settings beside it.
func installed(t *testing.T, settings string) (prefix string, b Beside) {
	t.Helper()
	prefix, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(prefix, "bin", "nvnodetop")
	file := filepath.Join(prefix, "etc", "nvnodetop", "config.toml")
	for path, text := range map[string]string{program: "", file: settings} {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	return prefix, besideOf(program)
}

// The file is found through links to the program, and only from a directory bin.
func TestTheFileBesideTheProgram(t *testing.T) {
	prefix, b := installed(t, "")
	if want := filepath.Join(prefix, "etc/nvnodetop/config.toml"); b.Path != want {
		t.Errorf("%q, want %q", b.Path, want)
	}
	link := filepath.Join(t.TempDir(), "nvl")
	if err := os.Symlink(filepath.Join(prefix, "bin", "nvnodetop"), link); err != nil {
		t.Fatal(err)
	}
	if got := besideOf(link); got != b {
		t.Errorf("through a link: %+v, want %+v", got, b)
	}
	loose := filepath.Join(prefix, "nvnodetop")
	if err := os.WriteFile(loose, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{loose, filepath.Join(prefix, "bin", "none")} {
		if got := besideOf(path); got.Path != "" {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// The limits of both system's files hold: the stricter one counts, wherever it is. Of defaults and of texts for users
// /etc's count more, and the user's file more than both defaults.
func TestTheLimitsOfBothFiles(t *testing.T) {
	for _, test := range []struct {
		beside, system, user string
		want                 string // settings that are not the defaults
		note                 string
	}{
		{beside: "max_nodes = 9", want: "max_nodes=9 BESIDE:1"},
		{beside: "max_nodes = 9", system: "max_nodes = 10", want: "max_nodes=9 BESIDE:1"},
		{beside: "max_nodes = 11", system: "max_nodes = 10", want: "max_nodes=10 SYSTEM:1"},
		{
			beside: "max_nodes = 9", system: "max_nodes = 10", user: "max_nodes = 20", want: "max_nodes=9 BESIDE:1",
			note: "max_nodes = 20 (USER:1) becomes 9: the limit is max_nodes (BESIDE:1)",
		},
		{
			beside: "max_nodes = 11", system: "max_nodes = 10", user: "max_nodes = 20", want: "max_nodes=10 SYSTEM:1",
			note: "max_nodes = 20 (USER:1) becomes 10: the limit is max_nodes (SYSTEM:1)",
		},
		{beside: "max_nodes = 11", system: "max_nodes = 10", user: "max_nodes = 2", want: "max_nodes=2 USER:1"},
		{beside: "serve = 'off'", system: "serve = 'any'", user: "serve = 'local'", want: `serve="off" BESIDE:1`,
			note: `serve = "local" (USER:1) becomes "off": the limit is serve (BESIDE:1)`},
		{beside: "record = true", system: "record = false", want: "record=false SYSTEM:1"},
		{beside: "doors = ['ssh', 'srun']", system: "doors = ['srun', 'control']",
			want: `doors=["srun", "local"] BESIDE:1`},
		{beside: "theme = 'dark'\nview = 'node'", system: "theme = 'light'",
			want: `view="node" BESIDE:2 theme="light" SYSTEM:1`},
		{beside: "theme = 'dark'", user: "theme = 'mono'", want: `theme="mono" USER:1`},
		{beside: "banner = 'a'", system: "banner = 'b'", want: `banner="b" SYSTEM:1`},
		{beside: "help_url = 'https://a.org'", user: "help_url = 'https://b.org'", want: `help_url="https://a.org" BESIDE:1`,
			note: `help_url = "https://b.org" (USER:1) becomes "https://a.org": the limit is help_url (BESIDE:1)`},
		{beside: "admins = ['alice']", user: "admins = ['bob']", want: `admins=["alice"] BESIDE:1`,
			note: `admins = ["bob"] (USER:1) becomes ["alice"]: the limit is admins (BESIDE:1)`},
		{beside: "[poll]\nmin_interval = 7", system: "[poll]\nmin_interval = 5",
			want: `poll.min_interval="7s" BESIDE:2 poll.interval="7s" BESIDE:2`},
		{beside: "max_programs = 3", system: "max_programs = 2", want: "max_programs=2 SYSTEM:1"},
	} {
		in := place(t, test.system, test.user)
		_, in.Beside = installed(t, test.beside)
		c := Default()
		o, err := c.Load(in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range c.Values(o) {
			if v.Origin != ByDefault {
				got = append(got, fmt.Sprintf("%s=%s %s", v.Key, v.Value, v.Origin))
			}
		}
		short := strings.NewReplacer(in.User, "USER", in.System, "SYSTEM", in.Beside.Path, "BESIDE")
		if all := short.Replace(strings.Join(got, " ")); all != test.want {
			t.Errorf("%+v: %s", test, all)
		}
		if note := short.Replace(strings.Join(o.Notes, "\n")); note != test.note {
			t.Errorf("%+v: note %q", test, note)
		}
	}
}

// Of a file that others than root and the owner of the program can write only the limits count that are stricter than
// those without it, and one line says so with the command that mends it.
func TestAFileBesideThatOthersWrite(t *testing.T) {
	const settings = `readonly = true
max_nodes = 7
admins = ["mallory"]
help_url = "https://mallory.example.org"
theme = "nonsense"
surprise = 1
[notify]
allow = "terminal"
command = ["/home/mallory/bin/run"]
[poll]
interval = "1s"
`
	const open = "others than its owner can write it (chmod go-w "
	for name, test := range map[string]struct {
		change func(file string) error
		want   string
	}{
		"a group":       {func(f string) error { return os.Chmod(f, 0o664) }, open + "FILE)"},
		"all":           {func(f string) error { return os.Chmod(f, 0o646) }, open + "FILE)"},
		"its directory": {func(f string) error { return os.Chmod(filepath.Dir(f), 0o777) }, open + "DIR)"},
		"the whole tree": {func(f string) error {
			return errors.Join(os.Chmod(filepath.Dir(f), 0o2775), os.Chmod(f, 0o664))
		}, open + "DIR FILE)"},
		"another user": {func(f string) error { return os.Chown(f, 1234, -1) },
			"FILE belongs to the user 1234 (chown 0 FILE)"},
	} {
		if name == "another user" && os.Getuid() != 0 {
			continue
		}
		in := place(t, "max_nodes = 5\nhelp_url = 'https://a.org'\n[slurm]\nmin_interval = 60", "max_nodes = 9")
		_, in.Beside = installed(t, settings)
		if err := test.change(in.Beside.Path); err != nil {
			t.Fatal(err)
		}
		c := Default()
		o, err := c.Load(in)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := Default()
		got.ReadOnly, got.MaxNodes, got.Notify.Allow, got.SlurmFloor = true, 5, say.WayTerminal, time.Minute
		got.Slurm, got.HelpURL = time.Minute, "https://a.org"
		for i, v := range c.Values(o) {
			if want := got.Values(o)[i]; v != want {
				t.Errorf("%s: %+v, want %+v", name, v, want)
			}
		}
		short := strings.NewReplacer(in.Beside.Path, "FILE", filepath.Dir(in.Beside.Path), "DIR")
		remarks := o.Remarks()
		if want := "FILE: only its limits count, since " + test.want; short.Replace(remarks[0]) != want ||
			len(o.PassedOver) != 1 || strings.Contains(remarks[0], "\n") {
			t.Errorf("%s: %q, want %q", name, remarks, want)
		}
	}
}

// No limit has a value that is looser than without it, or such a file could loosen it. A mistake in a limit is one.
func TestLimitsOnlyRestrict(t *testing.T) {
	loosest := map[string]any{"slurm.min_interval": int64(2), "poll.min_interval": 0.25, "readonly": false, "serve": "any",
		"record": true, "logs": true, "progress": true, "runs": true, "hang.ask": true, "notify.allow": "any", "max_nodes": int64(mostNodes),
		"max_programs": int64(mostPrograms), "idle_exit": "8760h", "doors": []any{"ssh", "control", "openssh", "srun"}}
	for i := range settings {
		s := &settings[i]
		if !isLimit(s.key) {
			continue
		}
		c, none := Default(), Default()
		if v, known := loosest[s.key]; !known || !s.take(&c, v) || s.bind(&c, &none) {
			t.Errorf("%s = %v is looser than the default, or not in this test", s.key, v)
		}
	}
	for key, looser := range map[string]any{"slurm.min_interval": 1.9, "poll.min_interval": 0.2} {
		if c := Default(); findSetting(key).take(&c, looser) {
			t.Errorf("%s may be %v", key, looser)
		}
	}
	_, b := installed(t, "max_nodes = 'many'")
	c := Default()
	if _, err := c.Load(Inputs{Beside: b}); err == nil || !strings.Contains(err.Error(), b.Path+":1: max_nodes must be") {
		t.Error(err)
	}
}

// A file that is missing changes nothing, and one that only its owner writes counts in full.
func TestAFileBesideAsItShouldBe(t *testing.T) {
	_, b := installed(t, "readonly = true\ntheme = 'dark'")
	for _, want := range []bool{true, false} {
		c := Default()
		o, err := c.Load(Inputs{Beside: b})
		if err != nil || c.ReadOnly != want || (c.Theme == "dark") != want || len(o.PassedOver) > 0 {
			t.Errorf("%v, %+v, %v", want, o, err)
		}
		_ = os.Remove(b.Path)
	}
}

package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

// A file that others than root and the owner of the program may have written ends the program in one line: it may lack
// limits.
func TestAFileBesideThatOthersWrite(t *testing.T) {
	for name, test := range map[string]struct {
		change func(file string) error
		want   string
	}{
		"as it should be": {func(string) error { return nil }, ""},
		"none":            {os.Remove, ""},
		"a group":         {func(f string) error { return os.Chmod(f, 0o664) }, "can be written by others than its owner"},
		"all":             {func(f string) error { return os.Chmod(f, 0o646) }, "can be written by others than its owner"},
		"its directory": {func(f string) error { return os.Chmod(filepath.Dir(f), 0o777) },
			"can be written by others than its owner"},
		"another user": {func(f string) error { return os.Chown(f, 1234, -1) },
			"belongs to the user 1234: only root and the owner of the program (0) may write it"},
	} {
		if name == "another user" && os.Getuid() != 0 {
			continue
		}
		_, b := installed(t, "readonly = true")
		if err := test.change(b.Path); err != nil {
			t.Fatal(err)
		}
		c := Default()
		_, err := c.Load(Inputs{Beside: b})
		if test.want == "" && (err != nil || c.ReadOnly != (name != "none")) {
			t.Errorf("%s: readonly %v, %v", name, c.ReadOnly, err)
		}
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), filepath.Dir(b.Path)) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

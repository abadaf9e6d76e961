package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
)

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"":                                      func(c *Config) {},
		"--demo and --nodes cannot be combined": func(c *Config) { c.Demo, c.Nodes = "4x8", "a" },
		"--demo and --login cannot be combined": func(c *Config) { c.Demo, c.Login = "4x8", "a" },
		"--demo=4: expected NODESxGPUS":         func(c *Config) { c.Demo = "4" },
		"--demo=+4x8: expected NODESxGPUS":      func(c *Config) { c.Demo = "+4x8" },
		"--demo=0x8: expected NODESxGPUS":       func(c *Config) { c.Demo = "0x8" },
		"--demo=4x99: expected NODESxGPUS":      func(c *Config) { c.Demo = "4x99" },
	} {
		c := Default()
		change(&c)
		err := c.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestChoicesAreRemembered(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	for name, words := range map[string][]string{Colors: {"classic", "job"}, View: {"overview", "node"},
		Transport("../a b"): {"openssh", "local"}} {
		if got := Remembered(name); got != "" {
			t.Errorf("%s: %q before a choice", name, got)
		}
		for _, word := range words {
			if err := Remember(name, word); err != nil {
				t.Fatal(err)
			}
			if got := Remembered(name); got != word {
				t.Errorf("%s: %q after %q was chosen", name, got, word)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "nvnodetop", name), []byte("nonsense\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Remembered(name); got != "" {
			t.Errorf("%s: %q from a file with another word", name, got)
		}
	}
}

func TestTakeDemoSize(t *testing.T) {
	for _, tc := range []struct{ demo, args, want, rest string }{
		{DefaultDemo, "64x8", "64x8", ""},
		{DefaultDemo, "2x4 5 2", "2x4", "5 2"},
		{DefaultDemo, "5 2x4", "2x4", "5"},
		{DefaultDemo, "5", DefaultDemo, "5"},
		{DefaultDemo, "", DefaultDemo, ""},
		{"3x3", "2x4", "3x3", "2x4"},
	} {
		c := Config{Demo: tc.demo}
		if rest := strings.Join(c.TakeDemoSize(strings.Fields(tc.args)), " "); c.Demo != tc.want || rest != tc.rest {
			t.Errorf("--demo=%s %s: size %s and arguments %q, want %s and %q", tc.demo, tc.args, c.Demo, rest, tc.want,
				tc.rest)
		}
	}
}

func TestTransportsAreNames(t *testing.T) {
	if a := Transport(strings.Repeat("a", 300)); len(a) > 100 || strings.Contains(Transport("../x\x00"), "/") ||
		Transport("c1") == Transport("c2") {
		t.Error(a)
	}
	cfg := Default()
	cfg.Transport, cfg.Demo = SSH, DefaultDemo
	if err := cfg.Validate(); err == nil || err.Error() != "--demo and --transport cannot be combined" {
		t.Error(err)
	}
}

// Graphs that know no setting show as much time as those of a user who has set none.
func TestUsualHistory(t *testing.T) {
	if got := Default().History; got != history.Usual {
		t.Errorf("the default is %v, history.Usual %v", got, history.Usual)
	}
}

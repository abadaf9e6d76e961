package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestIntervals(t *testing.T) {
	for _, tc := range []struct {
		args          string
		poll, display time.Duration
		err           string
	}{
		{"", 3 * time.Second, time.Second, ""},
		{"5", 5 * time.Second, time.Second, ""},
		{"5 2", 5 * time.Second, 2 * time.Second, ""},
		{"0.5 0.25", 500 * time.Millisecond, 250 * time.Millisecond, ""},
		{"abc", 0, 0, `poll interval "abc" is not a number of seconds`},
		{"0", 0, 0, `poll interval "0" is out of range (0.25 to 600 s)`},
		{"-3", 0, 0, `poll interval "-3" is out of range`},
		{"NaN", 0, 0, `poll interval "NaN" is not a number of seconds`},
		{"1e300", 0, 0, `is not a number of seconds`},
		{"5 61", 0, 0, `display interval "61" is out of range (0.1 to 60 s)`},
		{"5 2 1", 0, 0, "too many arguments (3): expected at most POLL and DISPLAY, in seconds"},
	} {
		c := Default()
		err := c.Intervals(strings.Fields(tc.args))
		switch {
		case tc.err == "" && (err != nil || c.Poll != tc.poll || c.Display != tc.display):
			t.Errorf("%q: poll %v, display %v, error %v", tc.args, c.Poll, c.Display, err)
		case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
			t.Errorf("%q: error %v, want %q", tc.args, err, tc.err)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"": func(c *Config) {},
		"--view must be auto, node or overview, not \"help\"": func(c *Config) { c.View = "help" },
		"--colors must be job or classic, not \"rainbow\"":    func(c *Config) { c.Colors = "rainbow" },
		"--theme must be auto, dark or light, not \"blue\"":   func(c *Config) { c.Theme = "blue" },
		"--demo and --nodes cannot be combined":               func(c *Config) { c.Demo, c.Nodes = "4x8", "a" },
		"--demo and --login cannot be combined":               func(c *Config) { c.Demo, c.Login = "4x8", "a" },
		"--once and --json cannot be combined":                func(c *Config) { c.Once, c.JSON = true, true },
		"--timeout must be positive, e.g. 15s, not 0s":        func(c *Config) { c.Timeout = 0 },
		"--demo=4: expected NODESxGPUS":                       func(c *Config) { c.Demo = "4" },
		"--demo=+4x8: expected NODESxGPUS":                    func(c *Config) { c.Demo = "+4x8" },
		"--demo=0x8: expected NODESxGPUS":                     func(c *Config) { c.Demo = "0x8" },
		"--demo=4x99: expected NODESxGPUS":                    func(c *Config) { c.Demo = "4x99" },
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
	for name, words := range map[string][]string{Colors: {"classic", "job"}, View: {"overview", "node"}, Transport("../a b"): {"openssh", "local"}} {
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
			t.Errorf("--demo=%s %s: size %s and arguments %q, want %s and %q", tc.demo, tc.args, c.Demo, rest, tc.want, tc.rest)
		}
	}
}

func TestTheTransportIsOneOfThose(t *testing.T) {
	for _, c := range []struct{ transport, demo, says string }{
		{"auto", "", ""}, {"openssh", "", ""}, {"auto", DefaultDemo, ""},
		{"ssh", DefaultDemo, "--demo and --transport cannot be combined"},
		{"telnet", "", `not "telnet"`},
		{"", "", `--transport must be auto, ssh, `},
	} {
		cfg := Default()
		cfg.Transport, cfg.Demo = c.transport, c.demo
		if err := cfg.Validate(); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.transport, err)
		}
	}
	if a := Transport(strings.Repeat("a", 300)); len(a) > 100 || strings.Contains(Transport("../x\x00"), "/") || Transport("c1") == Transport("c2") {
		t.Error(a)
	}
}

package config

import (
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
		{"0", 0, 0, `poll interval "0" is not between 0.25 and 600 seconds`},
		{"-3", 0, 0, `poll interval "-3" is not between`},
		{"NaN", 0, 0, `poll interval "NaN" is not a number of seconds`},
		{"1e300", 0, 0, `is not a number of seconds`},
		{"5 61", 0, 0, `display interval "61" is not between 0.1 and 60 seconds`},
		{"5 2 1", 0, 0, "3 arguments, but at most two are understood"},
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
		"":                          func(c *Config) {},
		"neither job nor classic":   func(c *Config) { c.Colors = "rainbow" },
		"none of auto":              func(c *Config) { c.Theme = "blue" },
		"--demo and --nodes":        func(c *Config) { c.Demo, c.Nodes = "4x8", "a" },
		"--once and --json":         func(c *Config) { c.Once, c.JSON = true, true },
		"--timeout 0s":              func(c *Config) { c.Timeout = 0 },
		"--demo=4 is not NODESx":    func(c *Config) { c.Demo = "4" },
		"--demo=0x8 is not NODESx":  func(c *Config) { c.Demo = "0x8" },
		"--demo=4x99 is not NODESx": func(c *Config) { c.Demo = "4x99" },
	} {
		c := Default()
		change(&c)
		err := c.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestColorsAreRemembered(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if got := RememberedColors(); got != "job" {
		t.Errorf("%q before a choice, want job", got)
	}
	for _, colors := range []string{"classic", "job"} {
		if err := RememberColors(colors); err != nil {
			t.Fatal(err)
		}
		if got := RememberedColors(); got != colors {
			t.Errorf("%q after %q was chosen", got, colors)
		}
	}
}

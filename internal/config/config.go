// Package config owns what a person can choose: one Config value, checked once, and the one choice that is remembered between runs.
//
// It has no state of its own. A Config is a plain value.
package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Config is everything that a run depends on.
type Config struct {
	Poll    time.Duration // between two reports of a node
	Display time.Duration // between two redraws
	Timeout time.Duration // of --once and --json: when to stop waiting for nodes

	Demo  string // "" for no demo, else NODESxGPUS
	Nodes string // a host list; "" to ask SLURM

	Once bool
	JSON bool

	Colors string // "job" or "classic"; "" for the remembered choice
	Theme  string // "auto", "dark" or "light"
	ASCII  bool
}

// Default is the Config of a run without arguments.
func Default() Config {
	return Config{Poll: 3 * time.Second, Display: time.Second, Timeout: 15 * time.Second, Theme: "auto"}
}

// DefaultDemo is the cluster of --demo without a value: NODESxGPUS.
const DefaultDemo = "4x8"

// Bounds of the intervals. A probe paces itself between the first two; below the third a terminal only flickers.
const (
	MinPoll, MaxPoll       = 250 * time.Millisecond, 10 * time.Minute
	MinDisplay, MaxDisplay = 100 * time.Millisecond, time.Minute
	maxDemoNodes           = 1024
	maxDemoGPUs            = 16
)

// Intervals takes the arguments of `nvnodetop [POLL [DISPLAY]]`, seconds both.
func (c *Config) Intervals(args []string) error {
	targets := []struct {
		name     string
		to       *time.Duration
		min, max time.Duration
	}{
		{"poll interval", &c.Poll, MinPoll, MaxPoll},
		{"display interval", &c.Display, MinDisplay, MaxDisplay},
	}
	if len(args) > len(targets) {
		return fmt.Errorf("%d arguments, but at most two are understood: the poll and the display interval in seconds", len(args))
	}
	for i, arg := range args {
		t := targets[i]
		seconds, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(math.Abs(seconds) < 1e6) { // NaN too
			return fmt.Errorf("%s %q is not a number of seconds", t.name, arg)
		}
		d := time.Duration(seconds * float64(time.Second))
		if d < t.min || d > t.max {
			return fmt.Errorf("%s %q is not between %g and %g seconds", t.name, arg, t.min.Seconds(), t.max.Seconds())
		}
		*t.to = d
	}
	return nil
}

// Validate checks the values against each other. Its errors tell what to do.
func (c *Config) Validate() error {
	switch {
	case c.Colors != "" && c.Colors != "job" && c.Colors != "classic":
		return fmt.Errorf("--colors %q is neither job nor classic", c.Colors)
	case c.Theme != "auto" && c.Theme != "dark" && c.Theme != "light":
		return fmt.Errorf("--theme %q is none of auto, dark and light", c.Theme)
	case c.Demo != "" && c.Nodes != "":
		return fmt.Errorf("--demo and --nodes exclude each other")
	case c.Once && c.JSON:
		return fmt.Errorf("--once and --json exclude each other: both print once and exit")
	case c.Timeout <= 0:
		return fmt.Errorf("--timeout %v is not a positive duration, such as 15s", c.Timeout)
	}
	if c.Demo != "" {
		_, _, err := c.DemoSize()
		return err
	}
	return nil
}

// DemoSize takes --demo=NODESxGPUS apart.
func (c *Config) DemoSize() (nodes, gpus int, err error) {
	a, b, ok := strings.Cut(c.Demo, "x")
	nodes, err1 := strconv.Atoi(a)
	gpus, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || nodes < 1 || nodes > maxDemoNodes || gpus < 1 || gpus > maxDemoGPUs {
		return 0, 0, fmt.Errorf("--demo=%s is not NODESxGPUS, such as %s (at most %dx%d)", c.Demo, DefaultDemo, maxDemoNodes, maxDemoGPUs)
	}
	return nodes, gpus, nil
}

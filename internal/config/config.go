// Package config owns the user's settings: one Config value, validated once, and the choices that are remembered between runs.
//
// A Config is a plain value. Read takes the user's file of settings. Remembered and Remember read and write small files; they may be called
// from any goroutine.
package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/health"
)

// Config holds all settings of a run.
type Config struct {
	Poll    time.Duration // interval between two reports of a node
	Display time.Duration // interval between two screen updates
	Timeout time.Duration // with --once and --json: how long to wait for nodes

	Demo  string // NODESxGPUS; "" for no demo
	Nodes string // a host list; "" to ask SLURM
	Login string // [user@]host[:port], a login node to which to connect; "" for this host

	Transport string // how nodes are reached: one of Transports

	Once bool
	JSON bool

	View   string // start page: "auto", "node" or "overview"; auto is the remembered choice, or else depends on the job
	Colors string // "job" or "classic"; "" for the remembered choice
	Theme  string // "auto", "dark" or "light"
	ASCII  bool   // draw with ASCII characters only
	UTF8   bool   // draw with all characters, whatever TERM and the locale suggest

	Thresholds health.Thresholds // of the health rules; only the file sets them
}

// Default returns the Config of a run without arguments.
func Default() Config {
	return Config{Poll: 3 * time.Second, Display: time.Second, Timeout: 15 * time.Second, Transport: Auto, View: "auto", Theme: "auto", Thresholds: health.Defaults()}
}

// Auto is the transport that chooses among the others. SSH is the only one that leads through a login node.
const (
	Auto = "auto"
	SSH  = "ssh"
)

// Transports lists the ways to reach nodes.
var Transports = []string{Auto, SSH, "control", "openssh", "srun", "local"}

// DefaultDemo is the size of --demo without a value, as NODESxGPUS.
const DefaultDemo = "4x8"

// Limits of the intervals and of the demo. Below MinDisplay a terminal only flickers.
const (
	MinPoll, MaxPoll       = 250 * time.Millisecond, 10 * time.Minute
	MinDisplay, MaxDisplay = 100 * time.Millisecond, time.Minute
	maxDemoNodes           = 1024
	maxDemoGPUs            = 16
)

// Intervals sets the intervals from the arguments of `nvnodetop [POLL [DISPLAY]]`, both in seconds.
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
		return fmt.Errorf("too many arguments (%d): expected at most POLL and DISPLAY, in seconds", len(args))
	}
	for i, arg := range args {
		t := targets[i]
		seconds, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(math.Abs(seconds) < 1e6) { // NaN too
			return fmt.Errorf("%s %q is not a number of seconds", t.name, arg)
		}
		d := time.Duration(seconds * float64(time.Second))
		if d < t.min || d > t.max {
			return fmt.Errorf("%s %q is out of range (%g to %g s)", t.name, arg, t.min.Seconds(), t.max.Seconds())
		}
		*t.to = d
	}
	return nil
}

// Validate checks the values, alone and in combination.
func (c *Config) Validate() error {
	switch {
	case !slices.Contains(Transports, c.Transport):
		return fmt.Errorf("--transport must be %s or %s, not %q", strings.Join(Transports[:len(Transports)-1], ", "), Transports[len(Transports)-1], c.Transport)
	case c.View != "auto" && !slices.Contains(choices[View], c.View):
		return fmt.Errorf("--view must be auto, node or overview, not %q", c.View)
	case c.Colors != "" && !slices.Contains(choices[Colors], c.Colors):
		return fmt.Errorf("--colors must be job or classic, not %q", c.Colors)
	case c.Theme != "auto" && c.Theme != "dark" && c.Theme != "light":
		return fmt.Errorf("--theme must be auto, dark or light, not %q", c.Theme)
	case c.Demo != "" && c.Nodes != "":
		return fmt.Errorf("--demo and --nodes cannot be combined")
	case c.Demo != "" && c.Transport != Auto:
		return fmt.Errorf("--demo and --transport cannot be combined")
	case c.Demo != "" && c.Login != "":
		return fmt.Errorf("--demo and --login cannot be combined")
	case c.Login != "" && c.Transport != Auto && c.Transport != SSH:
		return fmt.Errorf("--login needs the transport ssh, not %s", c.Transport)
	case c.Once && c.JSON:
		return fmt.Errorf("--once and --json cannot be combined")
	case c.Timeout <= 0:
		return fmt.Errorf("--timeout must be positive, e.g. 15s, not %v", c.Timeout)
	}
	if c.Demo != "" {
		_, _, err := c.DemoSize()
		return err
	}
	return nil
}

// TakeDemoSize takes the first argument that is a size as the value of --demo, and returns the others. Flags with an optional value take
// it only behind "=", but users also write --demo 64x8.
func (c *Config) TakeDemoSize(args []string) []string {
	at := slices.IndexFunc(args, demoSize.MatchString)
	if at < 0 || c.Demo != DefaultDemo {
		return args
	}
	c.Demo = args[at]
	return slices.Delete(slices.Clone(args), at, at+1)
}

var demoSize = regexp.MustCompile(`^\d+x\d+$`)

// DemoSize parses the NODESxGPUS of --demo.
func (c *Config) DemoSize() (nodes, gpus int, err error) {
	a, b, _ := strings.Cut(c.Demo, "x")
	nodes, err1 := strconv.Atoi(a)
	gpus, err2 := strconv.Atoi(b)
	if !demoSize.MatchString(c.Demo) || err1 != nil || err2 != nil || nodes < 1 || nodes > maxDemoNodes || gpus < 1 || gpus > maxDemoGPUs {
		return 0, 0, fmt.Errorf("--demo=%s: expected NODESxGPUS, e.g. %s (at most %dx%d)", c.Demo, DefaultDemo, maxDemoNodes, maxDemoGPUs)
	}
	return nodes, gpus, nil
}

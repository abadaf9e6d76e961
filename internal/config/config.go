// Package config owns the settings: one Config value, the origin of each of its values, and the choices remembered
// between runs.
//
// A Config is a plain value. Load takes each setting from the first of these that has it: the command line, the
// environment, nvitop's environment variables, the user's file, the system's file, the default. Every setting is a row
// of one table. Limits in the system's file cannot be undone elsewhere. Each mistake is reported in one line that names
// the file and its line, the variable, or the flag. Save edits the user's file. Remembered and Remember read and write
// small files; they may be called from any goroutine.
package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// Config holds all settings of a run.
type Config struct {
	Poll    time.Duration // interval between two reports of a node
	Display time.Duration // interval between two screen updates
	Slurm   time.Duration // interval between two questions for the jobs, while somebody is pressing keys
	History time.Duration // time that graphs show
	Timeout time.Duration // with --once and --json: the time to wait for nodes

	PollFloor  time.Duration // the smallest Poll
	SlurmFloor time.Duration // the shortest time from an answer of squeue to the next question
	IdleExit   time.Duration // the program ends by itself after this time without a key; 0: never
	Banner     string        // a line for every user, from the system's file
	HelpURL    string        // where users of this site find help
	Log        string        // file that the log is appended to; "": none

	ReadOnly     bool   // no signal is sent to a process, and no job is canceled
	ReadOnlyFrom string // origin of ReadOnly; "": it is not set

	Serve  string // where serve may listen: one of ServePlaces
	Record bool   // recordings may be made

	Recordings string // directory of recordings without a file name from the user; "": the working directory
	Logs       bool   // the logs of jobs may be read
	Progress   bool   // the logs of running jobs may be followed, for how far their programs are
	Runs       bool   // a few numbers of the user's jobs may be kept, to compare later ones with them
	HangAsk    bool   // a job that seems to hang is asked once what its ranks do
	MaxNodes   int    // maximum number of watched nodes; 0: no limit

	MaxPrograms int // maximum number of programs of a user that run on this host at once; 0: no limit

	// Origins of these limits; "": there is no limit.
	ServeFrom, RecordFrom, LogsFrom, MaxNodesFrom, MaxProgramsFrom string

	Demo  string // NODESxGPUS; "" for no demo
	Nodes string // a host list; "" to ask SLURM
	Login string // [user@]host[:port], a login node to connect to; "" for this host
	// ID or number of the only watched job, or of its array or heterogeneous job; "": all jobs of the user
	Job string

	Transport string // transport to the nodes: one of Transports
	Doors     Doors  // the transports that may be used

	// first page: "auto", "node" or "overview"; auto means the remembered choice, or else the job decides
	View    string
	Keys    string // "usual", or "nvitop": nvitop's keys on the page of processes
	Monitor string // GPUs above the processes on their page: "auto" (if there is room), "full" or "compact" (never)
	Colors  string // ColorsJob or ColorsClassic; "" for the remembered choice
	Theme   string // one of Themes

	GPULevels    Levels // thresholds of the classic colors for utilization
	MemoryLevels Levels // the same for GPU memory

	Columns rows.ChosenColumns // of the tables

	ASCII bool // draw with ASCII characters only
	UTF8  bool // draw with all characters, whatever TERM and the locale suggest

	Prices Prices // of the site, for reports

	Admins []string // users who see everybody's jobs on the page of the cluster; only the system's file sets them

	Thresholds health.Thresholds // of the health rules; only the file sets them

	Notify Notify
}

// Default returns the Config of a run without arguments.
func Default() Config {
	return Config{
		Poll: 3 * time.Second, Display: time.Second, Timeout: 15 * time.Second, PollFloor: MinPoll,
		SlurmFloor: MinSlurm, Slurm: 30 * time.Second, History: usualHistory,
		Transport: Auto, Doors: allDoors, View: "auto", Keys: "usual", Monitor: "auto", Theme: "auto",
		GPULevels: Levels{60, 85}, MemoryLevels: Levels{60, 85},
		Thresholds: health.Defaults(),
		Serve:      ServeAny, Record: true, Logs: true, Progress: true, Runs: true, HangAsk: true,
		Notify: Notify{NewsSettings: say.DefaultNews(), Allow: NotifyAny, Terminal: NotifyStyles[0]},
	}
}

// The places where serve may listen: nowhere, at addresses and sockets that only this host reaches, or anywhere.
const (
	ServeOff   = "off"
	ServeLocal = "local"
	ServeAny   = "any"
)

// ServePlaces lists the values of Config.Serve, the strictest first.
var ServePlaces = []string{ServeOff, ServeLocal, ServeAny}

// Themes lists the values of Config.Theme.
var Themes = []string{"auto", "dark", "light", "high-contrast", "colorblind", "mono"}

// SecondSample is the time between the first two reports of a node, for output that is printed once from two reports.
const SecondSample = time.Second

// usualHistory is the time that graphs show at first.
const usualHistory = 10 * time.Minute

// DefaultDemo is the size of --demo without a value, as NODESxGPUS.
const DefaultDemo = "4x8"

// Limits of the times and of the demo. Below MinDisplay a terminal only flickers.
const (
	MinPoll, MaxPoll       = 250 * time.Millisecond, 10 * time.Minute
	minHistory, maxHistory = 2 * time.Minute, 24 * time.Hour
	MinDisplay, MaxDisplay = 100 * time.Millisecond, time.Minute
	MinSlurm, maxSlurm     = 2 * time.Second, time.Hour
	leastSlurm             = 10 * time.Second
	mostNodes              = 1_000_000
	mostPrograms           = 1000
	maxDemoNodes           = 1024
	maxDemoGPUs            = 16
)

// Validate checks the values that only the command line sets, alone and in combination.
func (c *Config) Validate() error {
	switch {
	case c.Demo != "" && c.Nodes != "":
		return fmt.Errorf("--demo and --nodes cannot be combined")
	case c.Demo != "" && c.Transport != Auto:
		return fmt.Errorf("--demo and --transport cannot be combined")
	case c.Demo != "" && c.Login != "":
		return fmt.Errorf("--demo and --login cannot be combined")
	case c.Job != "" && (c.Nodes != "" || c.Demo != ""):
		return fmt.Errorf("--job cannot be combined with --nodes or --demo")
	}
	if c.Demo != "" {
		_, _, err := c.DemoSize()
		return err
	}
	return nil
}

// TakeDemoSize uses the first argument that is a size as the value of --demo, and returns the other arguments. A flag
// with an optional value accepts it only after "=", but users also write --demo 64x8.
func (c *Config) TakeDemoSize(args []string) []string {
	at := slices.IndexFunc(args, demoSize.MatchString)
	if at < 0 || c.Demo != DefaultDemo {
		return args
	}
	c.Demo = args[at]
	return slices.Delete(slices.Clone(args), at, at+1)
}

var demoSize = regexp.MustCompile(`^\d+x\d+(,hang)?$`)

// DemoHangs reports whether the job of the demo hangs.
func (c *Config) DemoHangs() bool { return strings.HasSuffix(c.Demo, ",hang") }

// DemoSize parses the NODESxGPUS of --demo.
func (c *Config) DemoSize() (nodes, gpus int, err error) {
	size, _, _ := strings.Cut(c.Demo, ",")
	a, b, _ := strings.Cut(size, "x")
	nodes, err1 := strconv.Atoi(a)
	gpus, err2 := strconv.Atoi(b)
	if !demoSize.MatchString(c.Demo) || err1 != nil || err2 != nil || nodes < 1 || nodes > maxDemoNodes || gpus < 1 ||
		gpus > maxDemoGPUs {
		return 0, 0, fmt.Errorf("--demo=%s: expected NODESxGPUS, e.g. %s (at most %dx%d; with \",hang\" its job hangs)",
			c.Demo, DefaultDemo, maxDemoNodes, maxDemoGPUs)
	}
	return nodes, gpus, nil
}

// RecordingsIn is the directory of recordings for which the user gives no file name.
func (c *Config) RecordingsIn() string {
	if rest, home := strings.CutPrefix(c.Recordings, "~/"); home {
		if dir, err := os.UserHomeDir(); err == nil {
			return filepath.Join(dir, rest)
		}
	}
	return cmp.Or(c.Recordings, ".")
}

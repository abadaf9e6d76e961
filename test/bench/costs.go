package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
	"github.com/nvnodetop/nvnodetop/test/term"
)

// The load of measureCosts.
const (
	costlyDemo  = "1000x8"
	costReports = 100              // of the probe
	costSettles = 40 * time.Second // the past of the demo is loaded, and its garbage collected
)

// costViews are the pages that are measured, by the names under which the program remembers them.
var costViews = []string{"node", "overview"}

// demoCost is the cost of one page of the demo.
type demoCost struct {
	name     string
	terminal *term.Terminal
	pid      int
	before   time.Duration
	rss      []int64 // KiB, for each second
	core     float64 // percent of a core
}

// measureCosts prints the costs that grow with features: of the screen with 8,000 GPUs, and of the nodes. All programs
// and pages run at the same time, so that other work on the machine slows all of them.
func measureCosts(o options) error {
	if err := costsOfDemo(o); err != nil {
		return err
	}
	if !o.sized {
		return measureProbe(costReports)
	}
	ours, err := prepare(o)
	if err != nil {
		return err
	}
	return comparePrograms(o, ours)
}

func costsOfDemo(o options) error {
	dir, err := os.MkdirTemp("", "nvnodetop-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours, err := buildProgram(dir)
	if err != nil {
		return err
	}
	programs := []string{ours}
	if o.against != "" {
		programs = append(programs, o.against)
	}
	var costs []*demoCost
	defer func() {
		for _, c := range costs {
			c.terminal.Close()
		}
	}()
	for _, program := range programs {
		for _, view := range costViews {
			c, err := watchDemo(dir, program, view)
			if err != nil {
				return err
			}
			costs = append(costs, c)
		}
	}
	time.Sleep(costSettles)
	began := time.Now()
	for _, c := range costs {
		c.before = rig.CPUOf(c.pid)
	}
	for range o.seconds {
		time.Sleep(time.Second)
		for _, c := range costs {
			c.rss = append(c.rss, rig.MemoryOf(c.pid, "VmRSS"))
		}
	}
	for _, c := range costs {
		c.core = 100 * (rig.CPUOf(c.pid) - c.before).Seconds() / time.Since(began).Seconds()
		slices.Sort(c.rss)
	}
	fmt.Printf("--demo=%s, poll %s s, display %s s, %d s watched, terminal %dx%d:\n", costlyDemo, o.poll, o.display,
		o.seconds, rig.Columns, rig.Rows)
	for i, c := range costs {
		fmt.Printf("  %-15s %-9s %5.2f %% of a core, RSS %5.1f MiB, at its peak %5.1f MiB", filepath.Base(c.name),
			costViews[i%len(costViews)], c.core, c.median(), c.peak())
		if first := costs[i%len(costViews)]; first != c {
			fmt.Printf("; the first has %.2f, %.2f and %.2f of that", first.core/c.core, first.median()/c.median(),
				first.peak()/c.peak())
		}
		fmt.Println()
	}
	return nil
}

// median is the usual memory, in MiB.
func (c *demoCost) median() float64 { return float64(c.rss[len(c.rss)/2]) / 1024 }

// peak is the peak memory since the start, in MiB: usually while the past of the demo was loaded.
func (c *demoCost) peak() float64 { return float64(rig.PeakOf(c.pid)) / 1024 }

// watchDemo starts a program on a page of the demo and waits until the page is there.
func watchDemo(dir, program, view string) (*demoCost, error) {
	home, err := os.MkdirTemp(dir, "home-")
	if err != nil {
		return nil, err
	}
	state := filepath.Join(home, "nvnodetop")
	if err := os.Mkdir(state, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(state, "view"), []byte(view+"\n"), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "--demo="+costlyDemo)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home, "TERM=xterm-256color",
		"COLORTERM=truecolor")
	t, err := term.Start(cmd, rig.Columns, rig.Rows)
	if err != nil {
		return nil, err
	}
	if _, err := t.WaitFor(time.Minute, "a number", rig.Number.MatchString); err != nil {
		t.Close()
		return nil, err
	}
	return &demoCost{name: program, terminal: t, pid: cmd.Process.Pid}, nil
}

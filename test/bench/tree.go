package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/test/term"
	"github.com/nvnodetop/nvnodetop/test/tree"
)

// treeStart is how long all nodes may take until they have been asked for reports.
const treeStart = 3 * time.Minute

// loginCost is what the login side pays for the nodes of one step, without srun.
type loginCost struct {
	nodes          int
	display        string
	start          time.Duration // until all nodes have been asked for reports
	sruns          int
	cpu            float64 // percent of one core
	rss            int64   // peak, KiB
	threads        int
	sent           float64 // reports per second
	late           time.Duration
	size           float64 // bytes per report, with labels
	pieces         float64 // per report
	asked, askSize float64 // requests per second, and bytes per second
	passed         float64 // bytes per second that srun would send for them
	screen         float64 // bytes per second to the terminal
}

// measureTree prints what so many nodes behind the srun door cost the login side, and what they would cost with
// aggregation on the way.
func measureTree(o options) error {
	dir, err := os.MkdirTemp("", "nvnodetop-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	exe, err := buildProgram(dir)
	if err != nil {
		return err
	}
	all, err := tree.Pasts(pastNodes, treeGPUs, pastReports, treeInterval)
	if err != nil {
		return err
	}
	fmt.Printf("nvnodetop --transport srun, %d nodes with %d GPUs, poll %v, a stand-in for srun, %d s watched, "+
		"terminal %dx%d:\n\n", o.tree, treeGPUs, treeInterval, o.seconds, columns, rows)
	var c loginCost
	for _, display := range []string{"60", "1"} {
		if c, err = watchStep(o, exe, filepath.Join(dir, "display-"+display), display, all); err != nil {
			return err
		}
		c.print()
	}
	return measureAggregation(o.tree, c, all)
}

// commands are the stand-ins for SLURM's. squeue fills in the format that it is given.
func commands(dir string, nodes int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	digits := len(strconv.Itoa(nodes))
	list := fmt.Sprintf("n[%0*d-%d]", digits, 1, nodes)
	squeue := `for a in "$@"; do case $a in --format=*) f=${a#--format=};; esac; done
echo "$f" | sed 's/%i/7/; s/%A/7/; s/%t/R/; s/%j/train/; s/%N/` + list + `/; s/%D/` + strconv.Itoa(nodes) + `/; s/%S/2026-01-01T00:00:00/'`
	for name, script := range map[string]string{"squeue": squeue, "scontrol": "exit 1", "srun": standInVariable + "='" +
		dir + "' exec '" + self + "' \"$@\""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// keepPasts writes what stand-ins for srun play.
func keepPasts(path string, all []tree.Past) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(gob.NewEncoder(file).Encode(all), file.Close())
}

// watchStep watches a job in the overview.
func watchStep(o options, exe, dir, display string, all []tree.Past) (c loginCost, err error) {
	c = loginCost{nodes: o.tree, display: display}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return c, err
	}
	if err := errors.Join(commands(dir, o.tree), keepPasts(filepath.Join(dir, pastFile), all)); err != nil {
		return c, err
	}
	cmd := exec.Command(exe, strconv.Itoa(int(treeInterval.Seconds())), display, "--transport", "srun", "--view",
		"overview")
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir, "XDG_CONFIG_HOME="+dir,
		"XDG_CACHE_HOME="+dir, "XDG_STATE_HOME="+dir,
		"TERM=xterm-256color", "COLORTERM=truecolor")
	began := time.Now()
	t, err := term.Start(cmd, columns, rows)
	if err != nil {
		return c, err
	}
	defer t.Close()
	for {
		now, sruns := readCounts(dir)
		if now.Nodes == int64(o.tree) {
			break
		}
		if time.Since(began) > treeStart {
			return c, fmt.Errorf("%d of %d nodes after %v, by %d sruns", now.Nodes, o.tree, treeStart, sruns)
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.start = time.Since(began)
	time.Sleep(settling)
	pid := cmd.Process.Pid
	before, at, cpu, written := first(readCounts(dir)), time.Now(), cpuOf(pid), t.Written()
	time.Sleep(time.Duration(o.seconds) * time.Second)
	after, sruns := readCounts(dir)
	sec := time.Since(at).Seconds()
	reports := float64(after.Reports - before.Reports)
	if reports == 0 {
		return c, errors.New("no reports")
	}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	c.sruns, c.cpu, c.rss, c.threads = sruns, 100*(cpuOf(pid)-cpu).Seconds()/sec, peakOf(pid), len(tasks)
	c.sent, c.late = reports/sec, time.Duration(after.Late)*time.Millisecond
	c.size, c.pieces = float64(after.Bytes-before.Bytes)/reports, float64(after.Pieces-before.Pieces)/reports
	c.asked, c.askSize = float64(after.Requests-before.Requests)/sec, float64(after.Asked-before.Asked)/sec
	c.passed = float64(after.Passed-before.Passed) / sec
	c.screen = float64(t.Written()-written) / sec
	return c, quit(t)
}

func first[A, B any](a A, _ B) A { return a }

func (c *loginCost) print() {
	fmt.Printf("a frame every %s s\n", c.display)
	fmt.Printf("  start              %8.1f s until all nodes have been asked for reports, by %d sruns\n",
		c.start.Seconds(), c.sruns)
	fmt.Printf("  reports            %8.0f /s of %d /s, %v late\n", c.sent, c.nodes/int(treeInterval.Seconds()), c.late)
	fmt.Printf("  CPU                %8.1f %% of a core, %.0f µs per report\n", c.cpu, 10_000*c.cpu/c.sent)
	fmt.Printf("  memory (peak RSS)  %8.0f MiB, %.0f KiB per node; %d threads\n", float64(c.rss)/1024,
		float64(c.rss)/float64(c.nodes), c.threads)
	fmt.Printf("  from srun          %8.0f bytes per report in %.2f pieces, %.2f MB/s\n", c.size, c.pieces,
		c.size*c.sent/1e6)
	fmt.Printf("  to srun            %8.2f requests/s, %.1f bytes/s; srun would send %.1f kB/s, each to all nodes of "+
		"its step\n", c.asked, c.askSize, c.passed/1000)
	fmt.Printf("  to the terminal    %8.0f bytes/s\n\n", c.screen)
}

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
	"github.com/nvnodetop/nvnodetop/test/term"
)

// figures holds the costs of one program. A figure that could not be measured is 0 and is not printed.
type figures struct {
	cold, warm       time.Duration // time until the first number is on the screen
	coldAll, warmAll time.Duration // time until all nodes report; 0: the program does not show it
	login, nodes     float64       // percent of one core, without the idle cost of the nodes
	forks            float64       // per second, less those of the idle machine
	rss, probeRSS    int64         // peak, KiB
	bytes            float64       // per second, to the terminal
	key50, key99     time.Duration // from a key to the frame that shows its effect
}

// usage is a reading of the counters.
type usage struct {
	at           time.Time
	login, nodes int64 // ns of CPU
	forks        int64
	written      int64
}

func read(t *term.Terminal) (usage, error) {
	u := usage{at: time.Now()}
	out, err := exec.Command("scripts/testcluster", "cpu").Output()
	if err != nil {
		return u, errors.New("no CPU time: this machine has no version 2 cgroups")
	}
	for line := range strings.Lines(string(out)) {
		group, ns, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			return u, fmt.Errorf("testcluster cpu printed %q", line)
		}
		switch group {
		case "login-app":
			u.login = n
		case "nodes":
			u.nodes = n
		}
	}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return u, err
	}
	if m := regexp.MustCompile(`(?m)^processes (\d+)$`).FindSubmatch(stat); m != nil {
		u.forks, _ = strconv.ParseInt(string(m[1]), 10, 64)
	}
	if t != nil {
		u.written = t.Written()
	}
	return u, nil
}

// rates returns the difference of two readings per second, with login and nodes in percent of a core.
func rates(a, b usage) figures {
	sec := b.at.Sub(a.at).Seconds()
	return figures{
		login: float64(b.login-a.login) / 1e7 / sec,
		nodes: float64(b.nodes-a.nodes) / 1e7 / sec,
		forks: float64(b.forks-a.forks) / sec,
		bytes: float64(b.written-a.written) / sec,
	}
}

// idleCost measures the cluster with its job and without nvnodetop.
func idleCost(d time.Duration) (figures, error) {
	a, err := read(nil)
	if err != nil {
		return figures{}, err
	}
	time.Sleep(d)
	b, err := read(nil)
	return rates(a, b), err
}

// firstRun makes the next run a first run, in the node view: older programs start there, too.
const firstRun = "rm -rf ~alice/.cache/nvnodetop && mkdir -p ~alice/.local/state/nvnodetop && echo node " +
	">~alice/.local/state/nvnodetop/view"

func measure(o options, program string, idle figures) (figures, error) {
	var f figures
	cold, coldAll, err := startCold(o, program)
	if err != nil {
		return f, err
	}
	t, warm, warmAll, err := start(o, program)
	if err != nil {
		return f, err
	}
	defer t.Close()
	time.Sleep(rig.Settling)
	a, err := read(t)
	if err != nil {
		return f, err
	}
	time.Sleep(time.Duration(o.seconds) * time.Second)
	b, err := read(t)
	if err != nil {
		return f, err
	}
	f = rates(a, b)
	f.nodes, f.forks = f.nodes-idle.nodes, f.forks-idle.forks
	f.cold, f.warm, f.coldAll, f.warmAll = cold, warm, coldAll, warmAll
	f.rss, f.probeRSS = rig.PeakRSS(filepath.Base(program)), rig.PeakRSS("nvnodetop-probe")
	if f.key50, f.key99, err = rig.KeyToFrame(t, o.keys); err != nil {
		return f, err
	}
	return f, rig.Quit(t)
}

// startCold times a start without any traces of earlier runs.
func startCold(o options, program string) (first, all time.Duration, err error) {
	if err := rig.AsAlice(firstRun); err != nil {
		return 0, 0, err
	}
	t, first, all, err := start(o, program)
	if err != nil {
		return 0, 0, err
	}
	return first, all, rig.Quit(t)
}

// start runs program as alice and waits for its first number, and for all nodes if the program counts them.
func start(o options, program string) (t *term.Terminal, first, all time.Duration, err error) {
	cmd := exec.Command("scripts/testcluster", "on", "-u", "alice", "login", program, o.poll, o.display)
	cmd.Env = append(os.Environ(), "TESTCLUSTER_CGROUP=login-app", "TERM=xterm-256color", "COLORTERM=truecolor")
	if t, err = term.Start(cmd, rig.Columns, rig.Rows); err != nil {
		return nil, 0, 0, err
	}
	first, err = t.WaitFor(time.Minute, "a number", func(s string) bool { return rig.Number.MatchString(s) })
	if err != nil {
		t.Close()
		return nil, 0, 0, err
	}
	reporting := regexp.MustCompile(fmt.Sprintf(`%[1]d of %[1]d nodes (reporting|streaming)|\b%[2]d GPUs (OK|well)`,
		o.nodes, 4*o.nodes))
	rest, err := t.WaitFor(20*time.Second, "all nodes", reporting.MatchString)
	if err == nil {
		all = first + rest
	}
	return t, first, all, nil
}

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/test/term"
)

const columns, rows = 200, 50

// settling is how long a program runs before the steady state is measured.
const settling = 10 * time.Second

// figures holds the costs of one program. A figure that could not be measured is 0 and is not printed.
type figures struct {
	cold, warm       time.Duration // until the first number is on the screen
	coldAll, warmAll time.Duration // until all nodes report; 0: the program does not show it
	login, nodes     float64       // percent of one core, without the idle cost of the nodes
	forks            float64       // per second, without those of the idle machine
	rss, probeRSS    int64         // peak, KiB
	bytes            float64       // per second, to the terminal
	key50, key99     time.Duration // from a key to the frame that shows its effect
	poll, master     time.Duration // CPU per poll of a node: of the program and its children, of the ControlMasters
	probes           float64       // on each node
	squeues          float64       // since the start
}

// usage is a reading of the counters.
type usage struct {
	at           time.Time
	login, nodes int64 // ns of CPU
	host         int64 // ns of CPU of all else on the login node
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
		case "login":
			u.host = n
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

// firstRun makes the next run the first one, in the node view: where older programs start, too.
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
	if f, err = watched(o, t); err != nil {
		return f, err
	}
	f.nodes, f.forks = f.nodes-idle.nodes, f.forks-idle.forks
	f.cold, f.warm, f.coldAll, f.warmAll = cold, warm, coldAll, warmAll
	f.rss, f.probeRSS = peakRSS(filepath.Base(program)), peakRSS("nvnodetop-probe")
	if f.key50, f.key99, err = keyToFrame(t, o.keys); err != nil {
		return f, err
	}
	return f, quit(t)
}

// watched measures the steady state of what is on the screen.
func watched(o options, t *term.Terminal) (figures, error) {
	time.Sleep(settling)
	a, err := read(t)
	if err != nil {
		return figures{}, err
	}
	time.Sleep(time.Duration(o.seconds) * time.Second)
	b, err := read(t)
	return rates(a, b), err
}

// timeStarts times a cold and a warm start.
func timeStarts(o options, program string, args ...string) (f figures, err error) {
	if f.cold, f.coldAll, err = startCold(o, program, args...); err != nil {
		return f, err
	}
	t, first, all, err := start(o, program, args...)
	if err != nil {
		return f, err
	}
	f.warm, f.warmAll = first, all
	return f, quit(t)
}

// startCold times the start where nothing has run before.
func startCold(o options, program string, args ...string) (first, all time.Duration, err error) {
	if err := asAlice(firstRun); err != nil {
		return 0, 0, err
	}
	t, first, all, err := start(o, program, args...)
	if err != nil {
		return 0, 0, err
	}
	return first, all, quit(t)
}

var aNumber = regexp.MustCompile(`\d%`)

// start runs program as alice and waits for its first number, and for all nodes if it counts them.
func start(o options, program string, args ...string) (t *term.Terminal, first, all time.Duration, err error) {
	command := append([]string{"on", "-u", "alice", "login", program, o.poll, o.display}, args...)
	cmd := exec.Command("scripts/testcluster", command...)
	cmd.Env = append(os.Environ(), "TESTCLUSTER_CGROUP=login-app", "TERM=xterm-256color", "COLORTERM=truecolor")
	if t, err = term.Start(cmd, columns, rows); err != nil {
		return nil, 0, 0, err
	}
	first, err = t.WaitFor(time.Minute, "a number", func(s string) bool { return aNumber.MatchString(s) })
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

func quit(t *term.Terminal) error {
	defer t.Close()
	if err := t.Type("q"); err != nil {
		return err
	}
	_, err := t.Wait(20 * time.Second)
	return err
}

// peakRSS returns the highest VmHWM, in KiB, of the processes with that name.
func peakRSS(name string) int64 {
	var most int64
	for _, pid := range pidsOf(name) {
		most = max(most, peakOf(pid))
	}
	return most
}

// pidsOf returns the processes with that name.
func pidsOf(name string) (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, path := range names {
		comm, err := os.ReadFile(path)
		if err != nil || strings.TrimSpace(string(comm)) != name[:min(len(name), 15)] {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// peakOf returns the most memory of a process in KiB; 0 if it has ended.
func peakOf(pid int) int64 { return memoryOf(pid, "VmHWM") }

// memoryOf returns a number of /proc/PID/status in KiB; 0 if the process has ended.
func memoryOf(pid int, key string) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(key + `:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return n
}

// keyToFrame times the key o, which changes nearly every line of the screen each time.
func keyToFrame(t *term.Terminal, keys int) (p50, p99 time.Duration, err error) {
	var took []time.Duration
	for i := range keys {
		before := t.Screen()
		if err := t.Type("o"); err != nil {
			return 0, 0, err
		}
		d, err := t.WaitFor(10*time.Second, "another screen", func(s string) bool { return another(before, s) })
		if err != nil {
			return 0, 0, err
		}
		took = append(took, d)
		time.Sleep(time.Duration(37*(i%7)+50) * time.Millisecond) // at all phases of the display interval
	}
	slices.Sort(took)
	return took[len(took)/2], took[(len(took)*99+99)/100-1], nil
}

// another reports whether a third of the non-empty lines changed.
func another(before, after string) bool {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	lines, changed := 0, 0
	for i := range min(len(a), len(b)) {
		if a[i] == "" && b[i] == "" {
			continue
		}
		lines++
		if a[i] != b[i] {
			changed++
		}
	}
	return changed*3 >= lines
}

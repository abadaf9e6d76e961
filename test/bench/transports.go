package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
)

// transports are measured by name, so that none replaces another.
var transports = []string{"ssh", "control", "openssh", "srun"}

// measureTransports compares the starts and the polls of the transports.
func measureTransports(o options, program string) error {
	defer stopMasters()
	if err := startMasters(o.nodes); err != nil {
		return err
	}
	fmt.Printf("%d nodes, %d rounds, polls over %d s\n\n", o.nodes, o.rounds, o.seconds)
	results := make([][]figures, len(transports))
	for range o.rounds {
		for k, name := range transports {
			f, err := measureTransport(o, program, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			results[k] = append(results[k], f)
		}
	}
	report(polls, transports, results, false)
	return nil
}

// The paces at which a poll is measured: one with a poll per node and second, one with none after the first ones.
// Frames are as few as possible, and cost the same.
const often, never, seldom = "1", "60", "60"

// measureTransport times the starts, and takes the cost of a poll from the difference of the two paces.
func measureTransport(o options, program, name string) (figures, error) {
	f, err := timeStarts(o, program, "--transport", name)
	if err != nil {
		return f, err
	}
	o.poll, o.display = never, seldom
	rest, err := pace(o, program, name)
	if err != nil {
		return f, err
	}
	o.poll = often
	busy, err := pace(o, program, name)
	f.poll = max(0, busy.poll-rest.poll) / time.Duration(o.nodes)
	if name == "control" {
		f.master = max(0, busy.master-rest.master) / time.Duration(o.nodes)
	}
	return f, err
}

// pace measures the CPU time per second of the lasting processes: one squeue more or less would count for a hundred
// polls.
func pace(o options, program, name string) (figures, error) {
	t, _, _, err := start(o, program, "--transport", name)
	if err != nil {
		return figures{}, err
	}
	defer t.Close()
	time.Sleep(rig.Settling)
	a, err := read(t)
	if err != nil {
		return figures{}, err
	}
	before := lasting()
	time.Sleep(time.Duration(o.seconds) * time.Second)
	b, err := read(t)
	if err != nil {
		return figures{}, err
	}
	var used time.Duration
	for pid, cpu := range lasting() {
		if from, ok := before[pid]; ok {
			used += cpu - from
		}
	}
	sec := b.at.Sub(a.at).Seconds()
	perSecond := func(cpu time.Duration) time.Duration { return time.Duration(float64(cpu) / sec) }
	return figures{poll: perSecond(used), master: perSecond(time.Duration(b.host - a.host))}, rig.Quit(t)
}

// lasting returns the CPU time of the program and of each living process that it has started, by PID.
func lasting() map[int]time.Duration {
	used := map[int]time.Duration{}
	groups, _ := filepath.Glob("/proc/[0-9]*/cgroup")
	for _, path := range groups {
		if group, err := os.ReadFile(path); err == nil && strings.Contains(string(group), "/login-app") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			used[pid] = rig.CPUOf(pid)
		}
	}
	return used
}

// startMasters starts a ControlMaster of alice for each node, and puts their places into her configuration.
func startMasters(nodes int) error {
	return rig.AsAlice(fmt.Sprintf(`printf 'Host node*\n ControlPath /tmp/cm-%%%%h\n' >~/.ssh/config
seq -f node%%02.0f %d | xargs -P 2 -I{} sh -c 'ssh -o ControlMaster=yes -fN {} </dev/null >/dev/null 2>&1'`, nodes))
}

// stopMasters also removes the configuration. Masters that have ended are no error.
func stopMasters() {
	_ = rig.AsAlice(`for m in /tmp/cm-*; do ssh -o ControlPath="$m" -O exit any 2>/dev/null; done; rm -f ~/.ssh/config`)
}

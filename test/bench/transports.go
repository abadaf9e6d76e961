package main

import (
	"fmt"
	"time"
)

// transports are measured by name, so that none stands in for another one.
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

// The paces at which a poll is measured: one with a poll per node and second, one with none after the first ones. Frames are as few as possible,
// and cost the same.
const often, never, seldom = "1", "60", "60"

// measureTransport times the starts, and takes the cost of a poll from the difference of the two paces.
func measureTransport(o options, program, name string) (figures, error) {
	var f figures
	var err error
	if f.cold, f.coldAll, err = startCold(o, program, "--transport", name); err != nil {
		return f, err
	}
	o.poll, o.display = never, seldom
	base, err := pace(o, program, name)
	if err != nil {
		return f, err
	}
	o.poll = often
	busy, err := pace(o, program, name)
	f.warm, f.warmAll = busy.warm, busy.warmAll
	f.poll = max(0, busy.poll-base.poll) / time.Duration(o.nodes)
	if name == "control" {
		f.master = max(0, busy.master-base.master) / time.Duration(o.nodes)
	}
	return f, err
}

// pace times a warm start, and measures the CPU time per second afterwards.
func pace(o options, program, name string) (figures, error) {
	t, first, all, err := start(o, program, "--transport", name)
	if err != nil {
		return figures{}, err
	}
	defer t.Close()
	time.Sleep(settling)
	a, err := read(t)
	if err != nil {
		return figures{}, err
	}
	time.Sleep(time.Duration(o.seconds) * time.Second)
	b, err := read(t)
	if err != nil {
		return figures{}, err
	}
	sec := b.at.Sub(a.at).Seconds()
	f := figures{warm: first, warmAll: all}
	f.poll, f.master = time.Duration(float64(b.login-a.login)/sec), time.Duration(float64(b.host-a.host)/sec)
	return f, quit(t)
}

// startMasters starts a ControlMaster of alice for each node, and tells her configuration where they are.
func startMasters(nodes int) error {
	return asAlice(fmt.Sprintf(`printf 'Host node*\n ControlPath /tmp/cm-%%%%h\n' >~/.ssh/config
seq -f node%%02.0f %d | xargs -P 2 -I{} sh -c 'ssh -o ControlMaster=yes -fN {} </dev/null >/dev/null 2>&1'`, nodes))
}

// stopMasters also removes the configuration. Masters that have ended are no error.
func stopMasters() {
	_ = asAlice(`for m in /tmp/cm-*; do ssh -o ControlPath="$m" -O exit any 2>/dev/null; done; rm -f ~/.ssh/config`)
}

// measureJump times the starts where all nodes are behind one jump host, the login node itself.
func measureJump(o options, program string) error {
	defer func() { _ = asAlice("rm -f ~/.ssh/config") }()
	if err := asAlice(`printf 'Host node*\n ProxyJump login\n' >~/.ssh/config`); err != nil {
		return err
	}
	fmt.Printf("%d nodes behind one jump host, %d rounds\n\n", o.nodes, o.rounds)
	var results []figures
	for range o.rounds {
		var f figures
		var err error
		if f.cold, f.coldAll, err = startCold(o, program, "--transport", "ssh"); err != nil {
			return err
		}
		t, warm, warmAll, err := start(o, program, "--transport", "ssh")
		if err != nil {
			return err
		}
		f.warm, f.warmAll = warm, warmAll
		if err := quit(t); err != nil {
			return err
		}
		results = append(results, f)
	}
	report(starts, []string{"ssh"}, [][]figures{results}, false)
	return nil
}

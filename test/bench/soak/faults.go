package soak

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// fault is a fault that `scripts/testcluster fault` makes and heals. In each command HOST stands for the host.
type fault struct {
	make, heal [][]string // the first words of make name the fault
	controller bool       // a fault of slurmctld's host
	long       bool       // may last longer than a minute
	person     bool       // nvnodetop leaves the cure to a person, and tries again rarely
}

func one(words string) [][]string { return [][]string{strings.Fields(words)} }

// lost makes a fault of logins strike: open sessions do not notice it.
func lost(words string) [][]string { return append(one(words), []string{"killsession", "HOST"}) }

// soakFaults are the faults of a soak: all of testcluster's that leave the job running.
var soakFaults = []fault{
	{make: one("linkdown HOST"), heal: one("linkup HOST"), long: true},
	{make: one("drop HOST"), heal: one("undrop HOST"), long: true},
	{make: one("dropssh HOST"), heal: one("undrop HOST"), long: true},
	{make: lost("reject HOST"), heal: one("undrop HOST"), long: true},
	{make: one("loss HOST 20"), heal: one("undrop HOST"), long: true},
	{make: one("stopsshd HOST"), heal: one("contsshd HOST"), long: true},
	{make: one("stopsession HOST"), heal: one("contsshd HOST"), long: true},
	{make: one("killsshd HOST"), heal: one("startsshd HOST"), long: true},
	{make: one("killsession HOST"), heal: nil},
	{make: lost("nokey HOST"), heal: one("keyok HOST"), person: true, long: true},
	{make: lost("deny HOST alice"), heal: one("undeny HOST"), person: true},
	{make: lost("hostkey HOST"), heal: one("hostkeyback HOST"), person: true},
	{make: lost("noisy HOST"), heal: one("quiet HOST")},
	{make: one("killprobe HOST"), heal: nil},
	{make: one("stopprobe HOST"), heal: one("contprobe HOST"), long: true},
	{make: lost("nospace HOST"), heal: one("placesok HOST"), person: true},
	{make: lost("noexec HOST"), heal: one("placesok HOST"), person: true},
	{make: lost("garbage HOST"), heal: one("garbageok HOST")},
	{make: lost("flood HOST"), heal: one("garbageok HOST"), person: true},
	{make: one("nodriver HOST"), heal: one("nvmlok HOST"), long: true},
	{make: one("gpulost HOST 2"), heal: one("nvmlok HOST"), long: true},
	{make: one("drain HOST"), heal: one("resume HOST"), long: true},
	{make: one("ctldstop"), heal: one("ctldcont"), controller: true},
	{make: one("ctldkill"), heal: one("ctldstart"), controller: true},
}

// inject runs commands of testcluster. A command that finds no process, as on a node without a session, succeeds.
func inject(host string, commands [][]string) error {
	for _, words := range commands {
		args := []string{"fault"}
		for _, w := range words {
			args = append(args, strings.ReplaceAll(w, "HOST", host))
		}
		out, err := exec.Command("scripts/testcluster", args...).CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 &&
			len(strings.TrimSpace(string(out))) == 0 {
			continue
		}
		if err != nil {
			return fmt.Errorf("testcluster %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// killBit is SIGKILL's in a mask of signals. The kernel sends it to every thread of a process that exits.
const killBit = 1 << 8

// stuckProbe says which other probe of this user's on the node has ended and cannot die, since a call into the driver does not return, or is
// stopped. Another one would most likely share its fate, and so would the next: without this look one more would hang with every attempt.
// A probe that lives is another nvnodetop's, and none of our business.
func stuckProbe(proc string) string {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if comm, err := os.ReadFile(filepath.Join(proc, e.Name(), "comm")); err != nil || string(comm) != processName+"\n" {
			continue
		}
		if what := stuck(proc, pid); what != "" {
			return fmt.Sprintf("another nvnodetop probe (pid %d) %s", pid, what)
		}
	}
	return ""
}

// stuck says in which way a probe of ours neither works nor ends; empty when it does one of them.
func stuck(proc string, pid int) string {
	p := readStatus(proc, pid)
	if owner, _, _ := strings.Cut(p["Uid"], "\t"); owner != strconv.Itoa(os.Getuid()) {
		return ""
	}
	const hangs = "hangs in the driver"
	switch p.state() {
	case "Z", "X":
		if threads, err := strconv.Atoi(p["Threads"]); err == nil && threads > 1 {
			return hangs
		}
	case "D":
		if p.killed() {
			return hangs
		}
	case "T", "t":
		// One that a person has stopped together with its nvnodetop will go on with it.
		if parent, err := strconv.Atoi(p["PPid"]); err != nil || !strings.EqualFold(readStatus(proc, parent).state(), "T") {
			return "is stopped"
		}
	}
	return ""
}

// processStatus is /proc/PID/status by its keys.
type processStatus map[string]string

func readStatus(proc string, pid int) processStatus {
	text, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "status"))
	if err != nil {
		return nil
	}
	p := processStatus{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		p[key] = strings.TrimSpace(value)
	}
	return p
}

// state is one letter, as ps shows it.
func (p processStatus) state() string { return p["State"][:min(len(p["State"]), 1)] }

// killed says that the process is on its way out.
func (p processStatus) killed() bool {
	for _, mask := range []string{p["SigPnd"], p["ShdPnd"]} {
		if pending, err := strconv.ParseUint(mask, 16, 64); err == nil && pending&killBit != 0 {
			return true
		}
	}
	return false
}

package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
)

// A StuckProbe is a probe that hangs in the driver. It is detected before another probe hangs there too. Its functions
// may be called from any goroutine.

// ProbeName is the name of a probe in ps. The kernel does not allow a longer one.
const ProbeName = "nvnodetop-probe"

// killBit is the bit of SIGKILL in a signal mask. The kernel sends SIGKILL to every thread of a process that exits.
const killBit = 1 << 8

// ProbeExitTime is how long a probe may take to exit. Until then it looks like a probe that hangs, above all on a busy
// node.
const ProbeExitTime = time.Second

// stuckLooks is how often a probe is examined: at the beginning and at the end of ExitTime, and in between.
const stuckLooks = 11

// StuckProbe describes another probe of the same user on this node that is stopped, or that was killed but cannot exit,
// since a driver call does not return; empty if there is none. If we called the driver we would probably hang too, and
// so would every probe after us: one more with each attempt to connect. A probe that runs belongs to another nvnodetop
// and does not matter. Probes may also exit while others begin to, so the same probe must be stuck for ExitTime. proc
// is the mount point of procfs.
func StuckProbe(proc string) (words string) {
	pids := otherProbes(proc)
	for look := range stuckLooks {
		if look > 0 {
			time.Sleep(ProbeExitTime / (stuckLooks - 1))
		}
		if pids, words = stuckOf(proc, pids); len(pids) == 0 {
			return ""
		}
	}
	return words
}

// stuckOf returns the probes that are stuck, and describes the first.
func stuckOf(proc string, pids []int) (still []int, words string) {
	for _, pid := range pids {
		why := describeStuck(proc, pid)
		if why == "" {
			continue
		}
		if still = append(still, pid); words == "" {
			words = fmt.Sprintf("another nvnodetop probe (pid %d) %s", pid, why)
		}
	}
	return still, words
}

// otherProbes lists the processes that have the name of a probe, except this one.
func otherProbes(mount string) []int {
	return slices.DeleteFunc(proc.All(mount), func(pid int) bool { return pid == os.Getpid() || !isProbe(mount, pid) })
}

func isProbe(proc string, pid int) bool {
	name, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "comm"))
	return err == nil && string(name) == ProbeName+"\n"
}

// describeStuck describes why a probe of the same user neither works nor exits; empty if it works or exits.
func describeStuck(proc string, pid int) string {
	if !isProbe(proc, pid) {
		return ""
	}
	p := readStatus(proc, pid)
	if owner, _, _ := strings.Cut(p["Uid"], "\t"); owner != strconv.Itoa(os.Getuid()) {
		return ""
	}
	const hangs = "hangs in the driver"
	switch p.stateLetter() {
	case "Z", "X":
		if threads, err := strconv.Atoi(p["Threads"]); err == nil && threads > 1 {
			return hangs
		}
	case "D":
		if p.isExiting() {
			return hangs
		}
	case "T", "t":
		// If its nvnodetop is stopped too, somebody suspended both and will resume both.
		if parent, err := strconv.Atoi(p["PPid"]); err != nil || !strings.EqualFold(readStatus(proc, parent).stateLetter(),
			"T") {
			return "is stopped"
		}
	}
	return ""
}

// processStatus is /proc/PID/status, by key.
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

// stateLetter returns one letter, as ps shows it.
func (p processStatus) stateLetter() string { return p["State"][:min(len(p["State"]), 1)] }

// isExiting reports whether the process is being killed, or is exiting.
func (p processStatus) isExiting() bool {
	for _, mask := range []string{p["SigPnd"], p["ShdPnd"]} {
		if pending, err := strconv.ParseUint(mask, 16, 64); err == nil && pending&killBit != 0 {
			return true
		}
	}
	return false
}

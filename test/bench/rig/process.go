package rig

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// PeakRSS returns the highest VmHWM, in KiB, of the processes with that name.
func PeakRSS(name string) int64 {
	var most int64
	for _, pid := range PIDsOf(name) {
		most = max(most, PeakOf(pid))
	}
	return most
}

// PIDsOf returns the processes with that name.
func PIDsOf(name string) (pids []int) {
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

// PIDsOfSession returns the processes of a session: the one that began it, and its descendants.
func PIDsOfSession(session int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, _ := os.ReadFile(path) // empty: the process has ended
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 4 || fields[3] != strconv.Itoa(session) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// PeakOf returns the most memory of a process in KiB; 0 if it has ended.
func PeakOf(pid int) int64 { return MemoryOf(pid, "VmHWM") }

// MemoryOf returns a number of /proc/PID/status in KiB; 0 if the process has ended.
func MemoryOf(pid int, key string) int64 { return kibibytes(pid, "status", key) }

// SharesOf returns a number of /proc/PID/smaps_rollup in KiB; 0 if the process has ended.
func SharesOf(pid int, key string) int64 { return kibibytes(pid, "smaps_rollup", key) }

// kibibytes returns a number of a file of /proc/PID; 0 if the process has ended.
func kibibytes(pid int, file, key string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(key + `:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return n
}

// CPUOf returns the CPU time of all threads of a process.
func CPUOf(pid int) time.Duration {
	var sum int64
	paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		ns, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(ns, 10, 64)
		sum += n
	}
	return time.Duration(sum)
}

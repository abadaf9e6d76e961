package rig

import (
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

// PeakOf returns the most memory of a process in KiB; 0 if it has ended.
func PeakOf(pid int) int64 { return MemoryOf(pid, "VmHWM") }

// MemoryOf returns a number of /proc/PID/status in KiB; 0 if the process has ended.
func MemoryOf(pid int, key string) int64 {
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

package procs

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// ioPriority returns the I/O priority of a process; "": not known.
func ioPriority(pid int) string {
	const ofProcess, classBits, levels = 1, 13, 8
	n, _, failed := unix.Syscall(unix.SYS_IOPRIO_GET, ofProcess, uintptr(pid), 0)
	if failed != 0 {
		return ""
	}
	class, level := n>>classBits, n%levels
	switch class {
	case 0:
		return "none" // it follows from nice
	case 1:
		return "realtime " + strconv.Itoa(int(level))
	case 2:
		return "best-effort " + strconv.Itoa(int(level))
	case 3:
		return "idle"
	}
	return ""
}

package procs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// isAlive reports whether any user has a process with this PID.
func isAlive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

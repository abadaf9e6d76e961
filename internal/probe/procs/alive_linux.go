package procs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// isAlive reports whether there is a process with this PID, of any user.
func isAlive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

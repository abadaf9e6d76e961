package procs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// alive reports whether any user has a process with this PID.
func alive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

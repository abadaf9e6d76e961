package procs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// alive reports whether there is a process with this PID, of whomever.
func alive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

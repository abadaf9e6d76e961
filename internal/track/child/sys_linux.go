package child

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// adopt makes orphans of the command children of this process: they stay its descendants.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("orphans of the command cannot be followed: %w", err)
	}
	return nil
}

// await returns when a child has ended, which stays a zombie.
func await(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

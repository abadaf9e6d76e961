package track

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// unsupported is why no command can be started.
var unsupported error

// AdoptDescendants makes orphans of commands that are started later into children of this process, so that they stay
// its descendants.
func AdoptDescendants() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("orphans of the command cannot be followed: %w", err)
	}
	return nil
}

// awaitChild returns when a child has ended. The child stays a zombie.
func awaitChild(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

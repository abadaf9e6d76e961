package stacks

import (
	"errors"

	"golang.org/x/sys/unix"
)

// processExists reports whether the kernel has a process, even if /proc hides it.
func (r *Reader) processExists(pid int) bool { return errors.Is(unix.Kill(pid, 0), unix.EPERM) }

func fileOwner(name string) (uid int, err error) {
	var s unix.Stat_t
	err = unix.Stat(name, &s)
	return int(s.Uid), err
}

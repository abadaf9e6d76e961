package srun

import "syscall"

// attributes keep srun away from the terminal's signals, and end it with the thread that has started it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

package srun

import "syscall"

// sysProcAttr keeps srun away from the terminal's signals, and ends it with the thread that started it.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

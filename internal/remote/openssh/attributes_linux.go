package openssh

import "syscall"

// sysProcAttr gives ssh a session of its own, and makes it end with the thread that started it.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}

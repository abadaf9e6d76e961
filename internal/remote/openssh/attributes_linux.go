package openssh

import "syscall"

// attributes gives ssh a session of its own, and makes it end with the thread that started it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}

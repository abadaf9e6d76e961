package openssh

import "syscall"

// attributes gives ssh a session of its own, and has it end with this process. The kernel takes the end of the thread that started ssh for that of
// the process; the Go runtime ends no thread but one that is locked to a goroutine, and nothing here locks one.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}

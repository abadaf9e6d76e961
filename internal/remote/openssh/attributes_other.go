//go:build !linux

package openssh

import "syscall"

// attributes gives ssh a session of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

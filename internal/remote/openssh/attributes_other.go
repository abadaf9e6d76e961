//go:build !linux

package openssh

import "syscall"

// sysProcAttr gives ssh a session of its own.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

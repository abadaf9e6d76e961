//go:build !linux

package srun

import "syscall"

// sysProcAttr keep srun away from the terminal's signals. It ends when its input does.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

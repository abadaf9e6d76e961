//go:build !linux

package srun

import "syscall"

// sysProcAttr keeps srun away from the terminal's signals. srun ends when its input does.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

//go:build !linux

package srun

import "syscall"

// attributes keep srun away from the terminal's signals. It ends when its input does.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

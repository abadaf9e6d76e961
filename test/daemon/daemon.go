// Package daemon helps to run programs of others beside a test: servers and jobs, with the processes that they start.
package daemon

import (
	"context"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// patience is the time that a program has for its end.
const patience = 10 * time.Second

// Start starts a program in a group of its own, with its output in a file. The function that it returns ends the group,
// and ended is closed when the program has ended.
func Start(t testing.TB, cmd *exec.Cmd, output string) (ended <-chan struct{}, end func()) {
	t.Helper()
	file, err := os.OpenFile(output, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // for its other users
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = cmd.Start()
	_ = file.Close()
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(over)
	}()
	return over, func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-over:
		case <-time.After(patience):
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-over
	}
}

// FreeAddress returns an address of loopback at which nothing listens.
func FreeAddress(t testing.TB) string {
	t.Helper()
	var c net.ListenConfig
	l, err := c.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	return l.Addr().String()
}

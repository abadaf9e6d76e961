// Package daemon helps to run programs of others beside a test: servers and jobs, with the processes that they start.
package daemon

import (
	"context"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
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

// FreeAddress returns an address of loopback at which nothing listens, in IPv4 or IPv6. Until the test ends, no other
// test gets its port, nor does the kernel give it to anybody.
func FreeAddress(t testing.TB) string {
	t.Helper()
	const first, beyond = 20000, 32000 // below the ports that the kernel gives by itself (ip_local_port_range)
	for range 1000 {
		port := first + rand.IntN(beyond-first)
		if reservePort(t, port) {
			return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		}
	}
	t.Fatalf("no port from %d to %d is free", first, beyond-1)
	return ""
}

// reservePort reports whether nothing listens at a port. Then its UDP socket tells other tests that it is taken.
func reservePort(t testing.TB, port int) bool {
	var c net.ListenConfig
	all := ":" + strconv.Itoa(port)
	taken, err := c.ListenPacket(context.Background(), "udp", all)
	if err != nil {
		return false
	}
	l, err := c.Listen(context.Background(), "tcp", all)
	if err != nil {
		_ = taken.Close()
		return false
	}
	_ = l.Close()
	t.Cleanup(func() { _ = taken.Close() })
	return true
}

package settings

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func startProxy(t *testing.T, line string) *ProxyProcess {
	t.Helper()
	t.Setenv("SHELL", "/bin/sh")
	c, err := StartProxy(line)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestItsStreamsAreTheConnection(t *testing.T) {
	c := startProxy(t, "cat")
	if _, err := io.WriteString(c, "hello\n"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 6)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "hello\n" {
		t.Fatalf("read %q, %v", got, err)
	}
	if c.Failure(0) != nil {
		t.Error("it has ended")
	}
}

func TestFailure(t *testing.T) {
	c := startProxy(t, "sh -c 'echo no way to gpu01 >&2; exit 7'")
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("read: %v, want EOF", err)
	}
	if e := c.Failure(time.Second); e == nil || e.Status != 7 || e.Words != "no way to gpu01\n" ||
		e.Error() != "ended with status 7" {
		t.Errorf("failure %+v", e)
	}
	c = startProxy(t, "sh -c 'echo proxy:3128 refuses $1 >&2; exit 7' x me:s3cr3t")
	if e := c.Failure(time.Second); e == nil || e.Words != "proxy:3128 refuses …\n" {
		t.Errorf("it repeats its password: %+v", e)
	}
	c = startProxy(t, "sh -c 'kill -9 $$'")
	if e := c.Failure(time.Second); e == nil || e.Error() != "ended by signal: killed" {
		t.Errorf("failure %+v", e)
	}
}

// A waiting reader wakes, and no process remains: neither one that ignores the polite signal, nor its child, nor a
// zombie.
func TestCloseEndsEverything(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	c := startProxy(t, `sh -c 'trap "" TERM; (trap "" TERM; while :; do sleep 0.05; done) & echo $$ $! >`+pids+
		`; cat; wait'`)
	read := make(chan error, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		read <- err
	}()
	var words []string
	for len(words) != 2 {
		text, _ := os.ReadFile(pids)
		words = strings.Fields(string(text))
		time.Sleep(5 * time.Millisecond)
	}
	began := time.Now()
	_ = c.Close()
	if err := c.Close(); err != nil || time.Since(began) > 100*time.Millisecond {
		t.Errorf("Close took %v: %v", time.Since(began), err)
	}
	if err := <-read; !errors.Is(err, net.ErrClosed) {
		t.Errorf("read: %v, want a closed connection", err)
	}
	for _, word := range words {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		for until := time.Now().Add(3 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if syscall.Kill(pid, 0) != nil || isZombieOfInit(pid) {
				break
			}
			if time.Now().After(until) {
				t.Fatalf("process %d is left", pid)
			}
		}
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("write: %v, want a closed connection", err)
	}
}

// isZombieOfInit reports whether a process is dead and its new parent has not noticed yet.
func isZombieOfInit(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	return fields[0] == "Z" && fields[1] != strconv.Itoa(os.Getpid())
}

// Only the beginning of its output is kept, and the rest does not block it.
func TestManyWords(t *testing.T) {
	c := startProxy(t, "sh -c 'head -c 1000000 /dev/zero | tr \"\\000\" x >&2; echo done'")
	if out, err := io.ReadAll(c); err != nil || string(out) != "done\n" {
		t.Fatalf("read %q, %v", out, err)
	}
	if e := c.Failure(3 * time.Second); e == nil || len(e.Words) != maxProxyWords {
		t.Errorf("%d bytes are kept, want %d", len(e.Words), maxProxyWords)
	}
}

func TestNoShell(t *testing.T) {
	t.Setenv("SHELL", "/nonexistent/shell")
	if _, err := StartProxy("cat"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

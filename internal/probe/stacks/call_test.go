//go:build linux

package stacks

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// What a thread waits for is that of its system call: a file, a lock, a child, a socket, the other end of a pipe.
func TestCalls(t *testing.T) {
	python := pythons(t)[0]
	for name, tc := range map[string]struct {
		text string
		want string // of the call, in short
	}{
		"read of a pipe with a name": {"f = os.open('shard', os.O_RDWR); say(); os.read(f, 1)", "read %d/shard"},
		"open of a pipe":             {"say(); open('shard')", "open %d/shard"},
		"write into a full pipe": {"f = os.open('shard', os.O_RDWR); os.set_blocking(f, False)\n" +
			"while True:\n  try: os.write(f, b'x' * 65536)\n  except BlockingIOError: break\n" +
			"os.set_blocking(f, True); say(); os.write(f, b'x')", "write %d/shard"},
		"lock": {"a = os.open('lock', os.O_CREAT | os.O_RDWR); fcntl.flock(a, fcntl.LOCK_EX)\n" +
			"b = os.open('lock', os.O_RDWR); say(); fcntl.flock(b, fcntl.LOCK_EX)", "lock %d/lock, holder itself"},
		"lock of another process": {holds + "b = os.open('lock', os.O_RDWR); say(); fcntl.flock(b, fcntl.LOCK_EX)",
			"lock %d/lock, holder python"},
		"lock of a range of another process": {strings.ReplaceAll(holds, "flock", "lockf") +
			"b = os.open('lock', os.O_RDWR); say(); fcntl.lockf(b, fcntl.LOCK_EX)", "lock %d/lock, holder python"},
		"lock that a child has inherited": {"if os.fork() == 0:\n  a = os.open('lock', os.O_CREAT | os.O_RDWR)\n" +
			"  fcntl.flock(a, fcntl.LOCK_EX)\n  if os.fork() == 0: time.sleep(1000)\n  os._exit(0)\nos.wait()\n" +
			"b = os.open('lock', os.O_RDWR); say(); fcntl.flock(b, fcntl.LOCK_EX)", "lock %d/lock, holder gone"},
		"child": {"c = subprocess.Popen(['sleep', '1000']); say(); c.wait()", "wait, child sleep"},
		"output of a child": {"c = subprocess.Popen(['sleep', '1000'], stdout=subprocess.PIPE); say(); c.stdout.read()",
			"read pipe, end sleep"},
		"server":     {"s = socket.create_server(('127.0.0.1', 0)); say(); s.accept()", "accept socket at 127.0.0.1"},
		"connection": {connected + "say(); c.recv(1)", "read socket at 127.0.0.1 to 127.0.0.1"},
		"connection with a timeout": {connected + "c.settimeout(1000); say(); c.recv(1)",
			"read socket at 127.0.0.1 to 127.0.0.1"},
		"selection of one descriptor": {"import select; f = os.open('shard', os.O_RDWR); say(); select.select([f], [], [])",
			"read %d/shard"},
		"selection of two": {"import select; f = os.open('shard', os.O_RDWR); say(); select.select([f, 0], [], [])", "none"},
		"lock of a thread": {"l = threading.Lock(); l.acquire(); say(); l.acquire()", "futex"},
		"sleep":            {"say(); time.sleep(1000)", "sleep"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := syscall.Mkfifo(filepath.Join(dir, "shard"), 0o600); err != nil {
				t.Skip(err)
			}
			p := script(t, python, "import os, fcntl, socket, subprocess, threading, time\nos.chdir('"+dir+
				"')\ndef say(): print('1', flush=True)\n"+tc.text)
			want, got := strings.ReplaceAll(tc.want, "%d", dir), ""
			for range 1000 { // it says that it will wait before it does
				if got = callWords(lookAt(t, p.Process.Pid)); got == want {
					return
				}
				time.Sleep(time.Millisecond)
			}
			t.Errorf("%s, want %s", got, want)
		})
	}
}

const connected = "s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname())\n"

// holds lets a child hold a lock.
const holds = "r, w = os.pipe()\nif os.fork() == 0:\n  a = os.open('lock', os.O_CREAT | os.O_RDWR)\n" +
	"  fcntl.flock(a, fcntl.LOCK_EX)\n  os.write(w, b'x'); time.sleep(1000)\nos.read(r, 1)\n"

// callWords writes the call of the main thread of the first process.
func callWords(list []wire.ProcessStacks) string {
	c := list[0].Threads[0].Call
	if c == nil {
		return "none"
	}
	words := c.Does
	for _, kind := range []string{"pipe", "socket"} {
		if strings.HasPrefix(c.File, kind+":") {
			words += " " + kind
		}
	}
	if strings.HasPrefix(c.File, "/") {
		words += " " + c.File
	}
	host := func(address string) string { return strings.Split(address, ":")[0] }
	if c.Local != "" {
		words += " at " + host(c.Local)
	}
	if c.Peer != "" {
		words += " to " + host(c.Peer)
	}
	switch {
	case c.HolderGone:
		words += ", holder gone"
	case c.Holder == list[0].PID:
		words += ", holder itself"
	case strings.HasPrefix(c.HolderName, "python"):
		words += ", holder python"
	}
	for _, other := range list[1:] {
		if c.Child == other.PID {
			words += ", child " + other.Name
		}
		if len(c.Ends) == 1 && c.Ends[0] == other.PID {
			words += ", end " + other.Name
		}
	}
	return words
}

// The kernel's lists of sockets are read only for a process that has a socket, or too many descriptors to tell.
func TestSocketsAreListedForThoseWhoHaveOne(t *testing.T) {
	python := pythons(t)[0]
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"no socket":        {"r, w = os.pipe()\n", false},
		"a socket":         {connected, true},
		"a socket as 0":    {"s = socket.socket(); os.dup2(s.fileno(), 0); s.close()\n", true},
		"many descriptors": {fmt.Sprintf("for i in range(%d): os.dup(0)\n", maxSought), true},
	} {
		p := script(t, python, "import os, socket, time\n"+tc.text+"print('1', flush=True); time.sleep(1000)")
		e := peerFinder{mount: "/proc", tables: map[string]proc.SocketTable{}}
		e.socketTable(proc.Of("/proc", p.Process.Pid))
		if got := len(e.tables) > 0; got != tc.want {
			t.Errorf("%s: listed: %v", name, got)
		}
	}
}

// The descriptors of a request are limited, and so are the threads that are asked.
func TestLimitsOfCalls(t *testing.T) {
	all := make([]wire.ThreadStack, 100)
	for i := range all {
		all[i] = wire.ThreadStack{TID: i, State: "S", Frames: []wire.Frame{{Function: "f"}}}
	}
	if got := len(waitingThreads(all)); got != wire.MaxStackCalls {
		t.Errorf("%d threads", got)
	}
	e := peerFinder{mount: "/proc", files: map[int][]descriptor{}}
	if got := e.listDescriptors(syscall.Getpid()); len(got) != 0 {
		t.Error(fmt.Sprint(got))
	}
}

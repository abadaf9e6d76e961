package openssh

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/fakeprobe"
)

// TestMain turns this test binary into a probe, an nvnodetop that is killed, or a program that listens, if the
// environment says so.
func TestMain(m *testing.M) {
	switch os.Getenv("FAKE_ROLE") {
	case "probe":
		fakeprobe.Serve()
		os.Exit(0)
	case "nvnodetop":
		d := New()
		if _, err := d.startLogin(context.Background(), "n", func() {}, func() {}); err != nil {
			panic(err)
		}
		fmt.Println("ready")
		select {}
	case "listener":
		listenForever(os.Getenv("FAKE_PATH"))
	}
	os.Exit(m.Run())
}

// fakeSSH runs the script FAKE_SSH of the test in place of a login. By default it runs the command, prints text as some
// logins do, and exits with 255 if a signal ended the command, as OpenSSH does.
const fakeSSH = `#!/bin/sh
if [ "$1" = -V ]; then echo "${FAKE_VERSION:-OpenSSH_9.2p1 Debian-2, OpenSSL 3.0}" >&2; exit; fi
echo "$$ $*" >>"$FAKE_DIR/ran"
for command; do :; done
eval "${FAKE_SSH:-echo Welcome; echo A banner >&2}"
"${FAKE_SHELL:-sh}" -c "$command"
s=$?
if [ $s -gt 128 ]; then exit 255; fi
exit $s
`

// site is a place with a fake ssh.
type site struct {
	t   *testing.T
	dir string
	d   *Door
	o   *remote.Opener

	mu    sync.Mutex // protects the following
	steps []reach.Step
}

func newSite(t *testing.T, does string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	noLeaks(t)
	if err := os.WriteFile(filepath.Join(s.dir, "ssh"), []byte(fakeSSH), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"PATH": s.dir + ":" + os.Getenv("PATH"), "FAKE_DIR": s.dir, "FAKE_SSH": does, "FAKE_ROLE": "probe",
		"GORACE": "atexit_sleep_ms=0", // the race detector lets a process linger for a second
	} {
		t.Setenv(name, value)
	}
	s.d = New()
	s.o = remote.New(s.d)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.o.Installer.Program = self
	return s
}

func (s *site) open(ctx context.Context) (poller.Session, error) {
	s.steps = nil
	session, err := s.o.Open(ctx, "n", func(step reach.Step) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.steps = append(s.steps, step)
	})
	if err == nil {
		s.t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// mustOpen opens a session and returns the process of its probe.
func (s *site) mustOpen() (poller.Session, int) {
	s.t.Helper()
	session, err := s.open(s.t.Context())
	if err != nil {
		s.t.Fatalf("%+v", err)
	}
	m, err := session.Next()
	if err != nil || m.Hello == nil {
		s.t.Fatal(m, err)
	}
	return session, m.Hello.PID
}

// fails opens a session that must fail.
func (s *site) fails() *reach.Failure {
	s.t.Helper()
	session, err := s.open(s.t.Context())
	if err == nil {
		_ = session.Close()
		s.t.Fatal("no error")
	}
	f, ok := errors.AsType[*reach.Failure](err)
	if !ok || f.Short == "" || f.Meaning == "" || len(f.Hints) == 0 {
		s.t.Fatalf("summary, meaning or hints are missing: %#v", err)
	}
	return f
}

// ran returns the arguments of each started ssh, after its process.
func (s *site) ran() []string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "ran"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	for began := time.Now(); syscall.Kill(pid, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Since(began) > 5*time.Second {
			t.Fatalf("process %d lives on", pid)
		}
	}
}

// noLeaks checks at the end of the test that neither goroutines nor processes remain.
func noLeaks(t *testing.T) {
	t.Helper()
	_ = starter.Do(func() error { return nil }) // its goroutine runs from now on
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for began := time.Now(); runtime.NumGoroutine() > before || children(t) > 0; time.Sleep(5 * time.Millisecond) {
			if time.Since(began) > 5*time.Second {
				buf := make([]byte, 1<<20)
				t.Fatalf("%d processes are left, or goroutines:\n%s", children(t), buf[:runtime.Stack(buf, true)])
			}
		}
	})
}

func children(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	others, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range others {
		more, err := os.ReadFile(path)
		if err == nil { // otherwise the thread has ended
			text = append(text, more...)
		}
	}
	return len(strings.Fields(string(text)))
}

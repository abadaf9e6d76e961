package openssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/sshd"
)

// listenForever listens at a socket, in place of a ControlMaster.
func listenForever(path string) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		panic(err)
	}
	fmt.Println("ready")
	for {
		if c, err := listener.Accept(); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
	}
}

// newControlOpener returns an Opener over the door to the master at path.
func newControlOpener(t *testing.T, path string) (*ControlDoor, *remote.Opener) {
	t.Helper()
	noControlLeaks(t)
	d := NewControl(func(context.Context, string) (string, error) { return path, nil })
	o := remote.New(d)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Installer.Program = self
	return d, o
}

// startMaster starts a real ControlMaster and returns its socket and what ends it.
func startMaster(t *testing.T) (path string, end func()) {
	t.Helper()
	program, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("needs ssh (scripts/testcluster install): ", err)
	}
	dir := t.TempDir()
	config := sshd.Start(t, dir, "SetEnv FAKE_ROLE=probe GORACE=atexit_sleep_ms=0")
	path = filepath.Join(dir, "master")
	cmd := exec.Command(program, "-F", config, "-o", "ControlPath="+path, "-N", "-M", "n")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(end)
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return path, end
		}
		if time.Since(began) > 10*time.Second {
			t.Fatal("the master does not start")
		}
	}
}

func mustOpenControl(t *testing.T, o *remote.Opener) (poller.Session, int) {
	t.Helper()
	session, err := o.Open(t.Context(), "n", func(reach.Step) {})
	if err != nil {
		t.Fatalf("%#v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	m, err := session.Next()
	if err != nil || m.Hello == nil {
		t.Fatal(m, err)
	}
	return session, m.Hello.PID
}

// TestARealMaster is used by several sessions, and outlives them.
func TestARealMaster(t *testing.T) {
	path, end := startMaster(t)
	d, o := newControlOpener(t, path)
	if why := d.Unfit(t.Context(), "n"); why != "" {
		t.Error(why)
	}
	session, probe := mustOpenControl(t, o)
	if reply, err := session.Call(t.Context(), wire.Request{Alive: &wire.Alive{}}); err != nil || reply.Error != "" {
		t.Errorf("reply %+v, %v", reply, err)
	}
	_ = session.Close()
	for began := time.Now(); syscall.Kill(probe, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Since(began) > 5*time.Second {
			t.Fatal("the probe lives on")
		}
	}
	s, err := d.Dial(t.Context(), "n", remote.NewLog("n", func(reach.Step) {}))
	if err != nil {
		t.Fatal(err)
	}
	for range 12 { // more than sshd allows sessions at a time
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if p, err := s.Run(t.Context(), "echo well", nil); err != nil {
		t.Error(err)
	} else if out, _ := io.ReadAll(p.Out); string(out) != "well\n" || !p.Wait().Known {
		t.Errorf("after the pings: %q", out)
	}
	_ = s.Close()

	session, probe = mustOpenControl(t, o)
	_ = syscall.Kill(probe, syscall.SIGKILL)
	_, err = session.Next()
	if f := reach.AsFailure(err, ""); f.Class != reach.ClassProbeKilled ||
		f.Summary() != "probe was killed (signal KILL)" {
		t.Errorf("%s: %s", f.Class, f.Summary())
	}
	_ = session.Close()

	session, _ = mustOpenControl(t, o)
	end()
	_, err = session.Next()
	if f := reach.AsFailure(err, ""); f.Class != reach.ClassClosed ||
		!strings.Contains(f.Meaning, "ControlMaster has ended") {
		t.Errorf("%s: %s", f.Class, f.Summary())
	}
	// It was killed, so its socket is still there.
	_, err = o.Open(t.Context(), "n", func(reach.Step) {})
	if f := reach.AsFailure(err, ""); f.Class != reach.ClassNoDoor ||
		f.Summary() != "no ControlMaster: no ControlMaster is running" || f.Stage != StageMaster || len(f.Hints) == 0 {
		t.Errorf("%s: %s", f.Class, f.Summary())
	}
}

// TestAFullMaster has as many sessions as sshd allows.
func TestAFullMaster(t *testing.T) {
	path, _ := startMaster(t)
	d, o := newControlOpener(t, path)
	s, err := d.Dial(t.Context(), "n", remote.NewLog("n", func(reach.Step) {}))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := s.Run(t.Context(), "exec cat", nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	_, err = o.Open(t.Context(), "n", func(reach.Step) {})
	if f := reach.AsFailure(err, ""); f.Class != reach.ClassDenied || f.Stage != remote.StageProbe {
		t.Errorf("%s: %s", f.Class, f.Summary())
	}
	_ = s.Close()
}

// TestWhatIsNoMaster is passed over.
func TestWhatIsNoMaster(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	listenMaster(t, path("open"), 0o666, func(net.Conn) {})
	if err := os.Symlink(path("open"), path("link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":           "no ControlPath in the ssh configuration",
		path("none"): "no ControlMaster is running",
		path("file"): fmt.Sprintf("ControlPath %q is not a socket", path("file")),
		path("link"): fmt.Sprintf("ControlPath %q is not a socket", path("link")),
		path("open"): fmt.Sprintf("ControlPath %q is open to others", path("open")),
	} {
		d, o := newControlOpener(t, path)
		if why := d.Unfit(t.Context(), "n"); why != want {
			t.Errorf("%q, want %q", why, want)
		}
		_, err := o.Open(t.Context(), "n", func(reach.Step) {})
		if f := reach.AsFailure(err, ""); f.Class != reach.ClassNoDoor {
			t.Errorf("%s: %s", f.Class, f.Summary())
		}
	}
	d, _ := newControlOpener(t, "")
	d.path = func(context.Context, string) (string, error) { return "", errors.New("bad option") }
	if why := d.Unfit(t.Context(), "n"); why != "bad option" {
		t.Error(why)
	}
}

// TestAMasterOfAnotherUser is refused although its socket looks like ours: the directory was another user's when the
// socket was looked at.
func TestAMasterOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can listen as another user")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("", "master") // the parents of t.TempDir are closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path, self := filepath.Join(dir, "s"), filepath.Join(dir, "self")
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(self, program, 0o755),
		os.Chown(dir, nobody, nobody)); err != nil { //nolint:gosec // for another user
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = []string{"FAKE_ROLE=listener", "FAKE_PATH=" + path}
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := io.ReadFull(out, make([]byte, len("ready"))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chown(path, 0, 0), os.Chmod(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	d, o := newControlOpener(t, path)
	if why := d.Unfit(t.Context(), "n"); why != "" {
		t.Fatalf("the socket does not look like ours: %s", why)
	}
	_, err = o.Open(t.Context(), "n", func(reach.Step) {})
	if f := reach.AsFailure(err, ""); f.Class != reach.ClassNoDoor ||
		!strings.Contains(f.Cause, "is served by user 65534") {
		t.Errorf("%s: %s", f.Class, f.Summary())
	}
}

// TestAMasterThatMisbehaves holds nobody up.
func TestAMasterThatMisbehaves(t *testing.T) {
	for want, serve := range map[string]func(net.Conn){
		"no ControlMaster: the ControlMaster does not answer": func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		"no ControlMaster: ssh: control proxy handshake failed:": func(c net.Conn) {
			_,
				_ = c.Write([]byte("\x00\x00\x00\x04HTTP"))
		},
	} {
		path := filepath.Join(t.TempDir(), "master")
		listenMaster(t, path, 0o600, serve)
		d, o := newControlOpener(t, path)
		d.answer = 200 * time.Millisecond
		_, err := o.Open(t.Context(), "n", func(reach.Step) {})
		if f := reach.AsFailure(err, ""); f.Class != reach.ClassNoDoor || !strings.HasPrefix(f.Summary(), want) {
			t.Errorf("%s: %s, want %s", f.Class, f.Summary(), want)
		}
	}
	path := filepath.Join(t.TempDir(), "master")
	listenMaster(t, path, 0o600, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	_, o := newControlOpener(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := o.Open(ctx, "n", func(reach.Step) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// listenMaster serves each connection to a socket until the test ends.
func listenMaster(t *testing.T, path string, mode os.FileMode, serve func(net.Conn)) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				serve(c)
				_ = c.Close()
			}()
		}
	}()
}

// noControlLeaks checks at the end of the test that no goroutine is left.
func noControlLeaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for began := time.Now(); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Since(began) > 5*time.Second {
				buf := make([]byte, 1<<20)
				t.Fatalf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
			}
		}
	})
}

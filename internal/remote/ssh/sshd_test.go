package ssh

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/daemon"
)

// sshd is a real OpenSSH server on loopback, for the user of the test.
type sshd struct {
	cmd  *exec.Cmd
	addr string
	home string
	log  *os.File
}

// startSSHD starts a server as the host n, with further lines of configuration.
func startSSHD(t *testing.T, s *site, options ...string) *sshd {
	t.Helper()
	dir := t.TempDir()
	host, priv := newSigner(t)
	writeKey(t, filepath.Join(dir, "host"), priv)
	writeFile(t, filepath.Join(dir, "keys"), string(ssh.MarshalAuthorizedKey(s.key.PublicKey())))
	home := t.TempDir()
	d := startProgram(t, fmt.Sprintf("HostKey %s/host\nAuthorizedKeysFile %s/keys\nStrictModes no\nUsePAM "+
		"no\nPidFile none\nSetEnv HOME=%s XDG_RUNTIME_DIR=\n%s\n", dir, dir, home, strings.Join(options, "\n")))
	d.home = home
	_, port, _ := net.SplitHostPort(d.addr)
	writeFile(t, s.known, knownhosts.Line([]string{knownhosts.Normalize(d.addr)}, host.PublicKey())+"\n")
	writeFile(t, filepath.Join(s.home, ".ssh", "config"), fmt.Sprintf("Host n\n HostName 127.0.0.1\n Port %s\n", port))
	return d
}

// startProgram starts an sshd with a configuration.
func startProgram(t *testing.T, config string) *sshd {
	t.Helper()
	const program = "/usr/sbin/sshd"
	if _, err := os.Stat(program); err != nil {
		t.Skip("needs sshd (scripts/testcluster install): ", err)
	}
	if os.Geteuid() == 0 { // sshd wants its empty directory, which the service of Debian makes
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	d := &sshd{addr: daemon.FreeAddress(t)}
	_, port, _ := net.SplitHostPort(d.addr)
	// without IPv6 the second address is ignored
	writeFile(t, filepath.Join(dir, "config"), "Port "+port+"\nListenAddress 127.0.0.1\nListenAddress ::1\n"+config)
	var err error
	if d.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		t.Fatal(err)
	}
	d.cmd = exec.Command(program, "-D", "-e", "-f", filepath.Join(dir, "config"))
	d.cmd.Stderr = d.log
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = d.cmd.Process.Signal(syscall.SIGCONT)
		_ = d.cmd.Process.Kill()
		_ = d.cmd.Wait()
		closeQuietly(d.log)
		if t.Failed() {
			said, _ := os.ReadFile(d.log.Name())
			t.Logf("sshd: %s", said)
		}
	})
	d.await(t)
	return d
}

// Await returns once the server listens.
func (d *sshd) await(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", d.addr)
		if err == nil {
			closeQuietly(conn)
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("sshd does not listen: %v", err)
		}
	}
}

// signalSessions signals the processes that serve connections.
func (d *sshd) signalSessions(t *testing.T, sig syscall.Signal) {
	t.Helper()
	for _, pid := range descendants(t, d.cmd.Process.Pid) {
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err == nil && strings.HasPrefix(string(comm), "sshd") {
			_ = syscall.Kill(pid, sig)
		}
	}
}

func descendants(t *testing.T, parent int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if ppid, _ := strconv.Atoi(fields[1]); ppid == parent {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			all = append(append(all, pid), descendants(t, pid)...)
		}
	}
	return all
}

func TestOpenSSH(t *testing.T) {
	s := newSite(t)
	d := startSSHD(t, s)
	for _, want := range []string{"copied", "already installed"} {
		session := s.mustOpen("n")
		m, err := session.Next()
		if err != nil || m.Hello == nil {
			t.Fatal(m, err)
		}
		began := time.Now()
		_ = session.Close()
		if took := time.Since(began); took > time.Second {
			t.Errorf("Close took %v", took)
		}
		if err := syscall.Kill(m.Hello.PID, 0); err != syscall.ESRCH {
			t.Errorf("the probe lives on: %v", err)
		}
		if got := s.steps.last(remote.StageProbe).Text; !strings.HasPrefix(got, want) {
			t.Errorf("probe: %q, want %q…", got, want)
		}
	}
	if got := s.steps.last(advice.StageSSH).Text; !strings.HasPrefix(got, "OpenSSH_") {
		t.Errorf("ssh: %q", got)
	}
	if _, err := os.Stat(filepath.Join(d.home, ".cache", "nvnodetop")); err != nil {
		t.Error(err)
	}
}

func TestOpenSSHKillsTheProbe(t *testing.T) {
	s := newSite(t)
	startSSHD(t, s)
	session := s.mustOpen("n")
	m, err := session.Next()
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(m.Hello.PID, syscall.SIGKILL)
	_, err = session.Next()
	if f := wantClass(t, err, reach.ClassProbeKilled); f.Summary() != "probe was killed (signal KILL)" {
		t.Errorf("got %s", describe(f))
	}
}

// TestOpenSSHFrozen stops sshd in the middle of a stream, and before a session opens; then sshd goes on.
func TestOpenSSHFrozen(t *testing.T) {
	s := newSite(t)
	s.o.Installer.Link.Alive, s.o.Installer.Link.Silence = 200*time.Millisecond, time.Second
	d := startSSHD(t, s)
	session := s.mustOpen("n")
	if _, err := session.Next(); err != nil {
		t.Fatal(err)
	}
	d.signalSessions(t, syscall.SIGSTOP)
	began := time.Now()
	_, err := session.Next()
	_ = wantClass(t, err, reach.ClassSilent)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("noticed after %v", took)
	}
	_ = session.Close()
	d.signalSessions(t, syscall.SIGCONT)

	_ = d.cmd.Process.Signal(syscall.SIGSTOP)
	hurry(s, advice.StageSSH)
	_ = s.mustFail("n", reach.ClassFrozen)
	_ = d.cmd.Process.Signal(syscall.SIGCONT)
	s.d.limits.ssh = defaultLimits.ssh
	s.mustOpen("n")
}

// TestOpenSSHAsAJumpHost: its answers are understood when it cannot connect.
func TestOpenSSHAsAJumpHost(t *testing.T) {
	s := newSite(t)
	startSSHD(t, s)
	s.configure("behind", startNode(t, s, nil))
	off := startNode(t, s, nil)
	s.configure("off", off)
	off.stop()
	s.append(filepath.Join(s.home, ".ssh", "config"), "Host nowhere\n  HostName no-such-host.invalid\n")
	s.behind("n", "behind", "off", "nowhere")
	s.mustOpen("behind")
	if f := s.mustFail("off", reach.ClassRefused); f.Summary() != "connection refused (from n)" {
		t.Errorf("off: %s", describe(f))
	}
	if f := s.mustFail("nowhere", reach.ClassUnknownHost); f.Summary() != "unknown host (from n)" {
		t.Errorf("nowhere: %s", describe(f))
	}
}

package openssh

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// TestARealOne logs in to a real sshd with the real ssh.
func TestARealOne(t *testing.T) {
	program, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip(err)
	}
	s := newSite(t, "")
	config := startSSHD(t, s.dir)
	use := func(option string) {
		t.Helper()
		wrapper := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = -V ]; then exec %[1]s -V; fi\necho $$ >>%[2]s/ran\nexec %[1]s -F %[3]s %[4]s \"$@\"\n", program, s.dir, config, option)
		if err := os.WriteFile(filepath.Join(s.dir, "ssh"), []byte(wrapper), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	use("")
	began := time.Now()
	session, probe := s.mustOpen()
	t.Logf("open after %v", time.Since(began))
	if step := s.steps[len(s.steps)-1]; !strings.Contains(fmt.Sprint(s.steps), "logged in by OpenSSH_") {
		t.Errorf("steps up to %+v", step)
	}
	_ = session.Close()
	gone(t, probe)
	for option, want := range map[string]string{
		"-o PubkeyAuthentication=no":                                  "auth: permission denied (publickey,password,keyboard-interactive)",
		"-o UserKnownHostsFile=/dev/null":                             "host_key_unknown: host key unknown",
		"-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null": "host_key_unknown: host key unknown",
		"-o Port=1":                   "refused: connection refused",
		"-o HostName=nowhere.invalid": "unknown_host: unknown host",
		"-o Ciphers=aes128-cbc":       "other: no common algorithm",
		"-o ProxyCommand='sleep 600'": "login_hangs: login timed out after 0s",
	} {
		if strings.Contains(option, "StrictHostKeyChecking=no") {
			// In the configuration, where OpenSSH would obey it.
			text, _ := os.ReadFile(config)
			loose := filepath.Join(s.dir, "loose")
			if err := os.WriteFile(loose, append([]byte("StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n"), text...), 0o600); err != nil {
				t.Fatal(err)
			}
			option = "-F " + loose
		}
		use(option)
		limit := defaultLimits.login
		if strings.Contains(option, "sleep") {
			limit = 300 * time.Millisecond
		}
		s.d.limits.login = limit
		f := s.fails()
		if got := fmt.Sprintf("%s: %s", f.Class, f.Summary()); !strings.HasPrefix(got, want) || f.Stage != StageSSH {
			t.Errorf("%s: %s, want %s\n%s", option, got, want, f.Words)
		}
		if f.Class == reach.ClassUnknownHost && f.Words == "" {
			t.Error("what ssh said is lost")
		}
	}
}

// startSSHD starts a server for the user who runs the test, and returns a configuration of ssh in which it is the host n.
func startSSHD(t *testing.T, dir string) (config string) {
	t.Helper()
	const program = "/usr/sbin/sshd"
	if _, err := os.Stat(program); err != nil {
		t.Skip("there is no OpenSSH server here: ", err)
	}
	if os.Geteuid() == 0 { // sshd wants its empty directory, which Debian makes when the service starts
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newKey := func(name string) ssh.PublicKey {
		pub, priv, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		block, err1 := ssh.MarshalPrivateKey(priv, "")
		key, err2 := ssh.NewPublicKey(pub)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		write(name, string(pem.EncodeToMemory(block)))
		return key
	}
	host, user := newKey("host"), newKey("user")
	write("keys", string(ssh.MarshalAuthorizedKey(user)))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	_ = free.Close()
	_, port, _ := net.SplitHostPort(addr)
	server := write("sshd_config", fmt.Sprintf("Port %s\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/keys\nStrictModes no\nUsePAM no\nPidFile none\nSetEnv FAKE_ROLE=probe\n", port, dir, dir))
	cmd := exec.Command(program, "-D", "-e", "-f", server)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
		if t.Failed() {
			said, _ := os.ReadFile(log.Name())
			t.Logf("sshd: %s", said)
		}
	})
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("sshd does not listen: %v", err)
		}
	}
	known := write("known_hosts", knownhosts.Line([]string{knownhosts.Normalize(addr)}, host)+"\n")
	return write("ssh_config", fmt.Sprintf("Host n\n HostName 127.0.0.1\n Port %s\nHost *\n IdentityFile %s/user\n IdentitiesOnly yes\n UserKnownHostsFile %s\n GlobalKnownHostsFile /dev/null\n", port, dir, known))
}

// Package sshd starts a real OpenSSH server on loopback, for the user who runs a test.
//
// Each test starts its own; several may run at a time.
package sshd

import (
	"context"
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

	"github.com/nvnodetop/nvnodetop/test/daemon"
)

const program = "/usr/sbin/sshd"

// Start starts a server with its files in dir, which ends with the test. It returns a configuration of ssh with the
// server as host n. options are more lines of the server's configuration. Without an installed sshd the test is
// skipped.
func Start(t testing.TB, dir string, options ...string) (config string) {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Skip("needs sshd (scripts/testcluster install): ", err)
	}
	if os.Geteuid() == 0 { // sshd needs its empty directory, which Debian makes when the service starts
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	host, user := newKey(t, filepath.Join(dir, "host")), newKey(t, filepath.Join(dir, "user"))
	write(t, filepath.Join(dir, "keys"), string(ssh.MarshalAuthorizedKey(user)))
	addr := daemon.FreeAddress(t)
	_, port, _ := net.SplitHostPort(addr)
	server := write(t, filepath.Join(dir, "sshd_config"), fmt.Sprintf(
		"Port %s\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/keys\nStrictModes no\nUsePAM "+
			"no\nPidFile none\n%s\n",
		port, dir, dir, strings.Join(options, "\n")))
	run(t, server, filepath.Join(dir, "log"))
	await(t, addr)
	known := write(t, filepath.Join(dir, "known_hosts"), knownhosts.Line([]string{knownhosts.Normalize(addr)}, host)+
		"\n")
	return write(t, filepath.Join(dir, "ssh_config"), fmt.Sprintf(
		"Host n\n HostName 127.0.0.1\n Port %s\nHost *\n IdentityFile %s/user\n IdentitiesOnly yes\n "+
			"UserKnownHostsFile %s\n GlobalKnownHostsFile /dev/null\n",
		port, dir, known))
}

func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func newKey(t testing.TB, path string) ssh.PublicKey {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err1 := ssh.MarshalPrivateKey(priv, "")
	key, err2 := ssh.NewPublicKey(pub)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	write(t, path, string(pem.EncodeToMemory(block)))
	return key
}

// run runs a server until the test ends, and logs its output if the test has failed.
func run(t testing.TB, config, logFile string) {
	t.Helper()
	log, err := os.Create(logFile)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), program, "-D", "-e", "-f", config)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
		if t.Failed() {
			said, _ := os.ReadFile(logFile)
			t.Logf("sshd: %s", said)
		}
	})
}

// await returns once a server listens.
func await(t testing.TB, addr string) {
	t.Helper()
	var dialer net.Dialer
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := dialer.DialContext(context.Background(), "tcp", addr)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("sshd does not listen: %v", err)
		}
	}
}

package ssh

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// startAgent serves keys on a socket in place of ssh-agent.
func startAgent(t *testing.T, s *site, serve func(net.Conn)) {
	t.Helper()
	path := filepath.Join(s.home, "agent")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s.d.agent = path
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { defer closeQuietly(c); serve(c) })
		}
	})
	t.Cleanup(func() { closeQuietly(ln); wg.Wait() })
}

func keyring(t *testing.T, keys ...agent.AddedKey) func(net.Conn) {
	t.Helper()
	ring := agent.NewKeyring()
	for _, k := range keys {
		if err := ring.Add(k); err != nil {
			t.Fatal(err)
		}
	}
	return func(c net.Conn) { _ = agent.ServeAgent(ring, c) }
}

func TestAgent(t *testing.T) {
	s := newSite(t)
	mine, priv := newSigner(t)
	_, other := newSigner(t)
	s.key = mine // the key file has changed
	n := startNode(t, s, nil)
	s.configure("n", n)
	startAgent(t, s, keyring(t, agent.AddedKey{PrivateKey: other, Comment: "other"},
		agent.AddedKey{PrivateKey: priv, Comment: "alice@laptop"}))
	closeQuietly(s.mustOpen("n"))
	if got := s.steps.last(advice.StageLogin).Text; got != "publickey accepted, alice@laptop (agent)" {
		t.Errorf("login: %q", got)
	}

	// A .pub file names the agent's key, and IdentitiesOnly leaves out the others.
	writeFile(t, filepath.Join(s.home, ".ssh", "work"), string(ssh.MarshalAuthorizedKey(mine.PublicKey())))
	s.append(filepath.Join(s.home, ".ssh", "config"), "Host *\n IdentityFile ~/.ssh/work\n IdentitiesOnly yes\n")
	s.reread()
	s.mustOpen("n")
	if steps := s.steps.String(); !strings.Contains(steps, "key 1 of 1") ||
		!strings.Contains(steps, "publickey accepted, work") {
		t.Errorf("steps:\n%s", steps)
	}
}

func TestAgentForManyNodesAtOnce(t *testing.T) {
	s := newSite(t)
	mine, priv := newSigner(t)
	s.key = mine
	home := t.TempDir()
	for i := range 32 {
		s.configure(fmt.Sprintf("n%d", i), startNode(t, s, func(n *node) { n.home = home }))
	}
	startAgent(t, s, keyring(t, agent.AddedKey{PrivateKey: priv}))
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			session, err := s.o.Open(t.Context(), fmt.Sprintf("n%d", i), func(reach.Step) {})
			if err != nil {
				t.Errorf("n%d: %s", i, describe(err))
				return
			}
			_ = session.Close()
		})
	}
	wg.Wait()
}

// TestAgentThatHangs: the agent is skipped, since the key file is enough.
func TestAgentThatHangs(t *testing.T) {
	s := newSite(t)
	s.d.limits.agent = 50 * time.Millisecond
	var shut atomic.Bool
	n := startNode(t, s, func(n *node) {
		open := n.config.PublicKeyCallback
		n.config.PublicKeyCallback = func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if shut.Load() {
				return nil, errors.New("shut")
			}
			return open(c, key)
		}
	})
	s.configure("n", n)
	startAgent(t, s, func(c net.Conn) { swallow(c) })
	closeQuietly(s.mustOpen("n"))
	shut.Store(true)
	if f := s.mustFail("n", reach.ClassAuth); !strings.Contains(strings.Join(f.Hints, "\n"),
		"ssh agent not responding") {
		t.Errorf("got %s", describe(f))
	}
}

// A hung agent costs one wait for all nodes, and is used again after its first answer.
func TestAgentThatHangsCostsOneWait(t *testing.T) {
	s := newSite(t)
	key, priv := newSigner(t)
	s.d.limits.agent = 50 * time.Millisecond
	var awake atomic.Bool
	answer := keyring(t, agent.AddedKey{PrivateKey: priv})
	var asked atomic.Int32
	startAgent(t, s, func(c net.Conn) {
		asked.Add(1)
		if awake.Load() {
			answer(c)
			return
		}
		swallow(c)
	})
	held := func() int {
		ids := &identities{}
		keys := s.d.askAgent(t.Context(), "", ids)
		if ids.agent != nil {
			closeQuietly(ids.agent)
		}
		if len(keys) == 0 && (len(ids.skipped) != 1 || !strings.HasPrefix(ids.skipped[0], "ssh agent not responding")) {
			t.Errorf("skipped: %q", ids.skipped)
		}
		return len(keys)
	}
	for range 20 {
		if got := held(); got != 0 {
			t.Fatalf("%d keys", got)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times, want once", asked.Load())
	}
	expire := func() { s.d.hung.until[s.d.agent] = time.Now() }
	expire()
	if got := held(); got != 0 || asked.Load() != 2 {
		t.Errorf("%d keys, asked %d times", got, asked.Load())
	}
	awake.Store(true)
	expire()
	if first, second := held(), held(); first != 1 || second != 1 {
		t.Errorf("%d and %d keys, want the one %s", first, second, ssh.FingerprintSHA256(key.PublicKey()))
	}
	if len(s.d.hung.until) != 0 {
		t.Error("it is still said to hang")
	}
}

func TestCertificates(t *testing.T) {
	s := newSite(t)
	ca, _ := newSigner(t)
	certify := func(key ssh.PublicKey, kind uint32, name string, until time.Time) *ssh.Certificate {
		c := &ssh.Certificate{Key: key, CertType: kind, ValidPrincipals: []string{name},
			ValidBefore: uint64(until.Unix())}
		if err := c.SignCert(nilRand{}, ca); err != nil {
			t.Fatal(err)
		}
		return c
	}
	checker := &ssh.CertChecker{IsUserAuthority: func(k ssh.PublicKey) bool {
		return string(k.Marshal()) == string(ca.PublicKey().Marshal())
	}}
	n := startNode(t, s, func(n *node) {
		n.config = &ssh.ServerConfig{PublicKeyCallback: checker.Authenticate}
		signer, err := ssh.NewCertSigner(certify(n.host.PublicKey(), ssh.HostCert, "127.0.0.1",
			time.Now().Add(time.Hour)), n.host)
		if err != nil {
			t.Fatal(err)
		}
		n.config.AddHostKey(signer)
	})
	s.append(filepath.Join(s.home, ".ssh", "config"), n.hostBlock("n"))
	s.append(s.known, "@cert-authority * "+string(ssh.MarshalAuthorizedKey(ca.PublicKey())))

	path := filepath.Join(s.home, ".ssh", "id_ed25519-cert.pub")
	writeFile(t, path, string(ssh.MarshalAuthorizedKey(certify(s.key.PublicKey(), ssh.UserCert, s.d.user,
		time.Now().Add(time.Hour)))))
	closeQuietly(s.mustOpen("n"))
	for stage, want := range map[reach.Stage]string{
		advice.StageHostKey: "ed25519 certificate, known (known_hosts line 2)",
		advice.StageLogin:   "publickey accepted, id_ed25519-cert.pub",
	} {
		if got := s.steps.last(stage).Text; got != want {
			t.Errorf("%s: %q, want %q", stage, got, want)
		}
	}

	writeFile(t, path, string(ssh.MarshalAuthorizedKey(certify(s.key.PublicKey(), ssh.UserCert, s.d.user,
		time.Now().Add(-time.Hour)))))
	if f := s.mustFail("n", reach.ClassAuth); !strings.Contains(strings.Join(f.Hints, "\n"), "has expired") {
		t.Errorf("expired: %s", describe(f))
	}
}

// nilRand is the source of randomness for signatures that need none.
type nilRand struct{}

func (nilRand) Read(p []byte) (int, error) { return len(p), nil }

func TestKeys(t *testing.T) {
	s := newSite(t)
	n := startNode(t, s, nil)
	s.configure("n", n)
	good, err := os.ReadFile(filepath.Join(s.home, ".ssh", "id_ed25519"))
	if err != nil {
		t.Fatal(err)
	}
	writeLockedKey(t, filepath.Join(s.home, ".ssh", "id_ed25519"))
	f := s.mustFail("n", reach.ClassAuth)
	if !strings.Contains(f.Meaning, "id_ed25519 needs a passphrase") || !strings.Contains(f.Hints[0], "ssh-add") {
		t.Errorf("locked key: %s", describe(f))
	}
	if got := s.steps.last(advice.StageLogin).Text; got != "no key to offer" {
		t.Errorf("login: %q", got)
	}

	_, wrong := newSigner(t)
	writeKey(t, filepath.Join(s.home, ".ssh", "wrong"), wrong)
	writeFile(t, filepath.Join(s.home, ".ssh", "a key"), string(good))
	s.append(filepath.Join(s.home, ".ssh", "config"),
		"Host *\n IdentityFile ~/.ssh/wrong\n IdentityFile \"%d/.ssh/a key\"\n")
	s.reread()
	s.mustOpen("n")
	if got := s.steps.last(advice.StageLogin).Text; got != "publickey accepted, a key" {
		t.Errorf("login: %q\n%s", got, s.steps.String())
	}
	if !strings.Contains(s.steps.String(), "trying publickey (key 2 of 2)") {
		t.Errorf("steps:\n%s", s.steps.String())
	}
}

// Neither ssh nor the Door uses a private key that others may read.
func TestUnprotectedKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "id")
	_, private := newSigner(t)
	for mode, usable := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o644: false} {
		writeKey(t, path, private)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		f := sshconn.NewKeyCache().Load(path)
		if got := f.Signer != nil; got != usable {
			t.Errorf("mode %04o: usable %v, want %v (%v)", mode, got, usable, f.Err)
		}
		if !usable && !strings.Contains(f.Err.Error(), "chmod 600") {
			t.Errorf("mode %04o: %v does not say what to do", mode, f.Err)
		}
		os.Remove(path)
	}
}

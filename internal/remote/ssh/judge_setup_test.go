package ssh

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// court asks OpenSSH's ssh and this Door to reach the same sshd, with the same files. Names in braces stand for public
// keys: {rsa} of the host, {old rsa} an earlier one of the host, {ca rsa} of an authority.
type court struct {
	t    *testing.T
	dir  string
	keys map[string]any // private keys by name
	addr string         // of sshd
	sock string         // of the agent; empty: there is none
}

var keyTypes = []string{"ed25519", "ecdsa", "rsa"}

func newCourt(t *testing.T) *court {
	t.Helper()
	for _, program := range []string{"/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"} {
		if _, err := os.Stat(program); err != nil {
			t.Skip("needs sshd, ssh and ssh-keygen (scripts/testcluster install): ", err)
		}
	}
	c := &court{t: t, dir: t.TempDir(), keys: map[string]any{}}
	for _, kind := range keyTypes {
		for _, who := range []string{"", "old ", "ca "} {
			c.keys[who+kind] = newKey(t, kind)
		}
	}
	c.keys["user ca"] = newKey(t, "ed25519")
	return c
}

func newKey(t *testing.T, kind string) (key any) {
	t.Helper()
	var err error
	switch kind {
	case "rsa":
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	case "ecdsa":
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (c *court) signer(name string) ssh.Signer {
	c.t.Helper()
	s, err := ssh.NewSignerFromKey(c.keys[name])
	if err != nil {
		c.t.Fatal(name, err)
	}
	return s
}

// public returns a public key as files have it.
func (c *court) public(name string) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(c.signer(name).PublicKey())))
}

func (c *court) path(name string) string { return filepath.Join(c.dir, name) }

// certify makes a certificate for a key; flaw is its fault.
func (c *court) certify(key, authority, name, flaw string, kind uint32) *ssh.Certificate {
	c.t.Helper()
	now := time.Now()
	cert := &ssh.Certificate{Key: c.signer(key).PublicKey(), CertType: kind, Serial: 42, KeyId: "the node",
		ValidPrincipals: []string{name},
		ValidAfter:      uint64(now.Add(-2 * time.Hour).Unix()), ValidBefore: uint64(now.Add(time.Hour).Unix())}
	ca := c.signer(authority)
	switch flaw {
	case "expired":
		cert.ValidBefore = uint64(now.Add(-time.Hour).Unix())
	case "late":
		cert.ValidBefore = 1<<63 + 7
	case "endless":
		cert.ValidBefore = ssh.CertTimeInfinity
	case "never":
		cert.ValidAfter, cert.ValidBefore = 1<<63+7, ssh.CertTimeInfinity
	case "early":
		cert.ValidAfter = uint64(now.Add(30 * time.Minute).Unix())
	case "other":
		cert.ValidPrincipals = []string{"gpu77", "gpu78"}
	case "wild":
		cert.ValidPrincipals = []string{"local*"}
	case "nameless":
		cert.ValidPrincipals = nil
	case "critical":
		cert.CriticalOptions = map[string]string{"dance": "tango"}
	case "user":
		cert.CertType = ssh.UserCert
	case "sha1":
		var err error
		if ca, err = ssh.NewSignerWithAlgorithms(ca.(ssh.AlgorithmSigner), []string{ssh.KeyAlgoRSA}); err != nil {
			c.t.Fatal(err)
		}
	case "":
	default:
		c.t.Fatalf("what is %q?", flaw)
	}
	if err := cert.SignCert(rand.Reader, ca); err != nil {
		c.t.Fatal(err)
	}
	return cert
}

// users writes the user's key files: key, locked (PEM, with a passphrase), held (only its .pub), "a b", certified (with
// a certificate that the node accepts), and wrong, which the node refuses.
func (c *court) users() {
	c.t.Helper()
	var authorized strings.Builder
	for _, name := range []string{"key", "held", "a b", "certified", "wrong"} {
		c.keys[name] = newKey(c.t, "ed25519")
		writeKey(c.t, c.path(name), c.keys[name])
		if name != "certified" && name != "wrong" {
			fmt.Fprintln(&authorized, c.public(name))
		}
	}
	writeFile(c.t, c.path("held.pub"), c.public("held"))
	if err := os.Remove(c.path("held")); err != nil {
		c.t.Fatal(err)
	}
	locked := c.path("locked")
	if out, err := exec.CommandContext(c.t.Context(), "ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N",
		"", "-f", locked).CombinedOutput(); err != nil {
		c.t.Fatalf("%v %s", err, out)
	}
	text, err := os.ReadFile(locked)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.keys["locked"], err = ssh.ParseRawPrivateKey(text); err != nil {
		c.t.Fatal(err)
	}
	if out, err := exec.CommandContext(c.t.Context(), "ssh-keygen", "-q", "-p", "-m", "PEM", "-N", "secret", "-P", "",
		"-f", locked).CombinedOutput(); err != nil {
		c.t.Fatalf("%v %s", err, out)
	}
	fmt.Fprintln(&authorized, c.public("locked"))
	writeFile(c.t, c.path("authorized"), authorized.String())
	writeFile(c.t, c.path("user_ca"), c.public("user ca"))
	d, err := New("test")
	if err != nil {
		c.t.Fatal(err)
	}
	for file, flaw := range map[string]string{"certified-cert.pub": "", "expired-cert.pub": "expired"} {
		writeFile(c.t, c.path(file), string(ssh.MarshalAuthorizedKey(c.certify("certified", "user ca", d.user, flaw,
			ssh.UserCert))))
	}
}

// copy returns a court of its own for one ruling.
func (c *court) copy(t *testing.T) *court {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(c.dir)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chmod(filepath.Join(dir, e.Name()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &court{t: t, dir: dir, keys: c.keys}
}

// serve starts an sshd with these host keys, such as "rsa" or "ed25519 by rsa expired", and further lines of its
// configuration.
func (c *court) serve(t *testing.T, hostKeys, more string) {
	t.Helper()
	var lines strings.Builder
	for item := range strings.SplitSeq(hostKeys, ", ") {
		words := append(strings.Fields(item), "", "", "", "")
		kind := words[0]
		var block *pem.Block
		block, err := ssh.MarshalPrivateKey(c.keys[kind], "")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), kind)
		writeFile(t, path, string(pem.EncodeToMemory(block)))
		writeFile(t, path+".pub", c.public(kind))
		fmt.Fprintf(&lines, "HostKey %s\n", path)
		if words[1] == "by" {
			cert := c.certify(kind, "ca "+words[2], "localhost", words[3], ssh.HostCert)
			writeFile(t, path+"-cert.pub", string(ssh.MarshalAuthorizedKey(cert)))
			fmt.Fprintf(&lines, "HostCertificate %s-cert.pub\n", path)
		}
	}
	fmt.Fprintf(&lines, "AuthorizedKeysFile %s\nTrustedUserCAKeys %s\nStrictModes no\nUsePAM no\nPidFile "+
		"none\nMaxAuthTries 6\nSubsystem sftp internal-sftp\n", c.path("authorized"), c.path("user_ca"))
	c.addr = startProgram(t, lines.String()+more).addr
}

// hold starts an agent with these keys.
func (c *court) hold(t *testing.T, keys string) {
	t.Helper()
	if keys == "" {
		return
	}
	ring := agent.NewKeyring()
	for name := range strings.SplitSeq(keys, ", ") {
		key := c.keys[name]
		if name == "nine" {
			for range 9 {
				if err := ring.Add(agent.AddedKey{PrivateKey: newKey(t, "ed25519")}); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
			t.Fatal(name, err)
		}
	}
	c.sock = listenAgent(t, func(conn net.Conn) { _ = agent.ServeAgent(ring, conn) })
}

// listenAgent serves each connection to a new socket.
func listenAgent(t *testing.T, serve func(net.Conn)) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "agent")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { defer closeQuietly(conn); serve(conn) })
		}
	})
	t.Cleanup(func() { closeQuietly(ln); wg.Wait() })
	return path
}

// spelled stands for a key with another name of its type, tabbed for a key with tabs for blanks.
var spelled, tabbed = regexp.MustCompile(`\{type (\S+) ([^}]+)\}`), regexp.MustCompile(`\{tab ([^}]+)\}`)

// write writes text with its placeholders replaced: NAME is the node as files list it, HASH the same hashed, DIR the
// directory, PORT the port; more are others. Keys and certificates are random letters, among which a placeholder may
// stand: in them nothing is replaced.
func (c *court) write(t *testing.T, name, text string, more ...string) {
	t.Helper()
	_, port, _ := net.SplitHostPort(c.addr)
	host := "[localhost]:" + port
	pairs := append([]string{"NAME", host, "HASH", knownhosts.HashHostname(host), "DIR", c.dir, "PORT", port}, more...)
	for key := range c.keys {
		pairs = append(pairs, "{"+key+"}", c.public(key))
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	text = spelled.ReplaceAllStringFunc(text, func(s string) string {
		m := spelled.FindStringSubmatch(s)
		_, key, _ := strings.Cut(c.public(m[2]), " ")
		return m[1] + " " + key
	})
	text = tabbed.ReplaceAllStringFunc(text,
		func(s string) string { return strings.ReplaceAll(c.public(tabbed.FindStringSubmatch(s)[1]), " ", "\t") })
	writeFile(t, c.path(name), text+"\n")
}

// openSSH asks the real ssh and returns the words of its refusal.
func (c *court) openSSH(t *testing.T) (words string, connects bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	// starts no shell
	cmd := exec.CommandContext(ctx, "ssh", "-F", c.path("config"), "-o", "BatchMode=yes", "-s", "n", "sftp")
	cmd.Env = append(os.Environ(), "SSH_AUTH_SOCK="+c.sock)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	return stderr.String(), err == nil
}

// door asks the Door, which asks ssh for the settings unless program is empty.
func (c *court) door(t *testing.T, program string) *reach.Failure {
	t.Helper()
	d, err := New("test")
	if err != nil {
		t.Fatal(err)
	}
	d.agent = c.sock
	d.settings = settings.New(settings.Config{Home: d.home, User: d.user, Program: program, File: c.path("config")})
	shell, err := d.Dial(t.Context(), "n", remote.NewLog("n", func(reach.Step) {}))
	if err == nil {
		closeQuietly(shell)
		return nil
	}
	f, ok := err.(*reach.Failure) //nolint:errorlint // from Dial, as documented
	if !ok {
		t.Fatalf("Dial returned %T %v", err, err)
	}
	return f
}

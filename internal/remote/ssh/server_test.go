package ssh

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/fakeprobe"
	"github.com/nvnodetop/nvnodetop/test/leaks"
)

// node is an SSH server in this process. It runs commands with a real /bin/sh in a home of its own, unless exec is set.
type node struct {
	t       testing.TB
	ln      net.Listener
	host    ssh.Signer
	home    string
	env     []string
	config  *ssh.ServerConfig
	raw     func(net.Conn)                         // takes the place of SSH
	session func(ch ssh.Channel, command string)   // takes the place of /bin/sh
	after   func(c *ssh.ServerConn, conn net.Conn) // called after the login
	connect func(address string) (net.Conn, error) // for direct-tcpip; nil: net.Dial

	mu    sync.Mutex
	conns []net.Conn
	ran   []string // commands
	logs  []string // users
	wg    sync.WaitGroup
}

// site is a place where a Dialer runs: a home with keys and known hosts.
type site struct {
	t     testing.TB
	home  string
	key   ssh.Signer
	known string
	d     *Door
	o     *remote.Opener
	steps recorder
}

func newSigner(t testing.TB) (ssh.Signer, ed25519.PrivateKey) {
	t.Helper()
	_, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	return signer, priv
}

func writeKey(t testing.TB, path string, priv any) {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(priv, "")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, string(pem.EncodeToMemory(block)))
}

// sesameKey has the passphrase "open sesame". ssh-keygen -a 1 made it with one round: under the race detector each of
// the usual sixteen is slow.
const sesameKey = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABA4K3cOtt
PghsHeXUFzFfucAAAAAQAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAID1bwANeZXJmhv6L
1lsIgJtboAPvpw3nOVOxRmYtolWmAAAAkNV56F1TfxeC8UnDhOmU2wY9j7uWwoe8dlFC0/
7R1A44xRqQTLhHShFm9aUl8PEnfcFM7kKQhPvd5GqByohLV0bYljRPPHVwQ2Zhcl/JtK/8
HAXRY8l8xS/E5xPH9NiA4yRsreenmnsiQEUpNTkdR3WddlZ76+5C7YgIq6FUSGRvEwboqQ
Rz/IMrlLZ2MtUDCA==
-----END OPENSSH PRIVATE KEY-----
`

// writeLockedKey writes sesameKey and returns its signer.
func writeLockedKey(t testing.TB, path string) ssh.Signer {
	t.Helper()
	signer, err := ssh.ParsePrivateKeyWithPassphrase([]byte(sesameKey), []byte("open sesame"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, sesameKey)
	return signer
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func newSite(t testing.TB) *site {
	t.Helper()
	noLeaks(t)
	home, err := os.MkdirTemp("", "site") // the name of the test may be odd
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	s := &site{t: t, home: home}
	t.Setenv("HOME", s.home)
	t.Setenv("SSH_AUTH_SOCK", "")
	signer, priv := newSigner(t)
	s.key = signer
	writeKey(t, filepath.Join(s.home, ".ssh", "id_ed25519"), priv)
	s.known = filepath.Join(s.home, ".ssh", "known_hosts")
	writeFile(t, s.known, "# known hosts of the test\n")
	d, err := New("test")
	if err != nil {
		t.Fatal(err)
	}
	d.home = s.home
	s.d, s.o = d, remote.New(d)
	s.reread()
	t.Cleanup(d.Close)
	s.o.Installer = install.New(func() ([]install.Payload, error) {
		return []install.Payload{scriptPayload(fakeprobe.Script)}, nil
	})
	return s
}

// reread makes the Door read the site's configuration, not that of this machine.
func (s *site) reread() {
	s.d.settings = settings.New(settings.Config{Home: s.home, User: s.d.user,
		File: filepath.Join(s.home, ".ssh", "config")})
}

// configure makes the node reachable under name, with a known key and a configured port.
func (s *site) configure(name string, n *node) {
	s.t.Helper()
	s.append(s.known, knownhosts.Line([]string{knownhosts.Normalize(n.ln.Addr().String())}, n.host.PublicKey())+"\n")
	s.append(filepath.Join(s.home, ".ssh", "config"), n.hostBlock(name))
	s.reread()
}

func (n *node) hostBlock(name string) string {
	host, port, _ := net.SplitHostPort(n.ln.Addr().String())
	return fmt.Sprintf("Host %s\n  HostName %s\n  Port %s\n", name, host, port)
}

func (s *site) append(path, text string) {
	s.t.Helper()
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	writeFile(s.t, path, string(old)+text)
}

func (s *site) open(name string) (poller.Session, error) {
	s.steps.reset()
	return s.o.Open(s.t.Context(), name, s.steps.add)
}

// mustOpen opens a session that ends with the test.
func (s *site) mustOpen(name string) poller.Session {
	s.t.Helper()
	session, err := s.open(name)
	if err != nil {
		s.t.Fatalf("open %s: %v\n%s", name, describe(err), s.steps.String())
	}
	s.t.Cleanup(func() { _ = session.Close() })
	return session
}

// mustFail opens a session that must fail with class.
func (s *site) mustFail(name string, class reach.Class) *reach.Failure {
	s.t.Helper()
	session, err := s.open(name)
	if err == nil {
		_ = session.Close()
		s.t.Fatalf("open %s: no error, want class %s", name, class)
	}
	return wantClass(s.t, err, class)
}

func wantClass(t testing.TB, err error, class reach.Class) *reach.Failure {
	t.Helper()
	var f *reach.Failure
	if !errors.As(err, &f) {
		t.Fatalf("error %T %v, want a failure of class %s", err, err, class)
	}
	if f.Class != class {
		t.Fatalf("class %s, want %s: %s", f.Class, class, describe(err))
	}
	if f.Short == "" || f.Meaning == "" || len(f.Hints) == 0 {
		t.Errorf("summary, meaning or hints are missing: %s", describe(err))
	}
	return f
}

func describe(err error) string {
	var f *reach.Failure
	if !errors.As(err, &f) {
		return fmt.Sprint(err)
	}
	return fmt.Sprintf("%s at %q: %s\nwords: %s\nmeaning: %s\nhints: %s", f.Class, f.Stage, f.Summary(), f.Words,
		f.Meaning, strings.Join(f.Hints, "\n  "))
}

// recorder keeps steps.
type recorder struct {
	mu    sync.Mutex
	steps []reach.Step
}

func (r *recorder) add(s reach.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps = append(r.steps, s)
}

func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps = nil
}

// last is the last step of a stage.
func (r *recorder) last(stage reach.Stage) reach.Step {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.steps) - 1; i >= 0; i-- {
		if r.steps[i].Stage == stage {
			return r.steps[i]
		}
	}
	return reach.Step{}
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, s := range r.steps {
		fmt.Fprintf(&b, "%s %s %q %v\n", s.Stage, s.State, s.Text, s.Took)
	}
	return b.String()
}

// startNode starts a server that lets the site's key in.
func startNode(t testing.TB, s *site, change func(*node)) *node {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, ln: ln, home: t.TempDir()}
	n.host, _ = newSigner(t)
	n.config = &ssh.ServerConfig{
		ServerVersion: "SSH-2.0-OpenSSH_9.9 Test",
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if bytes.Equal(key.Marshal(), s.key.PublicKey().Marshal()) {
				return nil, nil
			}
			return nil, errors.New("not this key")
		},
	}
	n.config.AddHostKey(n.host)
	if change != nil {
		change(n)
	}
	n.wg.Go(n.serve)
	t.Cleanup(n.stop)
	return n
}

func (n *node) stop() {
	closeQuietly(n.ln)
	n.drop()
	n.wg.Wait()
}

// drop closes all connections.
func (n *node) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		closeQuietly(c)
	}
	n.conns = nil
}

func (n *node) commands() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.ran...)
}

// users returns the users who have logged in.
func (n *node) users() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.logs...)
}

func (n *node) serve() {
	for {
		conn, err := n.ln.Accept()
		if err != nil {
			return
		}
		n.mu.Lock()
		n.conns = append(n.conns, conn)
		n.mu.Unlock()
		n.wg.Go(func() {
			defer closeQuietly(conn)
			if n.raw != nil {
				n.raw(conn)
				return
			}
			n.speak(conn)
		})
	}
}

func (n *node) speak(conn net.Conn) {
	c, chans, reqs, err := ssh.NewServerConn(conn, n.config)
	if err != nil {
		return
	}
	defer closeQuietly(c)
	n.mu.Lock()
	n.logs = append(n.logs, c.User())
	n.mu.Unlock()
	n.wg.Go(func() { ssh.DiscardRequests(reqs) })
	if n.after != nil {
		n.after(c, conn)
	}
	for nc := range chans {
		if nc.ChannelType() == "direct-tcpip" {
			n.wg.Go(func() { n.forward(nc) })
			continue
		}
		ch, requests, err := nc.Accept()
		if err != nil {
			return
		}
		n.wg.Go(func() { n.channel(ch, requests) })
	}
}

func (n *node) channel(ch ssh.Channel, requests <-chan *ssh.Request) {
	for r := range requests {
		if r.Type != "exec" {
			_ = r.Reply(false, nil)
			continue
		}
		var exec struct{ Command string }
		_ = ssh.Unmarshal(r.Payload, &exec)
		_ = r.Reply(true, nil)
		n.mu.Lock()
		n.ran = append(n.ran, exec.Command)
		n.mu.Unlock()
		n.wg.Go(func() {
			defer closeQuietly(ch)
			if n.session != nil {
				n.session(ch, exec.Command)
				return
			}
			n.sh(ch, exec.Command)
		})
	}
}

// sh runs a command as sshd does: through a login shell, and with the exit status or signal as the result.
func (n *node) sh(ch ssh.Channel, command string) {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Env = append([]string{"HOME=" + n.home, "PATH=" + os.Getenv("PATH")}, n.env...)
	cmd.Dir = n.home
	cmd.Stderr = ch.Stderr()
	cmd.Stdout = ch
	in, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(ch.Stderr(), err)
		return
	}
	n.wg.Go(func() {
		_, _ = io.Copy(in, ch)
		closeQuietly(in)
	})
	sendExit(ch, cmd.Wait())
}

func sendExit(ch ssh.Channel, err error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			name := map[syscall.Signal]string{syscall.SIGKILL: "KILL", syscall.SIGTERM: "TERM"}[status.Signal()]
			_, _ = ch.SendRequest("exit-signal", false, ssh.Marshal(struct {
				Name string
				Core bool
				Text string
				Lang string
			}{Name: name}))
			return
		}
		sendStatus(ch, exit.ExitCode())
		return
	}
	sendStatus(ch, 0)
}

func sendStatus(ch ssh.Channel, status int) {
	_, _ = ch.SendRequest("exit-status", false, ssh.Marshal(struct{ N uint32 }{uint32(status)}))
}

func scriptPayload(text string) install.Payload {
	sum := sha256.Sum256([]byte(text))
	return install.Payload{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:]),
		Gzip: func() ([]byte, error) { return fakeprobe.Gzip(text) },
	}
}

// noLeaks fails the test if goroutines of this module's connections or of the SSH library outlive it. It must be called
// first; newSite calls it.
func noLeaks(t testing.TB) {
	t.Helper()
	leaks.Check(t, "internal/remote", "/x/crypto")
}

// swallow reads until nothing more comes.
func swallow(r io.Reader) { _, _ = io.Copy(io.Discard, r) }

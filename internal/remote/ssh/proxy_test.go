package ssh

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// children returns the child processes of this one.
func children(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("ps", "-o", "pid=,stat=,args=", "--ppid", strconv.Itoa(os.Getpid())).CombinedOutput()
	var left []string
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "ps -o") {
			left = append(left, strings.TrimSpace(line))
		}
	}
	if err != nil && len(out) > 0 {
		t.Fatalf("ps: %v: %s", err, out)
	}
	return left
}

// noChildren fails the test if child processes outlive it.
func noChildren(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		for until := time.Now().Add(3 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			left := children(t)
			if len(left) == 0 {
				return
			}
			if time.Now().After(until) {
				t.Fatalf("processes are left:\n%s", strings.Join(left, "\n"))
			}
		}
	})
}

// relayScript is a ProxyCommand: it connects to a host with bash.
const relayScript = `#!/bin/bash
echo "$@" >>"$0.log"
exec 3<>"/dev/tcp/$1/$2" || exit 9
cat <&3 &
cat >&3
kill $!
`

// command configures a host with a ProxyCommand.
func (s *site) command(name, script, args string) (path string) {
	s.t.Helper()
	s.t.Setenv("SHELL", "/bin/sh")
	path = filepath.Join(s.home, "relay") // a name that a shell leaves as it is
	writeFile(s.t, path, script)
	if err := os.Chmod(path, 0o700); err != nil {
		s.t.Fatal(err)
	}
	s.append(filepath.Join(s.home, ".ssh", "config"), fmt.Sprintf("Host %s\n  ProxyCommand %s %s\n", name, path, args))
	s.reread()
	return path
}

func TestProxyCommand(t *testing.T) {
	noChildren(t)
	s := newSite(t)
	n := startNode(t, s, nil)
	s.configure("n", n)
	path := s.command("n", relayScript, "%h %p %r %n 100%%")
	session := s.mustOpen("n")
	if _, err := session.Next(); err != nil {
		t.Fatal(err)
	}
	log, _ := os.ReadFile(path + ".log")
	host, port, _ := net.SplitHostPort(n.ln.Addr().String())
	if want := fmt.Sprintf("%s %s %s n 100%%\n", host, port, s.d.user); string(log) != want {
		t.Errorf("called with %q, want %q", log, want)
	}
	if len(children(t)) == 0 {
		t.Error("there is no child")
	}
	_ = session.Close()
}

func TestProxyCommandFails(t *testing.T) {
	for want, tc := range map[string]struct {
		script string
		class  reach.Class
	}{
		"ProxyCommand failed (status 9): no way to the host": {"#!/bin/sh\necho hm >&2\necho no way to the host " +
			">&2\nexit 9\n", reach.ClassClosed},
		"ProxyCommand failed (status 126)": {"#!/bin/sh\nexit 126\n", reach.ClassLocal},
		"sshd not responding after 0s":     {"#!/bin/sh\necho waiting >&2\nexec sleep 100\n", reach.ClassFrozen},
	} {
		t.Run(want, func(t *testing.T) {
			noChildren(t)
			s := newSite(t)
			s.d.limits.ssh = 200 * time.Millisecond
			s.command("n", tc.script, "")
			f := s.mustFail("n", tc.class)
			if f.Summary() != want || tc.class == reach.ClassFrozen && f.Words != "waiting" {
				t.Errorf("got %s", describe(f))
			}
		})
	}
}

// A ProxyCommand that ends takes the session along, and leaves nothing.
func TestProxyCommandDies(t *testing.T) {
	noChildren(t)
	s := newSite(t)
	s.configure("n", startNode(t, s, nil))
	s.command("n", relayScript, "%h %p")
	session := s.mustOpen("n")
	_, _ = session.Next()
	for _, child := range children(t) {
		pid, _, _ := strings.Cut(child, " ")
		_ = exec.Command("kill", "-9", "--", "-"+pid).Run()
	}
	_, err := session.Next()
	if f := wantClass(t, err, reach.ClassClosed); f.Short != "connection closed" {
		t.Errorf("got %s", describe(f))
	}
}

func TestProxyNone(t *testing.T) {
	s := newSite(t)
	s.append(filepath.Join(s.home, ".ssh", "config"), "Host n\n  ProxyCommand none\n  ProxyJump none\n")
	s.configure("n", startNode(t, s, nil))
	s.append(filepath.Join(s.home, ".ssh", "config"), "Host *\n  ProxyCommand false\n")
	s.reread()
	s.mustOpen("n")
}

// startNode6 starts a node on the IPv6 loopback.
func startNode6(t *testing.T, s *site) *node {
	t.Helper()
	return startNode(t, s, func(n *node) {
		closeQuietly(n.ln)
		ln, err := net.Listen("tcp", "[::1]:0")
		if err != nil {
			t.Skip("needs IPv6 on loopback: ", err)
		}
		n.ln = ln
	})
}

func TestIPv6(t *testing.T) {
	s := newSite(t)
	n := startNode6(t, s)
	s.configure("literal", n) // HostName ::1
	s.mustOpen("literal")

	jump := startNode6(t, s)
	_, port, _ := net.SplitHostPort(jump.ln.Addr().String())
	s.append(s.known, knownhosts.Line([]string{"[::1]:" + port}, jump.host.PublicKey())+"\n")
	s.append(filepath.Join(s.home, ".ssh", "config"), n.hostBlock("behind")+"  ProxyJump [::1]:"+port+"\n")
	s.reread()
	s.mustOpen("behind")
}

func TestParseHop(t *testing.T) {
	for in, want := range map[string]hop{
		"login1":                   {host: "login1"},
		"alice@login1":             {user: "alice", host: "login1"},
		"alice@login1:2222":        {"alice", "login1", "2222"},
		"ssh://alice@login1:2222/": {"alice", "login1", "2222"},
		"[::1]:2222":               {"", "::1", "2222"},
		"a@b@[fe80::1%eth0]":       {"a@b", "fe80::1%eth0", ""},
		"2001:db8::7":              {host: "2001:db8::7"},
	} {
		if got, err := parseHop(in); err != nil || got != want {
			t.Errorf("%q: %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "@", "a@", "-oProxyCommand=x", "a:0", "a:x", "a b", "-l@b", "a,b"} {
		if got, err := parseHop(in); err == nil {
			t.Errorf("%q: %+v, want an error", in, got)
		}
	}
}

package cluster

import (
	"strings"
	"testing"
)

// TestTransports reaches all nodes through each door that a user may choose, and leaves nothing behind but the user's own master.
func TestTransports(t *testing.T) {
	job(t, nodes)
	const (
		each  = "for n in node01 node02 node03; do "
		at    = "ssh -o ControlPath=/tmp/cm-%h "
		start = each + at + "-o ControlMaster=yes -fN $n </dev/null >/dev/null 2>&1; done; printf 'Host node*\n ControlPath /tmp/cm-%%h\n' >~/.ssh/config"
		stop  = each + at + "-O exit $n; done; rm ~/.ssh/config"
	)
	asAlice := func(command string) string { return do(t, "on", "-u", "alice", "login", "bash", "-c", command) }
	reaches := func(transport string, args ...string) {
		t.Helper()
		r := runs(t, append(args, "--json")...)
		for _, n := range r.json(t).Nodes {
			if n.State != "reporting" || n.Transport != transport {
				t.Errorf("%q: %s is %s through %s, %s", args, n.Name, n.State, n.Transport, n.Failure.Summary)
			}
		}
		t.Logf("%s: %.1f s", transport, r.took.Seconds())
	}
	reaches("ssh")
	reaches("openssh", "--transport", "openssh")
	if r := runs(t, "--transport", "control", "--json"); r.code != 1 || !strings.Contains(r.stdout, "no ControlPath in the ssh configuration") {
		t.Errorf("control without a master: exit code %d, %s", r.code, r.stdout)
	}
	t.Cleanup(func() { asAlice(stop) })
	asAlice(start)
	reaches("control", "--transport", "control")
	asAlice(at + "-O check node01")
	if n := probes(t); n > 0 {
		t.Errorf("%d probes are left", n)
	}
}

// TestARefusedLoginIsNotTheEnd: with sshd refusing alice's keys, a master of hers that is still alive takes us in.
func TestARefusedLoginIsNotTheEnd(t *testing.T) {
	job(t, 1)
	asAlice := func(command string) string { return do(t, "on", "-u", "alice", "login", "bash", "-c", command) }
	const at = "ssh -o ControlPath=/tmp/cm-%h "
	t.Cleanup(func() { asAlice(at + "-O exit node01; rm ~/.ssh/config") })
	asAlice(at + "-o ControlMaster=yes -fN node01 </dev/null >/dev/null 2>&1")
	fault(t, "deny", "node01", "alice")
	r := runs(t, "--json").json(t)
	if f := r.Nodes[0].Failure; f.Class != "auth" || len(f.Transports) < 3 {
		t.Errorf("%+v", f)
	}
	if len(runs(t, "--json", "--transport", "ssh").json(t).Nodes[0].Failure.Transports) > 0 {
		t.Error("only one transport was wanted")
	}
	asAlice("printf 'Host node*\n ControlPath /tmp/cm-%%h\n' >~/.ssh/config")
	if n := runs(t, "--json").json(t).Nodes[0]; n.State != "reporting" || n.Transport != "control" {
		t.Errorf("%s is %s through %q", n.Name, n.State, n.Transport)
	}
}

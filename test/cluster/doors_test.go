package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestTransports reaches all nodes through each door that a user may choose, and leaves nothing behind except the
// user's own master.
func TestTransports(t *testing.T) {
	job(t, nodes)
	all := ""
	for i := range nodes {
		all += fmt.Sprintf(" node%02d", i+1)
	}
	const at = "ssh -o ControlPath=/tmp/cm-%h "
	each := "for n in" + all + "; do "
	start := each + at + "-o ControlMaster=yes -fN $n </dev/null >/dev/null 2>&1; done; printf 'Host node*\n " +
		"ControlPath /tmp/cm-%%h\n' >~/.ssh/config"
	stop := each + at + "-O exit $n; done; rm ~/.ssh/config"
	alice := func(command string) string { return do(t, "on", "-u", "alice", "login", "bash", "-c", command) }
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
	if r := runs(t, "--transport", "control", "--json"); r.code != 1 ||
		!strings.Contains(r.stdout, "no ControlPath in the ssh configuration") {
		t.Errorf("control without a master: exit code %d, %s", r.code, r.stdout)
	}
	t.Cleanup(func() { alice(stop) })
	alice(start)
	reaches("control", "--transport", "control")
	alice(at + "-O check node01")
	gone(t, 5*time.Second)
}

// TestAChangedHostKeyIsForSSHOnly: SLURM reaches the node even so, and the user gets a message.
func TestAChangedHostKeyIsForSSHOnly(t *testing.T) {
	job(t, 1)
	fault(t, "hostkey", "node01")
	if n := runs(t, "--json", "--timeout", "40s").json(t).Nodes[0]; n.State != "reporting" || n.Transport != "srun" {
		t.Errorf("%s is %s through %q", n.Name, n.State, n.Transport)
	}
	if r := runs(t, "doctor", "node01"); r.code != 1 ||
		!all(r.stdout, []string{"host key changed", "nvnodetop uses srun"}) {
		t.Errorf("doctor: exit code %d, %s", r.code, r.stdout)
	}
	w := watch(t)
	w.sees("4 GPUs OK")
	w.types("d")
	w.sees("transport srun", "ssh: host key changed")
	w.quits()
	if f := runs(t, "--json", "--nodes", "node01").json(t).Nodes[0].Failure; f.Class != "host_key_changed" {
		t.Errorf("without a job: %+v", f)
	}
}

// TestARefusedLoginIsNotTheEnd: if sshd refuses alice's keys, SLURM takes us in, and before it a master of hers that is
// still alive. Without either, the screen shows the answer of each transport.
func TestARefusedLoginIsNotTheEnd(t *testing.T) {
	job(t, 1)
	masterOf(t, "node01")
	fault(t, "deny", "node01", "alice")
	if n := runs(t, "--json").json(t).Nodes[0]; n.State != "reporting" || n.Transport != "control" {
		t.Errorf("%s is %s through %q", n.Name, n.State, n.Transport)
	}
	do(t, "on", "-u", "alice", "login", "ssh", "-O", "exit", "node01")
	if n := runs(t, "--json").json(t).Nodes[0]; n.State != "reporting" || n.Transport != "srun" {
		t.Errorf("%s is %s through %q", n.Name, n.State, n.Transport)
	}
	if f := runs(t, "--json", "--nodes", "node01").json(t).Nodes[0].Failure; f.Class != "auth" ||
		len(f.Transports) != 4 {
		t.Errorf("%+v", f)
	}
	if len(runs(t, "--json", "--transport", "ssh").json(t).Nodes[0].Failure.Transports) > 0 {
		t.Error("only one transport was wanted")
	}
}

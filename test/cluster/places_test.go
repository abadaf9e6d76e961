package cluster

import (
	"path/filepath"
	"strings"
	"testing"
)

// Bob's directories in the places of the probe keep away nobody whose home cannot be written: nvidia-smi stands in, and
// the document says why. Where there is none, the failure names the directories.
func TestPlacesOfAnotherUser(t *testing.T) {
	fake, err := filepath.Abs("../../internal/remote/smi/testdata/nvidia-smi")
	if err != nil {
		t.Fatal(err)
	}
	fake = do(t, "put", fake) // nodes have a /tmp of their own
	const why = "not private to you: /dev/shm/nvnodetop-"
	fault(t, "squat", "node02")
	r := runs(t, "--json", "--nodes", "node02", "--transport", "ssh")
	if n := r.json(t).Nodes[0]; r.code != 1 || !strings.Contains(n.Failure.Summary, why) ||
		!strings.Contains(r.stdout, "no nvidia-smi in") {
		t.Errorf("without nvidia-smi: exit code %d, %s", r.code, r.stdout)
	}
	const smi = "/usr/local/bin/nvidia-smi"
	t.Cleanup(func() { do(t, "on", "node02", "rm", "-f", smi, smi+"-fake") })
	do(t, "on", "node02", "install", "-m", "755", fake, smi+"-fake")
	do(t, "on", "node02", "sh", "-c", `printf '#!/bin/sh\nFAKE=/var/tmp exec `+smi+`-fake "$@"\n' >`+smi+"; chmod 755 "+
		smi)
	r = runs(t, "--json", "--nodes", "node02", "--transport", "ssh")
	if n := r.json(t).Nodes[0]; n.State != "reporting" || len(n.GPUs) != 2 ||
		!strings.Contains(r.stdout, `"stand_in": "nowhere to put the probe (`+why) {
		t.Errorf("with nvidia-smi: %s", r.stdout)
	}
}

// A KnownHostsCommand is OpenSSH's: what it revokes is refused, though known_hosts has the key, and where it revokes
// nothing OpenSSH logs in.
func TestKnownHostsCommand(t *testing.T) {
	alice := func(command string) { do(t, "on", "-u", "alice", "login", "bash", "-c", command) }
	t.Cleanup(func() { alice("rm -f ~/.ssh/config /tmp/revoked") })
	alice(`printf 'Host node*\n KnownHostsCommand /bin/cat /tmp/revoked\n' >~/.ssh/config; : >/tmp/revoked`)
	if n := runs(t, "--json", "--nodes", "node01", "--timeout", "60s").json(t).Nodes[0]; n.State != "reporting" ||
		n.Transport != "openssh" {
		t.Errorf("it revokes nothing: %s through %q, %s", n.State, n.Transport, n.Failure.Summary)
	}
	alice(`for key in $(awk '/^[^#]/ { print $2 ":" $3 }' /etc/ssh/ssh_known_hosts); do echo "@revoked * ${key/:/ }"; done >/tmp/revoked`)
	r := runs(t, "--json", "--nodes", "node01")
	if n := r.json(t).Nodes[0]; r.code != 1 || n.State == "reporting" || n.Failure.Class == "" {
		t.Errorf("it revokes the key: %s", r.stdout)
	}
}

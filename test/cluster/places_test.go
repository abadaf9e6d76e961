package cluster

import (
	"path/filepath"
	"strings"
	"testing"
)

// Bob's directories in the places of the probe lock out nobody whose home cannot be written. Nothing of the probe is
// left when it has ended.
func TestPlacesOfAnotherUser(t *testing.T) {
	t.Cleanup(func() {
		do(t, "on", "node02", "sh", "-c", "umount /home/alice/.cache; rmdir /tmp/nvnodetop-* /dev/shm/nvnodetop-*")
	})
	do(t, "on", "-u", "alice", "login", "mkdir", "-p", "/home/alice/.cache")
	do(t, "on", "node02", "sh", "-ec", `mount --bind /home/alice/.cache /home/alice/.cache
		mount -o remount,bind,ro /home/alice/.cache
		install -d -o bob /tmp/nvnodetop-$(id -u alice) /dev/shm/nvnodetop-$(id -u alice)`)
	files := func() string { return do(t, "on", "node02", "find", "/tmp", "/dev/shm", "-user", "alice") }
	before := files() // Python jobs of other tests may have left some
	r := runs(t, "--json", "--nodes", "node02", "--transport", "ssh")
	if n := r.json(t).Nodes[0]; n.State != "reporting" || len(n.GPUs) != 4 || strings.Contains(r.stdout, "stand_in") {
		t.Errorf("exit code %d, %s", r.code, r.stdout)
	}
	if left := files(); left != before {
		t.Errorf("there is left: %s\nbefore there was: %s", left, before)
	}
}

// If nothing can be written anywhere, nvidia-smi stands in, and the document says why. Without nvidia-smi, the failure
// says so.
func TestNoPlaceForTheProbe(t *testing.T) {
	fake, err := filepath.Abs("../../internal/remote/smi/testdata/nvidia-smi")
	if err != nil {
		t.Fatal(err)
	}
	fake = do(t, "put", fake) // nodes have a /tmp of their own
	const why = "no space for the probe"
	fault(t, "nospace", "node02")
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
		!strings.Contains(r.stdout, `"stand_in": "`+why) {
		t.Errorf("with nvidia-smi: %s", r.stdout)
	}
}

// A key that a KnownHostsCommand or a binary list of revoked keys revokes is refused, although known_hosts has it. If
// they revoke nothing, OpenSSH logs in: only it knows them.
func TestRevokedByOpenSSHAlone(t *testing.T) {
	alice := func(command string) { do(t, "on", "-u", "alice", "login", "bash", "-c", command) }
	t.Cleanup(func() { alice("rm -f ~/.ssh/config /tmp/revoked /tmp/revoked.keys") })
	keys := `awk '/^[^#]/ { print $2 " " $3 }' /etc/ssh/ssh_known_hosts | sort -u`
	for option, makes := range map[string][2]string{ // an empty list, and a list of all keys
		"KnownHostsCommand /bin/cat": {": >/tmp/revoked", keys + " | sed 's/^/@revoked * /' >/tmp/revoked"},
		"RevokedHostKeys": {"ssh-keygen -q -k -f /tmp/revoked", keys + " >/tmp/revoked.keys; " +
			"ssh-keygen -q -k -f /tmp/revoked /tmp/revoked.keys"},
	} {
		alice("printf 'Host node*\n " + option + " /tmp/revoked\n' >~/.ssh/config; " + makes[0])
		if n := runs(t, "--json", "--nodes", "node01", "--timeout", "60s").json(t).Nodes[0]; n.State != "reporting" ||
			n.Transport != "openssh" {
			t.Errorf("%s: it revokes nothing: %s through %q, %s", option, n.State, n.Transport, n.Failure.Summary)
		}
		alice(makes[1])
		r := runs(t, "--json", "--nodes", "node01")
		if n := r.json(t).Nodes[0]; r.code != 1 || n.State == "reporting" || n.Failure.Class == "" {
			t.Errorf("%s: it revokes the key: %s", option, r.stdout)
		}
	}
}

package ssh

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote"
)

// advice is what a class means and what a person can do. NODE stands for the node's name.
type advice struct {
	meaning string
	hints   []string
}

// advices are for the classes of this way, and what can be done by ssh about others. Those without a meaning have the common one.
var advices = map[reach.Class]advice{
	reach.ClassUnknownHost: {"No address is known for this name.",
		[]string{"Check the name: getent hosts NODE", "If SLURM knows the node by another name, give it a HostName in ~/.ssh/config."}},
	reach.ClassRefused: {"The host is up, but no sshd listens there: it may be booting, or sshd has stopped.",
		[]string{"Look at the node's state in SLURM: scontrol show node NODE"}},
	reach.ClassNoRoute: {"The network knows no way to the host: it is off, or its link is down.",
		[]string{"Look at the node's state in SLURM: scontrol show node NODE"}},
	reach.ClassTimeout: {"The host does not answer: it is off or overloaded, its link is down, or a firewall drops what is sent.",
		[]string{"Look at the node's state in SLURM: scontrol show node NODE"}},
	reach.ClassFrozen: {"The host accepts the connection but its sshd says nothing: the system hangs, is out of memory, or sshd is stopped.",
		[]string{"Look at the node's state in SLURM: scontrol show node NODE", "If it stays, tell the admins: sshd on NODE accepts but does not answer."}},
	reach.ClassHostKeyUnknown: {"No known_hosts file has this host, so nobody can tell whether it is the right one.",
		[]string{"Log in once, compare the key and accept it: ssh NODE", "Ask the admins for /etc/ssh/ssh_known_hosts with the keys of all nodes."}},
	reach.ClassAdopt: {"The node knows no running step of yours. Either the job's step there has ended (look for a crashed rank), or the site lets nobody in by ssh.",
		[]string{"See for yourself: ssh -v NODE true"}},
	reach.ClassDenied: {"The key is right, but the node lets this account do nothing there: a rule of the site (PAM, access.conf, nologin), or a broken account.",
		[]string{"See for yourself: ssh -v NODE true"}},
	reach.ClassProbeKilled: {hints: []string{"If the job still runs there, look for out-of-memory kills: ssh NODE dmesg"}},
	reach.ClassGarbage:     {hints: []string{"See what a command prints there: ssh NODE true"}},
	reach.ClassTooMuch:     {hints: []string{"See what a command prints there: ssh NODE true"}},
	reach.ClassSilent:      {hints: []string{"Look at the node's state in SLURM: scontrol show node NODE"}},
	reach.ClassLocal:       {hints: []string{"See whether OpenSSH gets there: ssh NODE true"}},
	reach.ClassOther:       {hints: []string{"See for yourself: ssh -v NODE true"}},
	reach.ClassClosed: {"The node closed the connection: it shuts down, the job there ended, or sshd has too many logins at once.",
		[]string{"Look at the node's state in SLURM: scontrol show node NODE"}},
}

// stageMeanings take the place of a class's meaning where the stage makes it clearer.
var stageMeanings = map[reach.Class]map[reach.Stage]string{
	reach.ClassTimeout: {
		StageLogin:        "sshd answers but does not finish the login: the user directory (LDAP), PAM or the home's file system hangs.",
		remote.StageProbe: "The login works but no command comes to run: a login script or the home's file system hangs.",
	},
	reach.ClassClosed: {
		StageSSH: "sshd takes no connection now: it has too many at once (MaxStartups), has penalised this host, or a rule refuses it.",
	},
}

// advise fills in Meaning and Hints.
func (at *circumstances) advise(c *remote.Case, err error) {
	f := &c.Failure
	a := advices[f.Class]
	f.Meaning = cmp.Or(stageMeanings[f.Class][c.Stage], a.meaning)
	f.Hints = append(f.Hints, a.hints...)
	if key, ok := errors.AsType[*hostKeyError](err); ok && f.Class == reach.ClassHostKeyChanged {
		adviseHostKey(f, key)
	}
	if login, ok := errors.AsType[*loginError](err); ok && f.Class == reach.ClassAuth {
		at.adviseAuth(f, login)
	}
	switch f.Class {
	case reach.ClassAuth, reach.ClassHostKeyUnknown, reach.ClassUnknownHost, reach.ClassLocal:
		for _, i := range at.ignored[:min(len(at.ignored), 3)] {
			f.Hints = append(f.Hints, "Not taken into account: "+i+".")
		}
	}
}

func adviseHostKey(f *reach.Failure, e *hostKeyError) {
	where := fmt.Sprintf("%s:%d", e.file, e.line)
	if e.revoked {
		f.Meaning = "The key that the host offers is marked as revoked: whoever holds it is not to be trusted."
		f.Hints = []string{"Ask the admins about " + where + " before you do anything else."}
		return
	}
	f.Meaning = "The host shows another key than the one known. It was installed anew, or somebody else answers in its place."
	if e.known != e.offered {
		f.Meaning = fmt.Sprintf("The host shows a key of type %s, known is one of type %s. It was installed anew, or somebody else answers in its place.", e.offered, e.known)
	}
	f.Hints = []string{"Ask the admins whether the key of NODE was changed; the known one is " + where + "."}
	if strings.HasPrefix(e.file, "/etc/") {
		f.Hints = append(f.Hints, "If it was, that file is theirs to renew.")
		return
	}
	f.Hints = append(f.Hints, fmt.Sprintf("If it was, remove the old one and log in once: ssh-keygen -f %q -R %q; ssh NODE", e.file, e.address))
}

func (at *circumstances) adviseAuth(f *reach.Failure, e *loginError) {
	f.Meaning = fmt.Sprintf("The node takes none of the keys that could be offered for the user %q.", at.user)
	switch {
	case e.proven != "":
		f.Meaning = "The node accepted the key and wants something more, which nvnodetop cannot give it without asking a person."
	case len(e.methods) > 0 && !strings.Contains(strings.Join(e.methods, ","), "publickey"):
		f.Meaning = "The node takes no keys: " + strings.Join(e.methods, ", ") + " only, which nvnodetop does not speak."
	case e.tried == 0 && len(e.skipped) > 0:
		f.Meaning = "No key could be offered: " + e.skipped[0] + "."
		e.skipped = e.skipped[1:]
		if strings.Contains(f.Meaning, "has a passphrase") {
			f.Hints = append([]string{"Load it into an agent, then start nvnodetop in that shell: eval $(ssh-agent); ssh-add"}, f.Hints...)
		}
	case e.tried == 0:
		f.Meaning = "There is no key to offer: no agent holds one, and there is no key file."
		f.Hints = append(f.Hints, "Make a key for use inside the cluster: ssh-keygen -t ed25519 and add its .pub to ~/.ssh/authorized_keys")
	case strings.Contains(e.Error(), "ssh: disconnect"):
		f.Hints = append(f.Hints, "If the agent holds many keys, name the right one: IdentityFile and IdentitiesOnly yes in ~/.ssh/config")
	}
	for _, s := range e.skipped[:min(len(e.skipped), 4)] {
		f.Hints = append(f.Hints, "Not offered: "+s+".")
	}
	f.Hints = append(f.Hints, "See for yourself: ssh -v NODE true")
}

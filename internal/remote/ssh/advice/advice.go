// Package advice explains failures over SSH: their meaning, their stage, and hints. It serves every
// Door that speaks SSH, whoever made the connection.
package advice

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/hostkey"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// advice explains a class of failure and lists remedies to try. NODE stands for the node's name.
type advice struct {
	meaning string
	hints   []string
}

const (
	checkState = "check its state: scontrol show node NODE"
	reproduce  = "reproduce with: ssh -v NODE true"
	keepOpen   = "keep a connection open that nvnodetop can share: set ControlPath in ~/.ssh/config, then ssh -fNM NODE"
)

// advices apply to this door. A class without a meaning here gets that of package remote.
var advices = map[reach.Class]advice{
	reach.ClassUnknownHost: {"Host name does not resolve.",
		[]string{"check the name: getent hosts NODE",
			"if its host name differs from its SLURM name, set HostName in ~/.ssh/config"}},
	reach.ClassRefused: {"The host is up but sshd is not listening: still booting, or sshd has stopped.",
		[]string{checkState}},
	reach.ClassNoRoute: {"No route to the host: it is down or its link is.", []string{checkState}},
	reach.ClassTimeout: {"The host does not respond: it is down or overloaded, its link is down, or a firewall drops " +
		"the packets.", []string{checkState}},
	reach.ClassFrozen: {"sshd accepts the connection but does not respond: the node is hung, out of memory, or sshd " +
		"is stopped.",
		[]string{checkState, "if it persists, report to your admins: sshd on NODE accepts connections but does not " +
			"respond"}},
	reach.ClassLoginHangs: {"sshd responds but the login hangs: LDAP, PAM or the home file system.",
		[]string{reproduce, "if that hangs too, report it to your admins"}},
	reach.ClassProbeLate: {"The login works but no command runs: a login script or the home file system hangs.",
		[]string{"reproduce with: ssh NODE true", "if that hangs too, report it to your admins"}},
	reach.ClassHostKeyUnknown: {"The host is in no known_hosts file, so its identity cannot be verified.",
		[]string{acceptOnce, askForAll}},
	reach.ClassAdopt: {"No running job step of yours on this node. Either the step has ended (crashed rank?), or " +
		"this site does not allow ssh to compute nodes.",
		[]string{"check whether the job still runs there: squeue --me -w NODE", reproduce}},
	reach.ClassDenied: {"The key was accepted, but this account is not allowed to run anything (site policy: PAM, " +
		"access.conf, nologin; or a broken account).",
		[]string{reproduce}},
	reach.ClassProbeKilled: {hints: []string{"if the job is still running there, look for OOM kills: ssh NODE dmesg"}},
	reach.ClassGarbage:     {hints: []string{"see what the login prints: ssh NODE true"}},
	reach.ClassTooMuch:     {hints: []string{"see what the login prints: ssh NODE true"}},
	reach.ClassSilent: {"Neither the probe nor sshd responds: the node is down or hung, or its link is down.",
		[]string{checkState}},
	reach.ClassLocal: {hints: []string{"check whether ssh works: ssh NODE true"}},
	reach.ClassOther: {hints: []string{reproduce}},
	reach.ClassClosed: {"The node closed the connection: it is shutting down, the job ended, or sshd has too many " +
		"logins.",
		[]string{checkState}},
}

// closedAtOnce explains a connection that sshd closes during the handshake.
const closedAtOnce = "sshd refuses new connections: too many at once (MaxStartups), this host is penalized, or a " +
	"rule denies it."

// Advise adds the meaning and the hints of c's class, for any door that speaks SSH.
func Advise(c *remote.Case) { (&Circumstances{}).fillAdvice(c, nil) }

// fillAdvice fills in Meaning and Hints.
func (at *Circumstances) fillAdvice(c *remote.Case, err error) {
	f := &c.Failure
	a := advices[f.Class]
	if f.Class == reach.ClassClosed && c.Stage == StageSSH {
		a.meaning = closedAtOnce
	}
	f.Meaning = cmp.Or(f.Meaning, a.meaning)
	if key, ok := errors.AsType[*hostkey.Error](err); ok {
		adviseHostKey(f, key)
	} else {
		f.Hints = append(f.Hints, a.hints...)
	}
	if login, ok := errors.AsType[*LoginError](err); ok && f.Class == reach.ClassAuth {
		at.adviseAuth(f, login)
	}
	switch f.Class {
	case reach.ClassAuth, reach.ClassHostKeyUnknown, reach.ClassUnknownHost, reach.ClassLocal:
		for _, i := range at.Ignored[:min(len(at.Ignored), 3)] {
			f.Hints = append(f.Hints, "ignored: "+i)
		}
	}
}

func (at *Circumstances) adviseAuth(f *reach.Failure, e *LoginError) {
	f.Meaning = fmt.Sprintf("The node accepts none of your keys for user %q.", at.User)
	switch {
	case e.Question != "":
		f.Meaning = "The host asks a question that nobody has answered."
		f.Hints = append(f.Hints, "restart nvnodetop in a terminal: it asks before the screen opens")
	case e.Refused:
		f.Meaning = "The host did not accept the answers that were typed."
		f.Hints = append(f.Hints, "start nvnodetop again to answer again")
	case e.Proven != "":
		f.Meaning = "The key was accepted, but the node asks for more (password, one-time code). nvnodetop can ask " +
			"you for it only before the screen starts."
		f.Hints = append(f.Hints, keepOpen)
	case len(e.Methods) > 0 && !strings.Contains(strings.Join(e.Methods, ","), "publickey"):
		f.Meaning = "The node does not accept keys, only: " + strings.Join(e.Methods, ", ") + "."
		if slices.Contains(e.Methods, "keyboard-interactive") || slices.Contains(e.Methods, "password") {
			f.Hints = append(f.Hints, keepOpen)
		}
	case e.Tried == 0 && len(e.Skipped) > 0:
		f.Meaning = "No key could be offered: " + e.Skipped[0] + "."
		if strings.Contains(e.Skipped[0], NeedsPassphrase) {
			f.Hints = append(f.Hints, "load it into an agent and start nvnodetop from that shell: eval $(ssh-agent); "+
				"ssh-add",
				"or start nvnodetop in a terminal, where it asks for the passphrase")
		}
		e.Skipped = e.Skipped[1:]
	case e.Tried == 0:
		f.Meaning = "No SSH key found: none in an agent, no key file."
		f.Hints = append(f.Hints, "create a key for use inside the cluster: ssh-keygen -t ed25519, then add its .pub "+
			"to ~/.ssh/authorized_keys")
	case strings.Contains(e.Error(), "ssh: disconnect"):
		f.Hints = append(f.Hints, "if the agent holds many keys, choose one with IdentityFile and IdentitiesOnly yes "+
			"in ~/.ssh/config")
	default:
		f.Hints = append(f.Hints, "check that your public key is in ~/.ssh/authorized_keys on NODE",
			"sshd ignores that file where others may write to it or to your home: chmod go-w ~ ~/.ssh "+
				"~/.ssh/authorized_keys")
	}
	for _, s := range e.Skipped[:min(len(e.Skipped), 4)] {
		f.Hints = append(f.Hints, "key not offered: "+s)
	}
	f.Hints = append(f.Hints, reproduce)
}

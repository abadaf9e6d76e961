// Package ssh is the Door that speaks SSH itself (golang.org/x/crypto/ssh). User, port, keys, known hosts and proxies
// are those that OpenSSH would use. Host keys are always checked, also those of jump hosts, and no configuration can
// switch this check off. A node costs one TCP connection, or one ProxyCommand, or one channel in the connection to a
// jump host, which all hosts behind the jump host share. Readers of a script's output skip the preceding output of a
// login shell.
//
// A Door may be used by any number of goroutines. Keys and known hosts are read once, and again when their files
// change. Close ends the connections to jump hosts and waits for their goroutines. No deadline covers reading this
// host's own files: while the file system with the configuration, known hosts or keys hangs, every Dial hangs, whatever
// its context.
//
// The user is asked only in Prepare, before there is a screen: for passphrases, when a host has accepted the key, and
// for answers to the questions of a jump host or a node. Answers stay in memory. A decrypted key serves every login. A
// password answers the same question of the same jump host, or of any node of the same domain; a password for a jump
// host never goes to a node. A one-time code serves once. When nobody can answer, the failure contains the question.
//
// Subpackages: keyfile reads keys, secrets keeps the user's answers, sshconn is a connection that is logged in, and
// advice explains failures.
//
// # Many nodes at once
//
//   - Work that costs this host's processor takes turns (remote.Turns) in its Door. In ssh this work is the handshake:
//     a turn begins when sshd has sent its version and ends with the login, so that a large job does not ask the
//     cluster's directory for the same user a thousand times at once. A dead or hung host never holds a turn, so it
//     delays no other host, and a login that takes longer than 1 s gives its turn away. A Door that starts a process
//     per node must limit the starts. Such processes end with nvnodetop. The kernel ends them with the thread that
//     started them, so one thread that never ends starts them all (remote.Starter).
//   - A jump host has one connection for all nodes behind it, with signs of life of its own. While it cannot be
//     reached, every node behind it has the failure of the jump host, and only the jump host is tried, less and less
//     often. The key r (Urge) tries it soon. A request to open a channel cannot be withdrawn in SSH, so the next
//     attempt to reach the same node waits for the old request: at most one is open per dead node.
//   - --login makes one host the jump host of all nodes, and runs squeue and scontrol there (slurm.Remote over
//     ssh.Door.Run). Host keys of the nodes may be known there instead of here: its known_hosts files are read, into
//     memory, once its own key has been checked. They count only for nodes whose key this host does not know: a
//     login host cannot impersonate a known node.
//
// Host keys are always checked, those of jump hosts too. StrictHostKeyChecking no in the configuration does not change
// that. Otherwise OpenSSH is the judge: with the same files and agent, nvnodetop connects where ssh does and refuses
// where it refuses, with the same reason. One table tests nvnodetop beside the real ssh
// (internal/remote/ssh/judge_test.go): a difference is first a row there.
//
// # Questions to the user
//
// ssh.Door.Prepare runs before the screen. It connects to jump hosts, and logs into one node of each kind if a key
// there is locked or missing. Only these logins have an Asker; in app the terminal is an Asker. Afterwards nobody is
// asked: decrypted keys and proven passwords are in memory, and the need for a new one-time code is a failure that says
// so. A password for a jump host is never sent to a node. A password for a node is sent only to nodes of its domain
// with the same question. Each line of a host's question begins with the name of the host; nvnodetop's own questions,
// for the passphrase of a key, have no prefix. Until a second host has accepted an answer, one login at a time tries
// it, so that a stale code is refused once and not 512 times.
package ssh

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/user"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Door reaches nodes over SSH. It implements remote.Door.
type Door struct {
	version           string // of nvnodetop, for the client's version string
	home, user, agent string // this process's; agent is a socket
	limits            stageDeadlines
	settings          *settings.Source
	keys              *sshconn.KeyCache
	known             *knownCache
	hung              *hungAgents
	secrets           *sshconn.SecretStore
	jumps             *jumps
	login             *hop // the host before all nodes; nil: as configured

	// Turns for work that costs this host much.
	lookups, handshakes, starts remote.Turns
}

var _ remote.Door = (*Door)(nil)

// stageDeadlines are the deadlines of the stages.
type stageDeadlines struct {
	name, tcp, ssh, login time.Duration
	agent                 time.Duration // for the agent to list its keys
	closing               time.Duration // to notice the connection's end
	turn                  time.Duration // how long a login may hold its turn
	start                 time.Duration // how long a turn to start a ProxyCommand takes
	alive                 time.Duration // between two signs of life of a jump host, and for its answer
	idle                  time.Duration // until an unneeded connection to a jump host is closed
	again                 time.Duration // between two attempts to reach a jump host, at least
}

// How many hosts may do expensive work at the same time: look up a name, exchange keys and log in, or start a
// ProxyCommand.
const (
	parallelLookups    = 64
	parallelHandshakes = 16
	parallelStarts     = 16
)

var defaultLimits = stageDeadlines{
	name: 5 * time.Second, tcp: 5 * time.Second, ssh: 5 * time.Second, login: 10 * time.Second, agent: 3 * time.Second,
	closing: sshconn.UsualClosing,
	turn:    time.Second, start: 300 * time.Millisecond, alive: 10 * time.Second, idle: 2 * time.Minute,
	again: 2 * time.Second,
}

// New returns a Door. It reads no file yet: Dial reads them, and reports their errors.
func New(version string) (*Door, error) {
	name, home, err := whoAmI()
	if err != nil {
		return nil, err
	}
	program, err := exec.LookPath("ssh")
	if err != nil {
		program = "" // the files are read instead; an ssh in the current directory is not the user's
	}
	d := &Door{
		version: version,
		home:    home, user: name, agent: os.Getenv("SSH_AUTH_SOCK"),
		limits:   defaultLimits,
		settings: settings.New(settings.Config{Home: home, User: name, Program: program}),
		keys:     sshconn.NewKeyCache(),
		known:    &knownCache{},
		hung:     &hungAgents{},
		secrets:  sshconn.NewSecretStore(),
		lookups:  make(remote.Turns, parallelLookups), handshakes: make(remote.Turns, parallelHandshakes),
		starts: make(remote.Turns, parallelStarts),
	}
	d.jumps = newJumps(d)
	return d, nil
}

// Close closes the connections to jump hosts. Nothing may be dialed after that.
func (d *Door) Close() { d.jumps.closeAll() }

// Retry makes failed jump hosts be tried again soon, at the user's request.
func (d *Door) Retry() { d.jumps.retrySoon() }

// whoAmI returns the login name and the home directory. Like OpenSSH it takes them from the user database, if that has
// this user.
func whoAmI() (name, home string, err error) {
	name, home = os.Getenv("USER"), os.Getenv("HOME")
	if u, err := user.Current(); err == nil {
		name, home = cmp.Or(u.Username, name), cmp.Or(u.HomeDir, home)
	}
	if name == "" || home == "" {
		return "", "", errors.New("unknown user: set $USER and $HOME")
	}
	return name, home, nil
}

// Settings returns the settings of ssh that the Door uses.
func (d *Door) Settings() *settings.Source { return d.settings }

// Stages implements remote.Door.
func (d *Door) Stages() []reach.Stage {
	return []reach.Stage{advice.StageName, advice.StageTCP, advice.StageSSH, advice.StageHostKey, advice.StageLogin}
}

// Dial implements remote.Door.
func (d *Door) Dial(ctx context.Context, node string, log *remote.Log) (remote.Shell, error) {
	t := &hostLogin{d: d, node: node, log: log}
	s, err := t.openShell(ctx)
	if err != nil {
		return nil, log.Case().Settle(err, t.Explain)
	}
	return s, nil
}

// shell is a login on a node. It implements remote.Shell.
type shell struct {
	*hostLogin
	*sshconn.Sessions
}

// Explain implements remote.Shell.
func (s *shell) Explain(c *remote.Case, err error) { s.hostLogin.Explain(c, err) }

// closeQuietly closes a connection that is no longer needed; its error does not matter.
func closeQuietly(c io.Closer) { c.Close() }

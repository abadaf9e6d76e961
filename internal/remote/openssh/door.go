// Package openssh is the Door that runs OpenSSH's client: one long-lived `ssh -T` per node. It reaches every host that
// the user's own ssh reaches without a question: with hostbased login, GSSAPI, smart cards, Match exec, any proxy. The
// ControlDoor uses a live ControlMaster of the user instead.
//
// ssh runs with the user's configuration, except that it asks nothing, forwards nothing, always checks the host key,
// never writes known_hosts, and does not become a ControlMaster; it uses a live ControlMaster. Its messages on standard
// error are classified like the failures of package ssh.
//
// A Door may be used by any number of goroutines. A login costs tens of milliseconds of CPU time, so only a few logins
// run at a time. Each ssh has a session (setsid) of its own, so the terminal's signals do not reach it. It ends with
// its pipe or its Shell. If this process is killed it gets a SIGTERM on Linux; elsewhere its standard input ends.
package openssh

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Stages of this door: ssh connects and logs in, then the login shell begins our command. With a ControlMaster the
// login is already done, and ssh does not report it: both are StageSSH.
const (
	StageSSH   reach.Stage = "ssh"
	StageShell reach.Stage = "shell"
)

// logins limits how many logins run at a time: their key exchange is expensive.
const logins = 8

// loginDeadlines are the deadlines of a login.
type loginDeadlines struct {
	connect time.Duration // to connect and to hear sshd's version
	login   time.Duration // for the whole login
	turn    time.Duration // after which the next login begins: a slower node is dead, and costs nothing
	closing time.Duration // until an ssh that was asked to end is killed
}

var defaultLimits = loginDeadlines{connect: 10 * time.Second, login: 25 * time.Second, turn: 2 * time.Second,
	closing: time.Second}

// Door reaches nodes with OpenSSH's client. It implements remote.Door.
type Door struct {
	program string
	turns   remote.Turns
	limits  loginDeadlines
	version func() version
}

var _ remote.Door = (*Door)(nil)

// New returns a Door that runs the ssh in PATH, if there is one.
func New() *Door {
	program, _ := exec.LookPath("ssh") // Missing reports the error
	d := &Door{program: program, turns: make(remote.Turns, logins), limits: defaultLimits}
	d.version = sync.OnceValue(func() version { return versionOf(d.program) })
	return d
}

// Missing returns the reason why this door reaches no node; empty if there is an ssh.
func (d *Door) Missing() string {
	if d.program == "" {
		return "no ssh in PATH on this host"
	}
	return ""
}

// Stages implements remote.Door.
func (d *Door) Stages() []reach.Stage { return []reach.Stage{StageSSH, StageShell} }

// Dial implements remote.Door.
func (d *Door) Dial(ctx context.Context, node string, log *remote.Log) (remote.Shell, error) {
	log.Begin(StageSSH, "waiting for other logins")
	by := "logged in by " + d.version().name
	c, err := d.startLogin(ctx, node, func() { log.Begin(StageSSH, "connecting") }, func() {
		log.Done(by)
		log.Begin(StageShell, "")
	})
	if err != nil {
		return nil, log.Case().Settle(err, explainError)
	}
	log.Hear(c.words.loginMessages())
	if c.words.wasAdmitted() {
		by = "it runs our command"
	}
	log.Done(by)
	return &shell{d: d, node: node, children: []*sshProcess{c}, spare: c}, nil
}

// startLogin starts an ssh and returns it when the node runs our command. It calls begin when its turn has come, and
// admitted when the login is done, unless ssh does not report that.
func (d *Door) startLogin(ctx context.Context, node string, begin, admitted func()) (*sshProcess, error) {
	if why := d.Missing(); why != "" {
		return nil, &remote.LocalError{What: "cannot start ssh", Err: fmt.Errorf("%s", why)}
	}
	end, err := d.turns.Take(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	defer time.AfterFunc(d.limits.turn, end).Stop()
	begin()
	c, err := d.startSSH(node, admitted)
	if err != nil {
		return nil, &remote.LocalError{What: "cannot start ssh", Err: err}
	}
	if err := c.awaitLogin(ctx, d.limits.login); err != nil {
		return nil, err
	}
	return c, nil
}

// sshArguments returns the arguments of ssh. The first value of an option counts, so the user's configuration cannot
// change any of these.
func (d *Door) sshArguments(node string) []string {
	args := []string{"-T", "-a", "-x"}
	options := []string{
		"BatchMode=yes", "StrictHostKeyChecking=yes", "UpdateHostKeys=no", "ControlMaster=no",
		"ClearAllForwardings=yes", "Tunnel=no",
		"PermitLocalCommand=no", "RequestTTY=no", "VisualHostKey=no", "LogLevel=VERBOSE",
		"ConnectTimeout=" + strconv.Itoa(max(1, int(d.limits.connect/time.Second))), "ServerAliveInterval=10",
		"ServerAliveCountMax=2",
	}
	if d.version().atLeast(7, 6) {
		options = append(options, "RemoteCommand=none") // an older ssh refuses options that it does not know
	}
	if d.version().atLeast(8, 7) {
		options = append(options, "ForkAfterAuthentication=no", "StdinNull=no", "SessionType=default")
	}
	for _, o := range options {
		args = append(args, "-o", o)
	}
	return append(args, "--", node, listen)
}

// version is the version of an ssh.
type version struct {
	name         string // "OpenSSH_9.2p1"
	major, minor int
}

func (v version) atLeast(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}

var versionName = regexp.MustCompile(`OpenSSH_(\d+)\.(\d+)[A-Za-z0-9.]*`)

// versionTime limits how long ssh may take to print its version.
const versionTime = 3 * time.Second

// versionOf asks an ssh for its version. An unknown version counts as new.
func versionOf(program string) version {
	ctx, cancel := context.WithTimeout(context.Background(), versionTime)
	defer cancel()
	out, _ := exec.CommandContext(ctx, program, "-V").CombinedOutput() // unknown: all options are used
	m := versionName.FindStringSubmatch(string(out))
	if m == nil {
		return version{name: "ssh", major: 99}
	}
	v := version{name: m[0]}
	v.major, _ = strconv.Atoi(m[1])
	v.minor, _ = strconv.Atoi(m[2])
	return v
}

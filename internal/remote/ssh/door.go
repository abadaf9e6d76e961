// Package ssh is the Door that speaks SSH itself (golang.org/x/crypto/ssh): user, port, keys and known hosts come from where OpenSSH finds
// them, host keys are always checked, and nothing in a configuration can switch that off. A node costs one TCP connection; whatever a
// login shell prints before a script's output is passed over by who reads it.
//
// A Door may be used by any number of goroutines: keys and known hosts are read once, and again when their files change. What no deadline
// covers is reading this host's own files: while the file system with the configuration, known hosts or keys hangs, every Dial waits for
// it, and its context ends none.
package ssh

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote"
)

// The stages of this door.
const (
	StageName    reach.Stage = "name"     // resolve the host name
	StageTCP     reach.Stage = "TCP"      // connect
	StageSSH     reach.Stage = "ssh"      // protocol version and key exchange
	StageHostKey reach.Stage = "host key" // is it the host that we know
	StageLogin   reach.Stage = "login"    // authenticate
)

// Door reaches nodes by SSH. It implements remote.Door.
type Door struct {
	version           string // of nvnodetop, for the client's version string
	home, user, agent string // of this process: agent is a socket
	limits            limits
	config            *configCache
	keys              *keyCache
	known             *knownCache
}

var _ remote.Door = (*Door)(nil)

// limits are the deadlines of the stages.
type limits struct {
	name, tcp, ssh, login time.Duration
	agent                 time.Duration // until the agent has listed its keys
	closing               time.Duration // for the connection's end to be noticed
}

var defaultLimits = limits{
	name: 5 * time.Second, tcp: 5 * time.Second, ssh: 5 * time.Second, login: 10 * time.Second, agent: 3 * time.Second, closing: 300 * time.Millisecond,
}

// New makes a Door. It reads no file yet: what is wrong with one is said by Dial.
func New(version string) (*Door, error) {
	name, home, err := whoAmI()
	if err != nil {
		return nil, err
	}
	return &Door{
		version: version,
		home:    home, user: name, agent: os.Getenv("SSH_AUTH_SOCK"),
		limits: defaultLimits,
		config: &configCache{files: []string{filepath.Join(home, ".ssh", "config"), "/etc/ssh/ssh_config"}, home: home},
		keys:   &keyCache{files: map[string]*keyFile{}},
		known:  &knownCache{sets: map[string]*knownSet{}},
	}, nil
}

// whoAmI finds the login name and the home directory. The user database is asked for a home, as OpenSSH asks it, where $HOME has none.
func whoAmI() (name, home string, err error) {
	name, home = os.Getenv("USER"), os.Getenv("HOME")
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		home = ""
	}
	if u, err := user.Current(); err == nil {
		name, home = cmp.Or(u.Username, name), cmp.Or(home, u.HomeDir)
	}
	if name == "" || home == "" {
		return "", "", errors.New("unknown user: set $USER and $HOME")
	}
	return name, home, nil
}

// Stages implements remote.Door.
func (d *Door) Stages() []reach.Stage {
	return []reach.Stage{StageName, StageTCP, StageSSH, StageHostKey, StageLogin}
}

// Dial implements remote.Door.
func (d *Door) Dial(ctx context.Context, node string, log *remote.Log) (remote.Shell, error) {
	t := &trip{d: d, node: node, log: log}
	s, err := t.run(ctx)
	if err != nil {
		return nil, log.Case().Settle(err, t.Explain)
	}
	return s, nil
}

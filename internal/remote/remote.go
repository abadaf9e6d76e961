// Package remote reaches a host, puts the probe there and holds a session with it; every failure leaves it classified.
//
// It speaks SSH itself (golang.org/x/crypto/ssh): user, port, keys and known hosts come from where OpenSSH finds them, host keys are
// always checked, and nothing in a configuration can switch that off. A node costs one TCP connection with one session, in which
// the probe is found or copied, verified and started; whatever a login shell prints before it is passed over.
//
// A Dialer may be used by any number of goroutines: nodes that share a home directory share one copy of the probe, and keys and
// known hosts are read once and again when their files change. Guarantees: Open ends soon after its context, and every stage has a
// deadline; a Session whose node stays silent ends by itself; Close returns within a second and leaves no goroutine and no probe behind.
// What no deadline covers is reading this host's own files: while the file system with the configuration, known hosts or keys hangs,
// every Open waits for it, and its context ends none.
// The probe ends when its standard input does, so it also ends when this process is killed.
//
// The package knows nothing of jobs or SLURM. Words that come from a node are handed on raw, capped in length.
package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// Config says how to reach hosts. The zero value is what OpenSSH would do with its default files.
type Config struct {
	User        string                  // login name everywhere; empty: what ssh_config says, else the local one
	ConfigFiles []string                // nil: ~/.ssh/config and /etc/ssh/ssh_config
	KnownHosts  []string                // nil: what ssh_config says, else OpenSSH's four files
	Payload     func() (Payload, error) // the probe's executable; nil: the running one
	Version     string                  // of nvnodetop, for the client's version string
}

// Dialer opens Sessions. It implements poller.Opener.
type Dialer struct {
	cfg     Config
	local   local
	limits  limits
	config  *configCache
	keys    *keyCache
	known   *knownCache
	payload func() (Payload, error)
	gate    uploadGate
}

var _ poller.Opener = (*Dialer)(nil)

// local is what is taken from this process's surroundings.
type local struct {
	home, user, agent string
}

// limits are the deadlines of the stages and the beats of a session.
type limits struct {
	name, tcp, ssh, login time.Duration
	agent                 time.Duration // until the agent has listed its keys
	probe                 time.Duration // to start a probe that is there
	upload                time.Duration // to copy it
	others                time.Duration // how long a node waits for another node's copy in a shared home
	driver                time.Duration // from the probe's start to its Hello: NVML without persistence mode takes long
	alive                 time.Duration // between two Alive requests
	silence               time.Duration // without a byte from the node
	write                 time.Duration
	exit                  time.Duration // for the exit status after the end of the output
	closing               time.Duration // for the probe to end by itself
}

var defaultLimits = limits{
	name: 5 * time.Second, tcp: 5 * time.Second, ssh: 5 * time.Second, login: 10 * time.Second, agent: 3 * time.Second,
	probe: 15 * time.Second, upload: 60 * time.Second, others: 3 * time.Second, driver: 30 * time.Second,
	alive: 20 * time.Second, silence: 30 * time.Second, write: 10 * time.Second, exit: 2 * time.Second, closing: 500 * time.Millisecond,
}

// New makes a Dialer. It reads no file yet: what is wrong with one is said by Open.
func New(cfg Config) (*Dialer, error) {
	name, home, err := whoAmI()
	if err != nil {
		return nil, err
	}
	if cfg.ConfigFiles == nil {
		cfg.ConfigFiles = []string{filepath.Join(home, ".ssh", "config"), "/etc/ssh/ssh_config"}
	}
	cfg.Version = cmp.Or(cfg.Version, "dev")
	d := &Dialer{
		cfg:    cfg,
		local:  local{home: home, user: name, agent: os.Getenv("SSH_AUTH_SOCK")},
		limits: defaultLimits,
		keys:   &keyCache{files: map[string]*keyFile{}},
		known:  &knownCache{sets: map[string]*knownSet{}},
	}
	d.config = &configCache{files: cfg.ConfigFiles, home: home}
	if cfg.Payload == nil {
		cfg.Payload = RunningExecutable
	}
	d.payload = sync.OnceValues(cfg.Payload)
	return d, nil
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
		return "", "", errors.New("the user database does not know this user, and $USER and $HOME do not help: set both")
	}
	return name, home, nil
}

// Open implements poller.Opener.
func (d *Dialer) Open(ctx context.Context, node string, step func(reach.Step)) (poller.Session, error) {
	a := &attempt{d: d, node: node, step: step}
	s, err := a.run(ctx)
	switch {
	case err == nil:
		return s, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("open %q: %w", node, context.Cause(ctx))
	default:
		return nil, a.fail(err)
	}
}

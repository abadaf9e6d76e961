package ssh

import (
	"net"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/hostkey"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
)

// hostKeyError is a host that is not trusted.
type hostKeyError = hostkey.Error

// knownCache keeps the known_hosts files.
type knownCache struct{ files hostkey.Cache }

// knownSet is what the files say for one target.
type knownSet struct {
	set    *hostkey.Set
	host   hostkey.Host
	target *settings.Settings
}

func (c *knownCache) load(t *settings.Settings, elsewhere *hostkey.Elsewhere) (*knownSet, error) {
	set, err := c.files.Load(t.KnownHosts, t.RevokedKeys)
	if err != nil {
		return nil, &remote.LocalError{What: "RevokedHostKeys", Err: err, Hints: []string{"ssh trusts no host while it cannot read that list: mend the file or the option"}}
	}
	host := hostkey.HostOf(t.KeyAddress())
	return &knownSet{set: set.With(elsewhere, host), host: host, target: t}, nil
}

// algorithms lists the algorithms to ask for, in order.
func (s *knownSet) algorithms() []string { return s.set.Algorithms(s.host, s.target.HostKeyAlgorithms) }

// check returns the line in which the key is known, or a *hostKeyError.
func (s *knownSet) check(_ string, _ net.Addr, key ssh.PublicKey) (string, error) {
	known, err := s.set.Check(s.host, key, s.target.CASignatureAlgorithms, time.Now())
	if err != nil {
		return "", err
	}
	return known.String(), nil
}

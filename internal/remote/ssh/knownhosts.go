package ssh

import (
	"crypto/rsa"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/hostkey"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
)

// hostKeyError says that a host is not trusted.
type hostKeyError = hostkey.Error

// knownCache keeps the known_hosts files.
type knownCache struct{ files hostkey.Cache }

// knownSet is the content of the files for one target.
type knownSet struct {
	set    *hostkey.Set
	host   hostkey.Host
	target *settings.Settings
}

func (c *knownCache) loadKnownHosts(t *settings.Settings, elsewhere *hostkey.OtherHost) (*knownSet, error) {
	if t.KnownHostsCommand != "" { // it is not known what the command would revoke
		return nil, onlyOpenSSH("KnownHostsCommand",
			fmt.Errorf("only OpenSSH runs %q, which knows and revokes host keys", t.KnownHostsCommand))
	}
	set, err := c.files.Load(t.KnownHosts, t.RevokedKeys)
	switch {
	case errors.Is(err, hostkey.ErrBinary):
		return nil, onlyOpenSSH("RevokedHostKeys", err)
	case err != nil:
		return nil, &remote.LocalError{What: "RevokedHostKeys", Err: err,
			Hints: []string{"ssh trusts no host until it can read that file: fix the file or the option"}}
	}
	host := hostkey.HostOf(t.KeyAddress())
	return &knownSet{set: set.With(elsewhere, host), host: host, target: t}, nil
}

// onlyOpenSSH leaves a host to OpenSSH: nothing else knows which keys an option revokes.
func onlyOpenSSH(option string, err error) error {
	return &remote.LocalError{What: option, Err: err, Hints: []string{"let OpenSSH log in: --transport openssh"}}
}

// listAlgorithms lists the algorithms to ask for, in order.
func (s *knownSet) listAlgorithms() []string {
	return s.set.Algorithms(s.host, s.target.HostKeyAlgorithms)
}

// checkKey returns the line with the key. The error is a *hostKeyError, or a *remote.LocalError if the configuration
// accepts no such key.
func (s *knownSet) checkKey(_ string, _ net.Addr, key ssh.PublicKey) (string, error) {
	if bits := sizeOfRSA(key); bits > 0 && bits < s.target.RequiredRSASize {
		return "", &remote.LocalError{What: "host key too short", Err: fmt.Errorf("%d bits, RequiredRSASize is %d",
			bits, s.target.RequiredRSASize)}
	}
	known, err := s.set.Check(s.host, key, s.target.CASignatureAlgorithms, time.Now())
	if err != nil {
		return "", err
	}
	return known.String(), nil
}

// sizeOfRSA returns the size of an RSA key in bits; 0: it is another kind of key.
func sizeOfRSA(key ssh.PublicKey) int {
	if cert, ok := key.(*ssh.Certificate); ok {
		key = cert.Key
	}
	if c, ok := key.(ssh.CryptoPublicKey); ok {
		if k, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok {
			return k.N.BitLen()
		}
	}
	return 0
}

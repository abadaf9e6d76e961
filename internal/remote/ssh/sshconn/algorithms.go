package sshconn

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
)

// CheckAlgorithms returns an error if the configuration leaves no algorithm of some kind that this library has:
// otherwise x/crypto would use its own defaults, or report an error that does not mention the configuration. hostKeys
// are the algorithms to request.
func CheckAlgorithms(s *settings.Settings, hostKeys []string) error {
	all := concatAlgorithms(ssh.SupportedAlgorithms(), ssh.InsecureAlgorithms())
	lacks := func(option string, wanted, have []string) error {
		if wanted == nil || slices.ContainsFunc(wanted, func(w string) bool { return slices.Contains(have, w) }) {
			return nil
		}
		return &remote.LocalError{
			What: "no usable " + option, Err: fmt.Errorf("the ssh configuration has only %s, which nvnodetop lacks",
				strings.Join(wanted, ",")),
			Hints: []string{advice.UseOpenSSH},
		}
	}
	withMAC := func(c string) bool { return !strings.Contains(c, "-gcm@") && !strings.HasPrefix(c, "chacha20-") }
	macs := s.MACs
	if s.Ciphers == nil || slices.ContainsFunc(s.Ciphers,
		func(c string) bool { return slices.Contains(all.Ciphers, c) && !withMAC(c) }) {
		macs = nil
	}
	if len(hostKeys) > 0 {
		hostKeys = nil
	} else {
		hostKeys = s.HostKeyAlgorithms
	}
	return errors.Join(lacks("KexAlgorithms", s.KexAlgorithms, append(all.KeyExchanges, curve25519Before)),
		lacks("HostKeyAlgorithms", hostKeys, nil), lacks("Ciphers", s.Ciphers, all.Ciphers),
		lacks("MACs", macs, all.MACs))
}

// CheapestCiphersFirst puts AES-GCM first among the ciphers that the configuration accepts: CPU time matters on login
// nodes, and in Go AES-GCM costs a tenth of OpenSSH's first choice, ChaCha20. nil stays nil.
func CheapestCiphersFirst(ciphers []string) []string {
	sorted := slices.Clone(ciphers)
	rank := func(c string) int {
		if strings.Contains(c, "-gcm@") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(sorted, func(a, b string) int { return rank(a) - rank(b) })
	return sorted
}

// curve25519Before is the name of curve25519-sha256 before its standardization, which x/crypto has but does not list.
const curve25519Before = "curve25519-sha256@libssh.org"

func concatAlgorithms(a, b ssh.Algorithms) ssh.Algorithms {
	return ssh.Algorithms{
		KeyExchanges: slices.Concat(a.KeyExchanges, b.KeyExchanges), Ciphers: slices.Concat(a.Ciphers, b.Ciphers),
		MACs: slices.Concat(a.MACs, b.MACs),
	}
}

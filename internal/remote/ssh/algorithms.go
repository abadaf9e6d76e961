package ssh

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote"
)

// useOpenSSH is the hint where Go's ssh lacks what OpenSSH has.
const useOpenSSH = "OpenSSH has more algorithms: --transport openssh"

// usable returns an error if the configuration leaves nothing of a kind that this library has: x/crypto would take its
// own defaults then, or say nothing of the configuration. hostKeys are those to ask for.
func (a *trip) usable(hostKeys []string) error {
	all := both(ssh.SupportedAlgorithms(), ssh.InsecureAlgorithms())
	lacks := func(option string, wanted, have []string) error {
		if wanted == nil || slices.ContainsFunc(wanted, func(w string) bool { return slices.Contains(have, w) }) {
			return nil
		}
		return &remote.LocalError{
			What: "no usable " + option, Err: fmt.Errorf("the ssh configuration has only %s, which nvnodetop lacks",
				strings.Join(wanted, ",")),
			Hints: []string{useOpenSSH},
		}
	}
	withMAC := func(c string) bool { return !strings.Contains(c, "-gcm@") && !strings.HasPrefix(c, "chacha20-") }
	macs := a.target.MACs
	if a.target.Ciphers == nil || slices.ContainsFunc(a.target.Ciphers,
		func(c string) bool { return slices.Contains(all.Ciphers, c) && !withMAC(c) }) {
		macs = nil
	}
	if len(hostKeys) > 0 {
		hostKeys = nil
	} else {
		hostKeys = a.target.HostKeyAlgorithms
	}
	return errors.Join(lacks("KexAlgorithms", a.target.KexAlgorithms, append(all.KeyExchanges, curve25519Before)),
		lacks("HostKeyAlgorithms", hostKeys, nil), lacks("Ciphers", a.target.Ciphers, all.Ciphers),
		lacks("MACs", macs, all.MACs))
}

// cheapestFirst puts AES-GCM first among the ciphers that the configuration accepts: login nodes count CPU seconds, and
// in Go it costs a tenth of OpenSSH's first choice, ChaCha20. nil stays nil.
func cheapestFirst(ciphers []string) []string {
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

// curve25519Before is the name of curve25519-sha256 before it was standardized, which x/crypto has but does not list.
const curve25519Before = "curve25519-sha256@libssh.org"

func both(a, b ssh.Algorithms) ssh.Algorithms {
	return ssh.Algorithms{
		KeyExchanges: slices.Concat(a.KeyExchanges, b.KeyExchanges), Ciphers: slices.Concat(a.Ciphers, b.Ciphers),
		MACs: slices.Concat(a.MACs, b.MACs),
	}
}

// ruleAlgorithms handles a host with which nothing of a kind is common.
func ruleAlgorithms(c *remote.Case, err error) bool {
	e, ok := errors.AsType[*ssh.AlgorithmNegotiationError](err)
	if !ok {
		return false
	}
	c.Say(e.Error())
	c.Is(reach.ClassOther, "no common algorithm")
	c.Failure.Detail = e.What
	c.Failure.Meaning = fmt.Sprintf("nvnodetop and the host have no algorithm in common for the %s. The host has %s. "+
		"nvnodetop may use %s.",
		e.What, strings.Join(e.RequestedAlgorithms, ", "), strings.Join(e.SupportedAlgorithms, ", "))
	c.Failure.Hints = []string{useOpenSSH}
	return true
}

// limitedTo returns signer for the signature algorithms that the configuration accepts; ok is false if that is none.
func limitedTo(signer ssh.Signer, algorithms []string) (_ ssh.Signer, ok bool) {
	const cert = "-cert-v01@openssh.com"
	kind := signer.PublicKey().Type()
	if algorithms == nil || kind != ssh.KeyAlgoRSA && kind != ssh.CertAlgoRSAv01 {
		return signer, algorithms == nil || slices.Contains(algorithms, kind)
	}
	var wanted []string
	for _, a := range algorithms {
		plain, isCert := strings.CutSuffix(a, cert)
		if isCert == (kind == ssh.CertAlgoRSAv01) &&
			slices.Contains([]string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSA}, plain) {
			wanted = append(wanted, plain)
		}
	}
	signs, isSigner := signer.(ssh.AlgorithmSigner)
	if !isSigner {
		return signer, slices.Contains(wanted, ssh.KeyAlgoRSA)
	}
	limited, err := ssh.NewSignerWithAlgorithms(signs, wanted)
	return limited, err == nil
}

package hostkey

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Verdict is the reason why a host is not trusted.
type Verdict int

// Verdicts about a host.
const (
	Unknown Verdict = iota // no line has a key for the host
	Changed                // lines have other keys for the host
	Revoked                // the key or its CA is revoked
)

// Error says that a host is not trusted.
type Error struct {
	Verdict Verdict
	// why a certificate from a known authority does not count: "it expired on …"; empty: there is none
	Certificate string
	Principals  []string // first names of that certificate
	Listed      string   // the name of the host in files: "[host]:2222"
	Offered     string   // type of the key that the host offered
	Fingerprint string
	Known       string // type of the known key; Changed only
	File        string // file with another key, or with the revocation
	Line        int
	Files       []string // files checked
	Unread      []string // files that exist but cannot be read
}

func (e *Error) Error() string {
	reason := [...]string{Unknown: "host key unknown", Changed: "host key changed",
		Revoked: "host key revoked"}[e.Verdict]
	if e.Certificate != "" {
		reason += ", and of its certificate: " + e.Certificate
	}
	return reason
}

// Check looks for the key of a host. authorities are the algorithms that a CA may have signed with; nil: OpenSSH's own.
// Its error is an *Error.
func (s *Set) Check(host Host, key ssh.PublicKey, authorities []string, now time.Time) (*KnownHost, error) {
	c := check{set: s, host: host, authorities: authorities, now: now}
	e := &Error{Listed: host.listedNames()[0], Offered: typeOf(key), Fingerprint: ssh.FingerprintSHA256(key),
		Files:  s.paths,
		Unread: s.Unread}
	if cert, ok := key.(*ssh.Certificate); ok {
		e.Fingerprint = ssh.FingerprintSHA256(cert.Key)
	}
	if s.revoked != nil {
		if line, revoked := s.revoked.findRevocation(key); revoked {
			e.Verdict, e.File, e.Line = Revoked, s.revoked.path, line
			return nil, e
		}
	}
	if known := c.findKey(host.listedNames(), key, e); known != nil {
		return known, nil
	}
	return nil, e
}

// plainKeys returns the plain keys whose revocation also revokes key: the key itself, or the keys in a certificate.
func plainKeys(key ssh.PublicKey) []ssh.PublicKey {
	if cert, ok := key.(*ssh.Certificate); ok {
		return []ssh.PublicKey{cert.Key, cert.SignatureKey}
	}
	return []ssh.PublicKey{key}
}

// check is the check of one key.
type check struct {
	set         *Set
	host        Host
	authorities []string
	now         time.Time
}

// findKey looks for a key under the first of the host's names, and under the next name if no line has the first one. An
// invalid certificate counts as its plain key.
func (c *check) findKey(names []string, key ssh.PublicKey, e *Error) *KnownHost {
	lines := c.set.linesOf(names[0])
	if l := findRevocation(lines, key); l != nil {
		e.Verdict, e.File, e.Line = Revoked, l.file, int(l.number)
		return nil
	}
	cert, ok := key.(*ssh.Certificate)
	if !ok {
		known := c.findPlainKey(lines, key, e)
		if known != nil || len(names) == 1 || hasKeys(lines) {
			return known
		}
		return c.findKey(names[1:], key, e)
	}
	if ca := findLine(lines, markerCA, cert.SignatureKey); ca != nil {
		reason := c.whyInvalid(cert)
		if reason == "" {
			return &KnownHost{Type: typeOf(key), File: ca.file, Line: int(ca.number)}
		}
		e.Certificate, e.Principals = reason, firstPrincipals(cert)
	} else if len(names) > 1 {
		if known := c.findKey(names[1:], key, e); known != nil || e.Verdict == Revoked {
			return known
		}
	}
	return c.findKey(names, cert.Key, e)
}

// hasKeys reports whether any line has a key of the host itself.
func hasKeys(lines []fileLine) bool {
	return slices.ContainsFunc(lines, func(l fileLine) bool { return l.marker == "" && isKey(l) })
}

func (c *check) findPlainKey(lines []fileLine, key ssh.PublicKey, e *Error) *KnownHost {
	if l := findLine(lines, "", key); l != nil {
		return &KnownHost{Type: typeOf(key), File: l.file, Line: int(l.number)}
	}
	for _, l := range slices.Backward(lines) {
		if l.marker != "" || !isKey(l) {
			continue
		}
		// If there are several lines, blame the first one of the same type.
		if kind := shortKeyType(l.keyType); e.File == "" || kind == shortKeyType(key.Type()) {
			e.Verdict, e.File, e.Line, e.Known = Changed, l.file, int(l.number), kind
		}
	}
	return nil
}

// isKey reports whether a line has a key that this program understands.
func isKey(l fileLine) bool {
	key, err := ssh.ParsePublicKey(l.keyBlob())
	return err == nil && key.Type() == l.keyType
}

// findLine returns the line with this marker and key.
func findLine(lines []fileLine, marker string, key ssh.PublicKey) *fileLine {
	blob := key.Marshal()
	for i, l := range lines {
		if l.marker == marker && l.keyType == key.Type() && bytes.Equal(l.keyBlob(), blob) {
			return &lines[i]
		}
	}
	return nil
}

// findRevocation returns the line that revokes a key. A line with a certificate revokes the certificate's key.
func findRevocation(lines []fileLine, key ssh.PublicKey) *fileLine {
	for i, l := range lines {
		if l.marker != markerRevoked {
			continue
		}
		revoked, err := plainBlob(l.keyBlob())
		if err == nil && slices.ContainsFunc(plainKeys(key),
			func(k ssh.PublicKey) bool { return bytes.Equal(k.Marshal(), revoked) }) {
			return &lines[i]
		}
	}
	return nil
}

// plainBlob returns a key in its wire form; for a certificate, the certified key.
func plainBlob(blob []byte) ([]byte, error) {
	key, err := ssh.ParsePublicKey(blob)
	if cert, ok := key.(*ssh.Certificate); ok {
		key = cert.Key
	}
	if err != nil {
		return nil, err
	}
	return key.Marshal(), nil
}

// Limits on the texts that a host sends about itself.
const maxName, maxNames = 64, 4

// firstPrincipals returns the first few names in a certificate.
func firstPrincipals(cert *ssh.Certificate) []string {
	var out []string
	for _, name := range cert.ValidPrincipals[:min(len(cert.ValidPrincipals), maxNames)] {
		out = append(out, text.Cut(name, maxName))
	}
	return out
}

// OtherName begins the reason why a certificate for other names does not count.
const OtherName = "it is not for the name"

// whyInvalid returns why a certificate from a known authority does not count; empty: it counts.
func (c *check) whyInvalid(cert *ssh.Certificate) string {
	now := uint64(max(c.now.Unix(), 0))
	switch {
	case cert.CertType != ssh.HostCert:
		return "it is not a host certificate"
	case now < cert.ValidAfter:
		return "it is valid only from " + formatDate(cert.ValidAfter)
	case now >= cert.ValidBefore:
		return "it expired on " + formatDate(cert.ValidBefore)
	case len(cert.ValidPrincipals) > 0 && !slices.Contains(cert.ValidPrincipals, c.host.Name):
		return fmt.Sprintf(OtherName+" %q", c.host.Name)
	case len(cert.CriticalOptions) > 0:
		return "it has critical options that are not supported"
	case !c.maySign(cert.Signature.Format):
		return "it is signed with the disallowed algorithm " + text.Cut(cert.Signature.Format, maxName)
	}
	// the checker takes this for a time before 1970, and OpenSSH takes it for a time that never comes
	if cert.ValidBefore > math.MaxInt64 {
		if err := cert.SignatureKey.Verify(signedPart(cert), cert.Signature); err != nil {
			return "certificate signature does not verify"
		}
		return ""
	}
	checker := ssh.CertChecker{Clock: func() time.Time { return c.now }}
	if err := checker.CheckCert(c.host.Name, cert); err != nil {
		return strings.TrimPrefix(err.Error(), "ssh: ")
	}
	return ""
}

// signedPart returns the part of a certificate that its authority has signed.
func signedPart(cert *ssh.Certificate) []byte {
	c := *cert
	c.Signature = nil
	text := c.Marshal()
	return text[:len(text)-4] // those of the empty signature
}

// maySign reports whether a CA may sign with an algorithm: never with SHA-1, unless the configuration allows it.
func (c *check) maySign(algorithm string) bool {
	if c.authorities != nil {
		return slices.Contains(c.authorities, algorithm)
	}
	return !slices.Contains(ssh.InsecureAlgorithms().HostKeys, algorithm)
}

func formatDate(seconds uint64) string {
	return time.Unix(int64(min(seconds, 1<<40)), 0).Format(time.DateOnly) //nolint:gosec // capped
}

// typeOf returns the type of a key in short: "ed25519".
func typeOf(key ssh.PublicKey) string {
	if cert, ok := key.(*ssh.Certificate); ok {
		return typeOf(cert.Key) + " certificate"
	}
	return shortKeyType(key.Type())
}

func shortKeyType(keyType string) string {
	t := strings.TrimPrefix(keyType, "ssh-")
	if strings.HasPrefix(t, "ecdsa-") {
		return "ecdsa"
	}
	return t
}

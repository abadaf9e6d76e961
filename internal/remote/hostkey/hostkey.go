// Package hostkey checks the identity of a host against the known_hosts files. It decides as OpenSSH does: with the
// same patterns, ports, markers and certificates, in the same order. OpenSSH's check is check_host_key in sshconnect.c.
//
// A Cache reads each file once, and again when it changes: a user who accepts a host key in another terminal need not
// restart nvnodetop. Lines that are not understood are skipped. A Cache and its Sets may be used by any number of
// goroutines.
package hostkey

import (
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// Cache keeps the files that were read.
type Cache struct {
	mu    sync.Mutex
	files map[string]*file
	lists map[string]*keyList
}

// Set is the content of some files. It does not change.
type Set struct {
	// Unread lists files that exist and cannot be read. OpenSSH passes them over.
	Unread []string

	paths   []string
	files   []*file
	revoked *keyList // nil: there is none
}

// Load reads known_hosts files, and a file of RevokedHostKeys if revoked is not empty. It fails only if the file of
// revoked keys cannot be read: OpenSSH then trusts no host.
func (c *Cache) Load(files []string, revoked string) (*Set, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &Set{paths: files}
	for _, path := range files {
		f := c.loadFile(path)
		switch {
		case f == nil:
		case f.err != nil:
			s.Unread = append(s.Unread, f.err.Error())
		default:
			s.files = append(s.files, f)
		}
	}
	if revoked == "" {
		return s, nil
	}
	s.revoked = c.loadKeyList(revoked)
	return s, s.revoked.err
}

// loadFile returns the file at path; nil: there is none.
func (c *Cache) loadFile(path string) *file {
	now := fileStamp(path)
	if now == "" {
		delete(c.files, path)
		return nil
	}
	f := c.files[path]
	if f == nil || f.stamp != now {
		f = readFile(path)
		if c.files == nil {
			c.files = map[string]*file{}
		}
		c.files[path] = f
	}
	return f
}

func (c *Cache) loadKeyList(path string) *keyList {
	l := c.lists[path]
	if l == nil || l.err != nil || l.stamp != fileStamp(path) {
		l = readKeys(path)
		if c.lists == nil {
			c.lists = map[string]*keyList{}
		}
		c.lists[path] = l
	}
	return l
}

// Host is a host as known_hosts files name it.
type Host struct {
	Name string // its HostName in lower case, or its HostKeyAlias
	Port string // empty: an alias has none
}

// listedNames returns the names under which files may list the host. The second one counts only if nothing is found
// under the first.
func (h Host) listedNames() []string {
	if h.Port == "" || h.Port == "22" {
		return []string{h.Name}
	}
	return []string{"[" + h.Name + "]:" + h.Port, h.Name}
}

// HostOf returns the Host of an address in the form host:port.
func HostOf(address string) Host {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return Host{Name: address}
	}
	return Host{Name: name, Port: port}
}

// fileLine is a line together with its file.
type fileLine struct {
	*knownHostsLine
	file string
}

func (s *Set) linesOf(name string) []fileLine {
	var all []fileLine
	for _, f := range s.files {
		for _, i := range f.linesOf(name) {
			all = append(all, fileLine{knownHostsLine: &f.lines[i], file: f.path})
		}
	}
	return all
}

// defaultAlgorithms is OpenSSH's order of HostKeyAlgorithms, without those that this library lacks.
var defaultAlgorithms = []string{
	ssh.CertAlgoED25519v01, ssh.CertAlgoECDSA256v01, ssh.CertAlgoECDSA384v01, ssh.CertAlgoECDSA521v01,
	ssh.CertAlgoRSASHA512v01, ssh.CertAlgoRSASHA256v01,
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA512,
	ssh.KeyAlgoRSASHA256,
}

// Algorithms orders the algorithms to request from the host, so that a host with several keys presents a known one:
// first the algorithms of certificates if a CA is known, then those of known keys, then the others. accepted are those
// of the configuration; nil: OpenSSH's own.
func (s *Set) Algorithms(host Host, accepted []string) []string {
	if accepted == nil {
		accepted = defaultAlgorithms
	}
	able := slices.Concat(ssh.SupportedAlgorithms().HostKeys, ssh.InsecureAlgorithms().HostKeys)
	accepted = slices.DeleteFunc(slices.Clone(accepted), func(a string) bool { return !slices.Contains(able, a) })
	lines := s.linesOf(host.listedNames()[0])
	if len(accepted) == 0 || isKnown(lines, "", plainKeyType(accepted[0])) {
		return accepted
	}
	isFirst := func(a string) bool {
		return isKnown(lines, "", plainKeyType(a)) || strings.Contains(a, "-cert-") && isKnown(lines, markerCA, "")
	}
	var first, last []string
	for _, a := range accepted {
		if isFirst(a) {
			first = append(first, a)
		} else {
			last = append(last, a)
		}
	}
	return append(first, last...)
}

// isKnown reports whether a line has this marker and type; an empty type matches any.
func isKnown(lines []fileLine, marker, keyType string) bool {
	return slices.ContainsFunc(lines, func(l fileLine) bool {
		return l.marker == marker &&
			(keyType == "" || l.keyType == keyType)
	})
}

// plainKeyType returns the key type of an algorithm.
func plainKeyType(algorithm string) string {
	a := strings.Replace(algorithm, "-cert-v01@openssh.com", "", 1)
	switch {
	case strings.HasPrefix(a, "rsa-sha2-"):
		return ssh.KeyAlgoRSA
	case strings.HasPrefix(a, "sk-") && a != algorithm:
		return a + "@openssh.com"
	}
	return a
}

// KnownHost is a host with a proven identity.
type KnownHost struct {
	Type string // of its key, in short: "ed25519 certificate"
	File string // the file that says so
	Line int
}

func (k *KnownHost) String() string {
	return k.Type + ", known (" + filepath.Base(k.File) + " line " + strconv.Itoa(k.Line) + ")"
}

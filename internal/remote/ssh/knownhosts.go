package ssh

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/remote"
)

// knownCache caches parsed known_hosts files and reads them again when they change: after accepting a host key in another terminal nobody has
// to restart nvnodetop.
type knownCache struct {
	mu   sync.Mutex
	sets map[string]*knownSet // by file names
}

// knownSet is the content of a list of known_hosts files. It does not change.
type knownSet struct {
	stamp string
	db    *knownhosts.HostKeyDB
	names map[string]string // original names of cleaned copies, see readKnownLeniently
	err   error
}

func (c *knownCache) load(files []string) (*knownSet, error) {
	var present []string
	var stamps strings.Builder
	for _, f := range files {
		stamp := fileStamp(f)
		fmt.Fprintf(&stamps, "%s %s\n", f, stamp)
		if stamp != "" {
			present = append(present, f)
		}
	}
	key := strings.Join(files, "\n")
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sets[key]; s != nil && s.stamp == stamps.String() {
		return s, s.err
	}
	s := readKnown(present)
	s.stamp = stamps.String()
	c.sets[key] = s
	return s, s.err
}

func readKnown(files []string) *knownSet {
	db, err := knownhosts.NewDB(files...)
	if err == nil {
		return &knownSet{db: db}
	}
	s, err := readKnownLeniently(files)
	if err != nil {
		return &knownSet{err: &remote.LocalError{What: "known hosts", Err: err}}
	}
	return s
}

// readKnownLeniently skips invalid lines, as OpenSSH does: one unsupported key type must not make every host unknown. The library has no such
// mode, so it reads copies in which those lines are empty.
func readKnownLeniently(files []string) (*knownSet, error) {
	dir, err := os.MkdirTemp("", "nvnodetop-known-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // leftover public keys do no harm
	s := &knownSet{names: map[string]string{}}
	var copies []string
	for i, file := range files {
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		lines := bytes.Split(data, []byte("\n"))
		for i, line := range lines {
			if !isKnownEntry(line) {
				lines[i] = nil
			}
		}
		name := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(name, bytes.Join(lines, []byte("\n")), 0o600); err != nil {
			return nil, err
		}
		s.names[name] = file
		copies = append(copies, name)
	}
	s.db, err = knownhosts.NewDB(copies...)
	return s, err
}

func isKnownEntry(line []byte) bool {
	marker, _, _, _, _, err := ssh.ParseKnownHosts(line)
	return err == nil && (marker == "" || marker == "cert-authority" || marker == "revoked")
}

// algorithms lists the algorithms of the keys known for address first, so a host with several keys presents a known one. The others follow, so
// that a key replaced by one of another type is not mistaken for a host without a common algorithm.
func (s *knownSet) algorithms(address string) []string {
	supported := ssh.SupportedAlgorithms().HostKeys
	algos := slices.DeleteFunc(s.db.HostKeyAlgorithms(address), func(a string) bool { return !slices.Contains(supported, a) })
	for _, a := range supported {
		if !slices.Contains(algos, a) && !strings.Contains(a, "-cert-") {
			algos = append(algos, a)
		}
	}
	return algos
}

// check returns the line in which the key is known, or a *hostKeyError.
func (s *knownSet) check(address string, remote net.Addr, key ssh.PublicKey) (string, error) {
	err := s.db.HostKeyCallback()(address, remote, key)
	lines := s.lines(address, remote)
	if err == nil {
		for _, l := range lines {
			if bytes.Equal(l.Key.Marshal(), authority(key).Marshal()) {
				return fmt.Sprintf("%s, known (%s line %d)", keyType(key), filepath.Base(l.Filename), l.Line), nil
			}
		}
		return keyType(key) + ", known", nil
	}
	e := &hostKeyError{err: err, address: xknownhosts.Normalize(address), offered: keyType(key), fingerprint: ssh.FingerprintSHA256(key)}
	revoked, is := errors.AsType[*xknownhosts.RevokedError](err)
	switch {
	case is:
		e.revoked = true
		e.file, e.line = s.origin(revoked.Revoked.Filename), revoked.Revoked.Line
	case len(lines) > 0:
		e.changed = true
		// Of several lines, blame the one of the same type.
		for _, l := range slices.Backward(lines) {
			if e.file == "" || keyType(l.Key) == e.offered {
				e.file, e.line, e.known = l.Filename, l.Line, keyType(l.Key)
			}
		}
	}
	return "", e
}

// lines returns the entries for address.
func (s *knownSet) lines(address string, remote net.Addr) []xknownhosts.KnownKey {
	all, ok := errors.AsType[*xknownhosts.KeyError](s.db.HostKeyCallback()(address, remote, noKey{}))
	if !ok {
		return nil
	}
	lines := slices.Clone(all.Want)
	for i := range lines {
		lines[i].Filename = s.origin(lines[i].Filename)
	}
	return lines
}

func (s *knownSet) origin(file string) string {
	return cmp.Or(s.names[file], file)
}

// authority returns the key that vouches for key.
func authority(key ssh.PublicKey) ssh.PublicKey {
	if cert, ok := key.(*ssh.Certificate); ok {
		return cert.SignatureKey
	}
	return key
}

// keyType returns a key's type in short: ed25519.
func keyType(key ssh.PublicKey) string {
	if cert, ok := key.(*ssh.Certificate); ok {
		return keyType(cert.Key) + " certificate"
	}
	t := strings.TrimPrefix(key.Type(), "ssh-")
	if strings.HasPrefix(t, "ecdsa-") {
		return "ecdsa"
	}
	return t
}

// noKey is a key that no file contains: looking it up makes the database return all entries of a host.
type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return []byte("none") }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key") }

// hostKeyError is a host key that was changed or revoked; if neither, it is unknown.
type hostKeyError struct {
	err         error
	address     string // as known_hosts files write it: "[host]:2222"
	changed     bool
	revoked     bool
	offered     string // type
	fingerprint string
	known       string // type of the known key
	file        string // that has another key or revokes this one
	line        int
}

func (e *hostKeyError) Error() string { return e.err.Error() }
func (e *hostKeyError) Unwrap() error { return e.err }

package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
)

// needsPassphrase says why a key file cannot be used.
const needsPassphrase = "needs a passphrase"

// identity is one key to offer.
type identity struct {
	name   string
	signer ssh.Signer
}

// identities is the list of keys to offer, in order, and of those that cannot be used.
type identities struct {
	keys    []identity
	skipped []string
	locked  bool     // a key was skipped because nobody gave its passphrase
	agent   net.Conn // signs with the keys it holds; nil: not used
}

func (ids *identities) skip(format string, args ...any) {
	ids.skipped = append(ids.skipped, fmt.Sprintf(format, args...))
}

// identities collects the keys for a target in OpenSSH's order: keys in the agent, starting with those named in the configuration, then key
// files. IdentitiesOnly excludes the agent's other keys. unlock returns the signer of a locked key; nil: there is none.
func (d *Door) identities(ctx context.Context, t *settings.Settings, unlock func(*keyFile) ssh.Signer) *identities {
	ids := &identities{}
	files := d.keyFiles(t, ids)
	held := d.askAgent(ctx, t, ids)
	inAgent := map[string]bool{}
	for _, named := range []bool{true, false} {
		for _, h := range held {
			blob := string(h.signer.PublicKey().Marshal())
			file, isNamed := files.byKey[blob]
			if isNamed != named || !named && t.IdentitiesOnly {
				continue
			}
			if isNamed {
				h.name = filepath.Base(file.path)
			}
			inAgent[blob] = true
			ids.addWithCertificates(h, files.certs)
		}
	}
	for _, f := range files.list {
		switch {
		case f.pub != nil && inAgent[string(f.pub.Marshal())]:
		case f.locked:
			if signer := unlock(f); signer != nil {
				ids.addWithCertificates(identity{name: filepath.Base(f.path), signer: signer}, files.certs)
				continue
			}
			ids.locked = true
			ids.skip("%s %s and is not in an agent", f.path, needsPassphrase)
		case f.signer != nil:
			ids.addWithCertificates(identity{name: filepath.Base(f.path), signer: f.signer}, files.certs)
		}
	}
	return ids
}

// addWithCertificates adds a key, preceded by its certificates.
func (ids *identities) addWithCertificates(id identity, certs []*keyFile) {
	for _, c := range certs {
		if string(c.cert.Key.Marshal()) != string(id.signer.PublicKey().Marshal()) {
			continue
		}
		if c.cert.ValidBefore != ssh.CertTimeInfinity && int64(c.cert.ValidBefore) < time.Now().Unix() {
			ids.skip("certificate %s has expired", c.path)
			continue
		}
		if signer, err := ssh.NewCertSigner(c.cert, id.signer); err == nil {
			ids.keys = append(ids.keys, identity{name: filepath.Base(c.path), signer: signer})
		}
	}
	ids.keys = append(ids.keys, id)
}

// foundKeys holds the existing key files of a target.
type foundKeys struct {
	list  []*keyFile
	byKey map[string]*keyFile // by public key
	certs []*keyFile
}

func (d *Door) keyFiles(t *settings.Settings, ids *identities) foundKeys {
	found := foundKeys{byKey: map[string]*keyFile{}}
	certs := t.CertificateFiles
	for _, path := range t.IdentityFiles {
		f := d.keys.load(path)
		if f.err != nil && (!t.DefaultIdentities || !errors.Is(f.err, fs.ErrNotExist)) {
			ids.skip("%s: %v", path, f.err)
		}
		if f.err == nil {
			found.list = append(found.list, f)
			if f.pub != nil {
				found.byKey[string(f.pub.Marshal())] = f
			}
		}
		certs = append(certs, path+"-cert.pub")
	}
	for _, path := range certs {
		if f := d.keys.load(path); f.cert != nil {
			found.certs = append(found.certs, f)
		}
	}
	return found
}

// askAgent lists the agent's keys. An agent that does not respond is skipped: key files may be enough.
func (d *Door) askAgent(ctx context.Context, t *settings.Settings, ids *identities) []identity {
	path := cmp.Or(t.Agent, d.agent)
	if path == "" || path == "none" {
		return nil
	}
	dialer := net.Dialer{Timeout: d.limits.agent}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		ids.skip("cannot reach the ssh agent: %v", err)
		return nil
	}
	err = conn.SetDeadline(time.Now().Add(d.limits.agent))
	var signers []ssh.Signer
	if err == nil {
		signers, err = agent.NewClient(conn).Signers()
	}
	if err != nil {
		drop(conn)
		ids.skip("ssh agent not responding: %v", err)
		return nil
	}
	_ = conn.SetDeadline(time.Now().Add(d.limits.login)) // signing may wait for a touch of a security key
	ids.agent = conn
	held := make([]identity, len(signers))
	for i, s := range signers {
		held[i] = identity{name: "key from the agent", signer: s}
		if k, ok := s.PublicKey().(*agent.Key); ok && k.Comment != "" {
			held[i].name = k.Comment + " (agent)"
		}
	}
	return held
}

// keyCache caches parsed key files, so 64 nodes cost one read. A changed file is read again.
type keyCache struct {
	mu    sync.Mutex
	files map[string]*keyFile
}

// keyFile is a private key or a certificate, or why it cannot be read.
type keyFile struct {
	path   string
	stamp  string
	signer ssh.Signer       // nil: locked, or a certificate
	pub    ssh.PublicKey    // nil: unknown
	locked bool             // needs a passphrase
	cert   *ssh.Certificate // nil: a private key
	err    error
}

func (c *keyCache) load(path string) *keyFile {
	stamp := fileStamp(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.files[path]; f != nil && f.stamp == stamp {
		return f
	}
	f := readKeyFile(path)
	f.stamp = stamp
	c.files[path] = f
	return f
}

func readKeyFile(path string) *keyFile {
	f := &keyFile{path: path}
	data, err := os.ReadFile(path)
	if err != nil {
		f.err = err
		return f
	}
	if pub, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
		f.pub = pub
		f.cert, _ = pub.(*ssh.Certificate)
		return f // a .pub file names a key in the agent
	}
	f.signer, f.err = ssh.ParsePrivateKey(data)
	if locked, ok := errors.AsType[*ssh.PassphraseMissingError](f.err); ok {
		f.locked, f.err, f.pub = true, nil, locked.PublicKey
	} else if f.err == nil {
		f.pub = f.signer.PublicKey()
	}
	if f.err == nil {
		f.err = unprotected(path)
	}
	if f.err != nil {
		f.signer, f.locked = nil, false
	}
	return f
}

// unprotected returns an error if others may read a private key of ours. OpenSSH rejects such a key too.
func unprotected(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if mode := info.Mode().Perm(); known && int(owner.Uid) == os.Getuid() && mode&0o077 != 0 {
		return fmt.Errorf("readable by others (mode %04o): chmod 600 %s", mode, path)
	}
	return nil
}

// fileStamp returns a string that changes when the file at path changes.
func fileStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d %v", info.Size(), info.ModTime().UnixNano(), info.Mode())
}

package ssh

import (
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
	accepts []string // signature algorithms; nil: all
	locked  bool     // a key was skipped because nobody gave its passphrase
	agent   net.Conn // signs with the keys it holds; nil: not used
}

func (ids *identities) skip(format string, args ...any) {
	ids.skipped = append(ids.skipped, fmt.Sprintf(format, args...))
}

// identities collects the keys for a target in OpenSSH's order: keys in the agent, starting with those named in the
// configuration, then key files. IdentitiesOnly excludes the agent's other keys. unlock returns the signer of a locked
// key; nil: there is none.
func (d *Door) identities(ctx context.Context, t *settings.Settings, unlock func(*keyFile) ssh.Signer) *identities {
	ids := &identities{accepts: t.PubkeyAcceptedAlgorithms}
	if t.NoKeys {
		ids.skip("the ssh configuration has PubkeyAuthentication no")
		return ids
	}
	files := d.keyFiles(t, ids)
	held := d.askAgent(ctx, t.Agent, ids)
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
		case f.err == nil, errors.Is(f.err, fs.ErrNotExist):
			ids.skip("%s: only its public key is here, and it is not in an agent", f.path)
		default:
			ids.skip("%s: %v", f.path, f.err)
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
			ids.add(identity{name: filepath.Base(c.path), signer: signer})
		}
	}
	ids.add(id)
}

// add adds a key if the configuration accepts what it can sign with.
func (ids *identities) add(id identity) {
	signer, ok := limitedTo(id.signer, ids.accepts)
	if !ok {
		ids.skip("%s: %s is not in PubkeyAcceptedAlgorithms", id.name, id.signer.PublicKey().Type())
		return
	}
	ids.keys = append(ids.keys, identity{name: id.name, signer: signer})
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
		switch {
		case f.pub != nil:
			found.byKey[string(f.pub.Marshal())] = f
			found.list = append(found.list, f)
		case f.locked:
			found.list = append(found.list, f)
		case !t.DefaultIdentities || !errors.Is(f.err, fs.ErrNotExist):
			ids.skip("%s: %v", path, f.err)
		}
		if len(t.CertificateFiles) == 0 { // else ssh does not look beside the keys
			certs = append(certs, path+"-cert.pub")
		}
	}
	for _, path := range certs {
		if f := d.keys.load(path); f.cert != nil {
			found.certs = append(found.certs, f)
		}
	}
	return found
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
	signer ssh.Signer       // nil: it cannot sign alone
	pub    ssh.PublicKey    // names a key in the agent; nil: unknown
	locked bool             // needs a passphrase
	cert   *ssh.Certificate // nil: a key
	err    error            // nil: signer, locked or cert is set, or the file is a public key
}

func (c *keyCache) load(path string) *keyFile {
	stamp := fileStamp(path) + fileStamp(path+".pub")
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
	f.read()
	if f.pub == nil {
		f.pub = readPublic(path + ".pub") // absent, or in a format that keeps it behind the passphrase
	}
	return f
}

func (f *keyFile) read() {
	data, err := os.ReadFile(f.path)
	if err != nil {
		f.err = err
		return
	}
	if pub, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
		f.pub = pub
		f.cert, _ = pub.(*ssh.Certificate)
		return // a .pub file names a key in the agent
	}
	f.signer, f.err = ssh.ParsePrivateKey(data)
	if locked, ok := errors.AsType[*ssh.PassphraseMissingError](f.err); ok {
		f.locked, f.err, f.pub = true, nil, locked.PublicKey
	} else if f.err == nil {
		f.pub = f.signer.PublicKey()
	}
	if f.err == nil {
		f.err = unprotected(f.path)
	}
	if f.err != nil {
		f.signer, f.locked = nil, false
	}
}

// readPublic returns the public key in a file; nil: there is none.
func readPublic(path string) ssh.PublicKey {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	pub, _, _, _, err := ssh.ParseAuthorizedKey(data)
	if err != nil {
		return nil
	}
	return pub
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

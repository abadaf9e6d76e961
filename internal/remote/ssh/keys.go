package ssh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
)

// offeredKey is one key to offer.
type offeredKey struct {
	name   string
	signer ssh.Signer
}

// identities are the keys to offer, in order, and the keys that cannot be used.
type identities struct {
	keys    []offeredKey
	skipped []string
	accepts []string // signature algorithms; nil: all
	locked  bool     // a key was skipped because nobody entered its passphrase
	agent   net.Conn // signs with the keys it holds; nil: not used
}

func (ids *identities) noteSkipped(format string, args ...any) {
	ids.skipped = append(ids.skipped, fmt.Sprintf(format, args...))
}

// collectKeys collects the keys for a target in OpenSSH's order: keys in the agent, starting with those that the
// configuration names, then key files. IdentitiesOnly excludes the agent's other keys. unlock returns the signer of a
// locked key; nil: there is none.
func (d *Door) collectKeys(ctx context.Context, t *settings.Settings,
	unlock func(*sshconn.KeyFile) ssh.Signer) *identities {
	ids := &identities{accepts: t.PubkeyAcceptedAlgorithms}
	if t.NoKeys {
		ids.noteSkipped("the ssh configuration has PubkeyAuthentication no")
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
				h.name = filepath.Base(file.Path)
			}
			inAgent[blob] = true
			ids.addWithCertificates(h, files.certs)
		}
	}
	for _, f := range files.list {
		switch {
		case f.Pub != nil && inAgent[string(f.Pub.Marshal())]:
		case f.Locked:
			if signer := unlock(f); signer != nil {
				ids.addWithCertificates(offeredKey{name: filepath.Base(f.Path), signer: signer}, files.certs)
				continue
			}
			ids.locked = true
			ids.noteSkipped("%s %s and is not in an agent", f.Path, advice.NeedsPassphrase)
		case f.Signer != nil:
			ids.addWithCertificates(offeredKey{name: filepath.Base(f.Path), signer: f.Signer}, files.certs)
		case f.Err == nil, errors.Is(f.Err, fs.ErrNotExist):
			ids.noteSkipped("%s: only its public key is here, and it is not in an agent", f.Path)
		default:
			ids.noteSkipped("%s: %v", f.Path, f.Err)
		}
	}
	return ids
}

// addWithCertificates adds a key, preceded by its certificates.
func (ids *identities) addWithCertificates(id offeredKey, certs []*sshconn.KeyFile) {
	for _, c := range certs {
		if string(c.Cert.Key.Marshal()) != string(id.signer.PublicKey().Marshal()) {
			continue
		}
		if c.Cert.ValidBefore != ssh.CertTimeInfinity && int64(c.Cert.ValidBefore) < time.Now().Unix() {
			ids.noteSkipped("certificate %s has expired", c.Path)
			continue
		}
		if signer, err := ssh.NewCertSigner(c.Cert, id.signer); err == nil {
			ids.addKey(offeredKey{name: filepath.Base(c.Path), signer: signer})
		}
	}
	ids.addKey(id)
}

// addKey adds a key if the configuration accepts one of its signature algorithms.
func (ids *identities) addKey(id offeredKey) {
	signer, ok := sshconn.LimitedSigner(id.signer, ids.accepts)
	if !ok {
		ids.noteSkipped("%s: %s is not in PubkeyAcceptedAlgorithms", id.name, id.signer.PublicKey().Type())
		return
	}
	ids.keys = append(ids.keys, offeredKey{name: id.name, signer: signer})
}

// foundKeys holds the existing key files of a target.
type foundKeys struct {
	list  []*sshconn.KeyFile
	byKey map[string]*sshconn.KeyFile // by public key
	certs []*sshconn.KeyFile
}

func (d *Door) keyFiles(t *settings.Settings, ids *identities) foundKeys {
	found := foundKeys{byKey: map[string]*sshconn.KeyFile{}}
	certs := t.CertificateFiles
	for _, path := range t.IdentityFiles {
		f := d.keys.Load(path)
		switch {
		case f.Pub != nil:
			found.byKey[string(f.Pub.Marshal())] = f
			found.list = append(found.list, f)
		case f.Locked:
			found.list = append(found.list, f)
		case !t.DefaultIdentities || !errors.Is(f.Err, fs.ErrNotExist):
			ids.noteSkipped("%s: %v", path, f.Err)
		}
		if len(t.CertificateFiles) == 0 { // otherwise ssh does not look beside the keys
			certs = append(certs, path+"-cert.pub")
		}
	}
	for _, path := range certs {
		if f := d.keys.Load(path); f.Cert != nil {
			found.certs = append(found.certs, f)
		}
	}
	return found
}

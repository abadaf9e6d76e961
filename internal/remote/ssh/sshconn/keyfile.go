package sshconn

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// KeyCache caches parsed key files, so 64 nodes cost one read. A changed file is read again.
type KeyCache struct {
	mu    sync.Mutex
	files map[string]*KeyFile
}

// NewKeyCache returns an empty cache.
func NewKeyCache() *KeyCache { return &KeyCache{files: map[string]*KeyFile{}} }

// KeyFile is a private key or a certificate, or the reason why it cannot be read.
type KeyFile struct {
	Path   string
	Stamp  string
	Signer ssh.Signer       // nil: it cannot sign by itself
	Pub    ssh.PublicKey    // identifies a key in the agent; nil: unknown
	Locked bool             // needs a passphrase
	Cert   *ssh.Certificate // nil: the file is a key
	Err    error            // nil: Signer, Locked or Cert is set, or the file is a public key
}

func (c *KeyCache) Load(path string) *KeyFile {
	stamp := keyStamp(path) + keyStamp(path+".pub")
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.files[path]; f != nil && f.Stamp == stamp {
		return f
	}
	f := readKeyFile(path)
	f.Stamp = stamp
	c.files[path] = f
	return f
}

func readKeyFile(path string) *KeyFile {
	f := &KeyFile{Path: path}
	f.readKey()
	if f.Pub == nil {
		f.Pub = readPublic(path + ".pub") // nil, or a format that keeps it behind the passphrase
	}
	return f
}

func (f *KeyFile) readKey() {
	data, err := os.ReadFile(f.Path)
	if err != nil {
		f.Err = err
		return
	}
	if pub, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
		f.Pub = pub
		f.Cert, _ = pub.(*ssh.Certificate)
		return // a .pub file identifies a key in the agent
	}
	f.Signer, f.Err = ssh.ParsePrivateKey(data)
	if locked, ok := errors.AsType[*ssh.PassphraseMissingError](f.Err); ok {
		f.Locked, f.Err, f.Pub = true, nil, locked.PublicKey
	} else if f.Err == nil {
		f.Pub = f.Signer.PublicKey()
	}
	if f.Err == nil {
		f.Err = checkProtection(f.Path)
	}
	if f.Err != nil {
		f.Signer, f.Locked = nil, false
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

// checkProtection returns an error if others may read a private key of ours. OpenSSH rejects such a key too.
func checkProtection(path string) error {
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

// keyStamp returns a string that changes when the file at path changes.
func keyStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d %v", info.Size(), info.ModTime().UnixNano(), info.Mode())
}

package ssh

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
)

// Asker asks the user a question of a host, or our own question if host is empty. It shows which of the two it is,
// whatever the host writes. Answers to secret questions are not echoed. An empty answer skips the question.
type Asker interface {
	Ask(ctx context.Context, host, prompt string, secret bool) (string, error)
}

// maxAnswering is the time for all answers of the user in one login. sshd waits two minutes.
const maxAnswering = 3 * time.Minute

// askUser asks the user a question of host, or one of ours. The connection's deadline is extended by the time for the
// answer.
func (a *hostLogin) askUser(ctx context.Context, host, prompt string, secret bool) (string, error) {
	a.conn.Allow(maxAnswering)
	defer a.conn.Allow(a.d.limits.login)
	text, err := a.asker.Ask(ctx, host, prompt, secret)
	a.asked = a.asked || err == nil
	return text, err
}

// maxTries is how often the user may answer the same question.
const maxTries = 3

var errSkipped = errors.New("skipped")

// signerFor returns a signer for a locked key: the decrypted key, or one that asks for the passphrase once a host
// accepts the key; nil if nobody can be asked.
func (a *hostLogin) signerFor(ctx context.Context, f *sshconn.KeyFile) ssh.Signer {
	key := a.d.secrets.Unlocked(f)
	switch {
	case key != nil:
		return key
	case a.asker == nil:
		return nil
	case f.Pub == nil: // there is nothing to offer to the host: ask now, as ssh does
		key, _ = a.unlockKey(ctx, f)
		return key
	}
	return &lockedKey{trip: a, ctx: ctx, file: f}
}

// unlockKey asks for the passphrase of a key.
func (a *hostLogin) unlockKey(ctx context.Context, f *sshconn.KeyFile) (ssh.Signer, error) {
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, err
	}
	for range maxTries {
		text, err := a.askUser(ctx, "", fmt.Sprintf("Passphrase of the key %q: ", f.Path), true)
		if err != nil {
			return nil, err
		}
		if text == "" {
			break
		}
		signer, err := a.decryptKey(data, text)
		if errors.Is(err, x509.IncorrectPasswordError) {
			continue
		}
		if err != nil {
			return nil, err
		}
		a.d.secrets.KeepKey(f, signer)
		return signer, nil
	}
	return nil, errSkipped
}

// decryptKey decrypts a key. A key with many rounds (ssh-keygen -a) takes its time on this host, for which no other
// host is to blame.
func (a *hostLogin) decryptKey(data []byte, passphrase string) (ssh.Signer, error) {
	a.conn.Allow(maxAnswering)
	defer a.conn.Allow(a.d.limits.login)
	return ssh.ParsePrivateKeyWithPassphrase(data, []byte(passphrase))
}

// lockedKey is a key that asks for its passphrase when it must sign. One login uses it.
type lockedKey struct {
	trip *hostLogin
	ctx  context.Context
	file *sshconn.KeyFile
}

func (k *lockedKey) PublicKey() ssh.PublicKey { return k.file.Pub }

func (k *lockedKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return k.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm implements ssh.AlgorithmSigner.
func (k *lockedKey) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signer, err := k.trip.unlockKey(k.ctx, k.file)
	if err != nil {
		return nil, err
	}
	if s, ok := signer.(ssh.AlgorithmSigner); ok && algorithm != "" {
		return s.SignWithAlgorithm(rand, data, algorithm)
	}
	return signer.Sign(rand, data)
}

package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// login is the stage login. It offers one key after the other and remembers the result.
type login struct {
	trip    *trip
	ids     *identities // nil until sshd has sent its methods
	asks    questions
	tried   int
	proven  string   // name of the key that was accepted and has signed
	methods []string // accepted by sshd
}

// next is an ssh.ClientAuthCallback with a context.
func (l *login) next(ctx context.Context, auth *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	l.methods = auth.AllowedMethods
	if m := l.nextKey(ctx); m != nil {
		return m, nil
	}
	return l.asks.next(ctx, auth), nil
}

// nextKey returns the next key to offer; nil: there is none.
func (l *login) nextKey(ctx context.Context) ssh.AuthMethod {
	if !slices.Contains(l.methods, "publickey") {
		return nil
	}
	if l.ids == nil {
		l.ids = l.trip.d.identities(ctx, l.trip.target, func(f *keyFile) ssh.Signer { return l.trip.unlocked(ctx, f) })
	}
	// If a key has signed and the login still failed, more keys would only use up sshd's attempts.
	if l.tried == len(l.ids.keys) || l.proven != "" {
		return nil
	}
	key := l.ids.keys[l.tried]
	l.tried++
	l.trip.log.Begin(StageLogin, fmt.Sprintf("trying publickey (key %d of %d)", l.tried, len(l.ids.keys)))
	return ssh.PublicKeys(witness(key.signer, func() { l.proven = key.name }))
}

// accepted returns the text of a successful login.
func (l *login) accepted() string {
	answered := l.asks.rounds > 0
	switch {
	case l.proven == "" && answered:
		return "answers accepted"
	case l.proven == "":
		return "accepted without a key"
	case answered:
		return "publickey and answers accepted, " + l.proven
	}
	return "publickey accepted, " + l.proven
}

// explain adds the state of the login to the error of a handshake that got as far as the login.
func (l *login) explain(err error) error {
	if _, isKey := errors.AsType[*hostKeyError](err); l.methods == nil || isKey {
		l.asks.settle(unheard)
		return err
	}
	e := &loginError{err: err, proven: l.proven, methods: l.methods, tried: l.tried, question: l.asks.open,
		refused: l.asks.rounds > 0}
	if l.ids != nil {
		e.skipped = l.ids.skipped
		for _, key := range l.ids.keys[:l.tried] {
			e.offered = append(e.offered, key.name)
		}
	}
	if e.rejected() {
		l.asks.settle(refused)
	} else {
		l.asks.settle(unheard)
	}
	return e
}

func (l *login) close() {
	if l.ids != nil && l.ids.agent != nil {
		drop(l.ids.agent)
	}
}

// loginError is a failed login.
type loginError struct {
	err     error
	proven  string   // the key that was accepted, before something else failed
	tried   int      // keys offered
	offered []string // their names
	methods []string // accepted by the node
	skipped []string // keys that cannot be used, and why

	question string // one that nobody has answered
	refused  bool   // answers were not accepted
}

func (e *loginError) Error() string { return e.err.Error() }
func (e *loginError) Unwrap() error { return e.err }

// rejected reports whether sshd rejected the login, as opposed to closing the connection.
func (e *loginError) rejected() bool {
	return slices.ContainsFunc([]string{"ssh: unable to authenticate", "ssh: disconnect",
		"ssh: no common public key signature algorithm"},
		func(words string) bool { return strings.Contains(e.err.Error(), words) })
}

// witness returns signer with a callback for its use: a key signs only after sshd has accepted it. A signer that fails
// to sign is not used.
func witness(signer ssh.Signer, used func()) ssh.Signer {
	algorithms, ok := signer.(ssh.AlgorithmSigner)
	if !ok {
		return signer
	}
	w := witnessSigner{AlgorithmSigner: algorithms, used: used}
	if multi, ok := signer.(ssh.MultiAlgorithmSigner); ok {
		return &witnessMultiSigner{witnessSigner: w, algorithms: multi.Algorithms()}
	}
	return &w
}

type witnessSigner struct {
	ssh.AlgorithmSigner
	used func()
}

func (w *witnessSigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signature, err := w.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
	if err == nil {
		w.used()
	}
	return signature, err
}

type witnessMultiSigner struct {
	witnessSigner
	algorithms []string
}

func (w *witnessMultiSigner) Algorithms() []string { return w.algorithms }

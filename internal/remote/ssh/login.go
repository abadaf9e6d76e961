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

// login is the stage login: it offers one key after the other and remembers how far that came.
type login struct {
	trip    *trip
	ids     *identities // nil until sshd has said which methods it takes
	tried   int
	proven  string   // the key that sshd accepted and that has signed
	methods []string // that sshd takes
}

// next is an ssh.ClientAuthCallback, once it has a context.
func (l *login) next(ctx context.Context, auth *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	l.methods = auth.AllowedMethods
	if !slices.Contains(auth.AllowedMethods, "publickey") {
		return nil, nil
	}
	if l.ids == nil {
		l.ids = l.trip.d.identities(ctx, l.trip.target)
	}
	// A key that has signed and was not taken after all ends it: the next ones would only use up sshd's patience.
	if l.tried == len(l.ids.keys) || l.proven != "" {
		return nil, nil
	}
	key := l.ids.keys[l.tried]
	l.tried++
	l.trip.log.Begin(StageLogin, fmt.Sprintf("trying publickey (key %d of %d)", l.tried, len(l.ids.keys)))
	return ssh.PublicKeys(witness(key.signer, func() { l.proven = key.name })), nil
}

// accepted is the text of a login that has succeeded.
func (l *login) accepted() string {
	if l.proven == "" {
		return "accepted without a key"
	}
	return "publickey accepted, " + l.proven
}

// explain puts what is known of the login around the error of a handshake that had come to it.
func (l *login) explain(err error) error {
	if _, isKey := errors.AsType[*hostKeyError](err); l.methods == nil || isKey {
		return err
	}
	e := &loginError{err: err, proven: l.proven, methods: l.methods, tried: l.tried}
	if l.ids != nil {
		e.skipped = l.ids.skipped
	}
	return e
}

func (l *login) close() {
	if l.ids != nil && l.ids.agent != nil {
		drop(l.ids.agent)
	}
}

// loginError is a login that failed.
type loginError struct {
	err     error
	proven  string   // the key that was accepted before something else refused
	tried   int      // keys offered
	methods []string // that the node takes
	skipped []string // keys that could not be used, and why
}

func (e *loginError) Error() string { return e.err.Error() }
func (e *loginError) Unwrap() error { return e.err }

// rejected reports whether sshd said no, as opposed to a connection that ended.
func (e *loginError) rejected() bool {
	return strings.Contains(e.err.Error(), "ssh: unable to authenticate") || strings.Contains(e.err.Error(), "ssh: disconnect")
}

// witness is signer with a note of its use: a key signs only after sshd has accepted it.
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
	w.used()
	return w.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}

type witnessMultiSigner struct {
	witnessSigner
	algorithms []string
}

func (w *witnessMultiSigner) Algorithms() []string { return w.algorithms }

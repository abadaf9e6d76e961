package ssh

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// Asker asks the user a question of a host, or one of our own if host is empty. It shows which of both it is, whatever
// the host writes. secret answers are not echoed. An empty answer skips the question.
type Asker interface {
	Ask(ctx context.Context, host, prompt string, secret bool) (string, error)
}

// maxAnswering is how long the user may take for all answers of one login. An sshd waits for two minutes.
const maxAnswering = 3 * time.Minute

// secrets is what the user has typed: decrypted keys, so that a new connection asks nothing, and passwords. Nothing of
// it is ever written anywhere.
type secrets struct {
	mu      sync.Mutex
	keys    map[string]ssh.Signer // by file and state of the file
	answers map[string]*answer    // by answerKey
}

func newSecrets() *secrets {
	return &secrets{keys: map[string]ssh.Signer{}, answers: map[string]*answer{}}
}

// answer is one that a host has accepted. Until it was accepted twice it may be for one use only: then one login at a
// time tries it, so that a stale code is refused once and not by each of 512 nodes.
type answer struct {
	text   string
	turn   chan struct{} // holds a token while a login tries it
	proven bool          // accepted twice
	stale  bool          // refused
}

// oneTime matches prompts whose answer is of no use later.
var oneTime = regexp.MustCompile(`(?i)otp|code|token|factor|duo|yubi|one.?time|verification`)

// keep remembers an accepted answer.
func (s *secrets) keep(key, prompt, text string) {
	if oneTime.MatchString(prompt) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[key] = &answer{text: text, turn: make(chan struct{}, 1)}
}

// knows reports whether there is an answer whose key begins with prefix.
func (s *secrets) knows(prefix string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.answers {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// verdict is what a host made of an answer.
type verdict int

// The verdict is unheard if the login ended for another reason.
const (
	unheard verdict = iota
	accepted
	refused
)

// take returns an answer, and what is to be told the host's verdict, once; nil: there is no answer.
func (s *secrets) take(ctx context.Context, key string) (text string, tell func(verdict)) {
	s.mu.Lock()
	a := s.answers[key]
	proven := a != nil && a.proven
	s.mu.Unlock()
	switch {
	case a == nil:
		return "", nil
	case !proven:
		select {
		case a.turn <- struct{}{}:
		case <-ctx.Done():
			return "", nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.stale {
		if !proven {
			<-a.turn
		}
		return "", nil
	}
	return a.text, func(v verdict) {
		s.mu.Lock()
		defer s.mu.Unlock()
		a.proven, a.stale = a.proven || v == accepted, a.stale || v == refused
		if v == refused && s.answers[key] == a {
			delete(s.answers, key)
		}
		if !proven {
			<-a.turn
		}
	}
}

// ask asks the user a question of host, or one of ours. Meanwhile the connection has the time that the user may take.
func (a *trip) ask(ctx context.Context, host, prompt string, secret bool) (string, error) {
	a.conn.allow(maxAnswering)
	defer a.conn.allow(a.d.limits.login)
	text, err := a.asker.Ask(ctx, host, prompt, secret)
	a.asked = a.asked || err == nil
	return text, err
}

// maxTries is how often the user may answer the same question.
const maxTries = 3

var errSkipped = errors.New("skipped")

// unlocked returns a signer for a locked key: the decrypted key, or one that asks for the passphrase once a host
// accepts the key; nil if nobody can be asked.
func (a *trip) unlocked(ctx context.Context, f *keyFile) ssh.Signer {
	s := a.d.secrets
	s.mu.Lock()
	key := s.keys[f.path+"\n"+f.stamp]
	s.mu.Unlock()
	switch {
	case key != nil:
		return key
	case a.asker == nil:
		return nil
	case f.pub == nil: // nothing to offer to the host: ask now, as ssh does
		key, _ = a.unlock(ctx, f)
		return key
	}
	return &lockedKey{trip: a, ctx: ctx, file: f}
}

// unlock asks for the passphrase of a key.
func (a *trip) unlock(ctx context.Context, f *keyFile) (ssh.Signer, error) {
	data, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	for range maxTries {
		text, err := a.ask(ctx, "", fmt.Sprintf("Passphrase of the key %q: ", f.path), true)
		if err != nil {
			return nil, err
		}
		if text == "" {
			break
		}
		signer, err := ssh.ParsePrivateKeyWithPassphrase(data, []byte(text))
		if errors.Is(err, x509.IncorrectPasswordError) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s := a.d.secrets
		s.mu.Lock()
		s.keys[f.path+"\n"+f.stamp] = signer
		s.mu.Unlock()
		return signer, nil
	}
	return nil, errSkipped
}

// lockedKey is a key whose passphrase is asked for when it is to sign. It is used by one login.
type lockedKey struct {
	trip *trip
	ctx  context.Context
	file *keyFile
}

func (k *lockedKey) PublicKey() ssh.PublicKey { return k.file.pub }

func (k *lockedKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return k.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm implements ssh.AlgorithmSigner.
func (k *lockedKey) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signer, err := k.trip.unlock(k.ctx, k.file)
	if err != nil {
		return nil, err
	}
	if s, ok := signer.(ssh.AlgorithmSigner); ok && algorithm != "" {
		return s.SignWithAlgorithm(rand, data, algorithm)
	}
	return signer.Sign(rand, data)
}

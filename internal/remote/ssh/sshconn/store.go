package sshconn

import (
	"context"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// SecretStore holds what the user entered: decrypted keys, so that a new connection asks nothing, and passwords. It is
// never written anywhere.
type SecretStore struct {
	mu      sync.Mutex
	keys    map[string]ssh.Signer      // by file and its state
	answers map[string]*acceptedAnswer // by answerKey
}

func NewSecretStore() *SecretStore {
	return &SecretStore{keys: map[string]ssh.Signer{}, answers: map[string]*acceptedAnswer{}}
}

// acceptedAnswer is an answer that a host has accepted. Until it has been accepted twice it may be a one-time code: one
// login at a time tries it, so that a stale code is refused once and not by each of 512 nodes.
type acceptedAnswer struct {
	text   string
	turn   chan struct{} // holds a token while a login tries it
	proven bool          // accepted twice
	stale  bool          // it was refused
}

// oneTimePrompt matches prompts whose answer is useless later.
var oneTimePrompt = regexp.MustCompile(`(?i)otp|code|token|factor|duo|yubi|one.?time|verification`)

// Unlocked returns the decrypted key of a file; nil: it is not known.
func (s *SecretStore) Unlocked(f *KeyFile) ssh.Signer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[f.Path+"\n"+f.Stamp]
}

// KeepKey remembers the decrypted key of a file.
func (s *SecretStore) KeepKey(f *KeyFile, key ssh.Signer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[f.Path+"\n"+f.Stamp] = key
}

// Keep remembers an accepted answer.
func (s *SecretStore) Keep(key, prompt, text string) {
	if oneTimePrompt.MatchString(prompt) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[key] = &acceptedAnswer{text: text, turn: make(chan struct{}, 1)}
}

// Knows reports whether there is an answer whose key begins with prefix.
func (s *SecretStore) Knows(prefix string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.answers {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// AnswerVerdict is a host's reaction to an answer.
type AnswerVerdict int

// Verdicts on an answer. It is unheard if the login ended for another reason.
const (
	AnswerUnheard AnswerVerdict = iota
	AnswerAccepted
	AnswerRefused
)

// Take returns an answer, and a function that must be called once with the host's verdict; nil: there is no answer.
func (s *SecretStore) Take(ctx context.Context, key string) (text string, tell func(AnswerVerdict)) {
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
	return a.text, func(v AnswerVerdict) {
		s.mu.Lock()
		defer s.mu.Unlock()
		a.proven, a.stale = a.proven || v == AnswerAccepted, a.stale || v == AnswerRefused
		if v == AnswerRefused && s.answers[key] == a {
			delete(s.answers, key)
		}
		if !proven {
			<-a.turn
		}
	}
}

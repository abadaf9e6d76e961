package advice

import (
	"fmt"
	"slices"
	"strings"
)

// LoginError is a failed login.
type LoginError struct {
	Err     error
	Proven  string   // a key that was accepted before something else failed
	Tried   int      // keys offered
	Offered []string // their names
	Methods []string // methods that the node accepts
	Skipped []string // keys that cannot be used, and why

	Question string // a question that nobody answered
	Refused  bool   // answers were not accepted
}

func (e *LoginError) Error() string { return e.Err.Error() }

func (e *LoginError) Unwrap() error { return e.Err }

// Rejected reports whether sshd rejected the login, rather than closed the connection.
func (e *LoginError) Rejected() bool {
	return slices.ContainsFunc([]string{"ssh: unable to authenticate", "ssh: disconnect",
		"ssh: no common public key signature algorithm"},
		func(words string) bool { return strings.Contains(e.Err.Error(), words) })
}

// SessionError is sshd's refusal to open a session or to run a command in it.
type SessionError struct{ Err error }

func (e *SessionError) Error() string { return fmt.Sprintf("open a session: %v", e.Err) }

func (e *SessionError) Unwrap() error { return e.Err }

// OpenError is a jump host's answer that it cannot reach a host.
type OpenError struct{ Err error }

func (e *OpenError) Error() string { return e.Err.Error() }

func (e *OpenError) Unwrap() error { return e.Err }

// ClosedByHost is the reason given when a jump host closed its connection.
const ClosedByHost = "closed by the host"

// NeedsPassphrase is the reason why a key file cannot be used.
const NeedsPassphrase = "needs a passphrase"

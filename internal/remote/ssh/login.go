package ssh

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
)

// login is the stage login. It offers one key after another, and remembers the result.
type login struct {
	trip    *hostLogin
	ids     *identities // nil until sshd has sent its methods
	asks    questions
	tried   int
	proven  string   // name of the key that was accepted and has signed
	methods []string // accepted by sshd
}

// nextMethod is an ssh.ClientAuthCallback with a context.
func (l *login) nextMethod(ctx context.Context, auth *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	l.methods = auth.AllowedMethods
	if m := l.nextKey(ctx); m != nil {
		return m, nil
	}
	return l.asks.nextMethod(ctx, auth), nil
}

// nextKey returns the next key to offer; nil: there is none.
func (l *login) nextKey(ctx context.Context) ssh.AuthMethod {
	if !slices.Contains(l.methods, "publickey") {
		return nil
	}
	if l.ids == nil {
		l.ids = l.trip.d.collectKeys(ctx, l.trip.target,
			func(f *sshconn.KeyFile) ssh.Signer { return l.trip.signerFor(ctx, f) })
	}
	// If a key has signed and the login failed nevertheless, more keys would only use up sshd's attempts.
	if l.tried == len(l.ids.keys) || l.proven != "" {
		return nil
	}
	key := l.ids.keys[l.tried]
	l.tried++
	l.trip.log.Begin(advice.StageLogin, fmt.Sprintf("trying publickey (key %d of %d)", l.tried, len(l.ids.keys)))
	return ssh.PublicKeys(sshconn.WitnessedSigner(key.signer, func() { l.proven = key.name }))
}

// loginText returns the text of a successful login.
func (l *login) loginText() string {
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

// explainError adds the state of the login to the error of a handshake that got as far as the login.
func (l *login) explainError(err error) error {
	if _, isKey := errors.AsType[*hostKeyError](err); l.methods == nil || isKey {
		l.asks.keepAnswers(sshconn.AnswerUnheard)
		return err
	}
	e := &advice.LoginError{Err: err, Proven: l.proven, Methods: l.methods, Tried: l.tried, Question: l.asks.open,
		Refused: l.asks.rounds > 0}
	if l.ids != nil {
		e.Skipped = l.ids.skipped
		for _, key := range l.ids.keys[:l.tried] {
			e.Offered = append(e.Offered, key.name)
		}
	}
	if e.Rejected() {
		l.asks.keepAnswers(sshconn.AnswerRefused)
	} else {
		l.asks.keepAnswers(sshconn.AnswerUnheard)
	}
	return e
}

func (l *login) closeAgent() {
	if l.ids != nil && l.ids.agent != nil {
		closeQuietly(l.ids.agent)
	}
}

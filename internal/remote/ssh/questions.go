package ssh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
)

// questions is the part of a login in which the host asks: keyboard-interactive, or a password.
type questions struct {
	trip   *hostLogin
	rounds int
	taken  map[string]func(sshconn.AnswerVerdict) // remembered answers that were used; nil: refused
	given  []givenAnswer
	open   string // a question that nobody answered
}

// givenAnswer is an answer of the user.
type givenAnswer struct{ key, prompt, text string }

// Limits of a host's questions.
const (
	maxRounds    = 6
	maxQuestions = 8    // in one round
	maxPrompt    = 2000 // bytes
)

var errNobody = errors.New("nobody answers the host's question")

const passwordPrompt = "Password: "

// nextMethod returns a method with a question that can be answered; nil: there is none. A jump host is asked for its
// question even if nobody can answer, so that the failure names the question, and since there may be none. A compute
// node is not asked: its question could be a call to somebody's phone, 512 times.
func (q *questions) nextMethod(ctx context.Context, auth *ssh.ClientAuthContext) ssh.AuthMethod {
	interactive, password := slices.Contains(auth.AllowedMethods, "keyboard-interactive"),
		slices.Contains(auth.AllowedMethods, "password")
	asks := q.trip.asker != nil
	most := 1
	if asks || len(auth.PartialSuccessMethods) > 0 {
		most = maxTries
	}
	if q.open != "" || q.rounds == maxRounds || q.countRefused(auth) >= most {
		return nil
	}
	switch {
	case interactive && (asks || q.trip.isJump || q.trip.d.secrets.Knows(q.key(""))):
		q.rounds++
		return ssh.KeyboardInteractive(func(_, instruction string, prompts []string, echos []bool) ([]string, error) {
			return q.answerAll(ctx, instruction, prompts, echos)
		})
	case password && (asks || q.trip.d.secrets.Knows(q.key(passwordPrompt))):
		q.rounds++
		return ssh.PasswordCallback(func() (string, error) { return q.getAnswer(ctx, "", passwordPrompt, true) })
	}
	return nil
}

// countRefused returns in how many rounds the host refused the answers.
func (q *questions) countRefused(auth *ssh.ClientAuthContext) int {
	n := 0
	for _, m := range auth.TriedMethods {
		if m == "keyboard-interactive" || m == "password" {
			n++
		}
	}
	return n
}

func (q *questions) answerAll(ctx context.Context, instruction string, prompts []string, echos []bool) ([]string,
	error) {
	if len(prompts) > maxQuestions {
		return nil, fmt.Errorf("the host asks %d questions at once", len(prompts))
	}
	answers := make([]string, len(prompts))
	for i, prompt := range prompts {
		var err error
		if answers[i], err = q.getAnswer(ctx, instruction, prompt, !echos[i]); err != nil {
			return nil, err
		}
		instruction = ""
	}
	return answers, nil
}

// getAnswer returns an answer that the host has accepted before, or asks the user.
func (q *questions) getAnswer(ctx context.Context, instruction, prompt string, secret bool) (string, error) {
	key := q.key(prompt)
	if tell, used := q.taken[key]; used { // asked again
		if tell != nil {
			tell(sshconn.AnswerRefused)
		}
		q.taken[key] = nil
	} else {
		if known, tell := q.trip.d.secrets.Take(ctx, key); tell != nil {
			q.taken[key] = tell
			return known, nil
		}
	}
	prompt = text.Cut(prompt, maxPrompt)
	if q.trip.asker == nil {
		q.open = prompt
		return "", errNobody
	}
	if instruction = strings.TrimSpace(text.Cut(instruction, maxPrompt)); instruction != "" {
		instruction += "\n"
	}
	typed, err := q.trip.askUser(ctx, q.trip.target.User+"@"+q.trip.node, instruction+prompt, secret)
	if err != nil {
		q.open = prompt
		return "", err
	}
	if secret {
		q.given = append(q.given, givenAnswer{key, prompt, typed})
	}
	return typed, nil
}

// key returns the scope of an answer: the same question of the same jump host, or of any compute node in the same
// domain. A password for a jump host is never sent to a node.
func (q *questions) key(prompt string) string {
	at := "nodes of " + domainOf(q.trip.node)
	if q.trip.isJump {
		at = jumpKey(q.trip.before, q.trip.to)
	}
	return at + "\n" + q.trip.target.User + "\n" + prompt
}

// domainOf returns the domain of a name; empty: it has none, like most node names in SLURM.
func domainOf(node string) string {
	_, domain, _ := strings.Cut(node, ".")
	return strings.ToLower(domain)
}

// keepAnswers remembers the answers of a login that succeeded, and forgets those that a host refused.
func (q *questions) keepAnswers(v sshconn.AnswerVerdict) {
	for _, tell := range q.taken {
		if tell != nil {
			tell(v)
		}
	}
	if v != sshconn.AnswerAccepted {
		return
	}
	for _, g := range q.given {
		q.trip.d.secrets.Keep(g.key, g.prompt, g.text)
	}
}

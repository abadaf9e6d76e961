package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func dialError(errno syscall.Errno) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno)}
}

func TestClassify(t *testing.T) {
	timeout := &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
	adopt := "Access denied by pam_slurm_adopt: you have no active jobs on this node\n"
	for _, c := range []struct {
		name    string
		at      circumstances
		err     error
		class   reach.Class
		summary string
		says    string // somewhere in words, meaning or hints
	}{
		{"dns", circumstances{stage: reach.StageName}, &net.DNSError{Err: "no such host", Name: "n", IsNotFound: true}, reach.ClassUnknownHost, "unknown host", "getent hosts n1"},
		{"dns is down", circumstances{stage: reach.StageName}, &net.DNSError{Err: "Temporary failure in name resolution", Name: "n", IsTemporary: true}, reach.ClassUnknownHost, "unknown host", "Temporary failure"},
		{"dns is slow", circumstances{stage: reach.StageName, took: 5 * time.Second}, fmt.Errorf("lookup: %w", context.DeadlineExceeded), reach.ClassUnknownHost, "name not resolved after 5s", ""},
		{"refused", circumstances{stage: reach.StageTCP}, dialError(syscall.ECONNREFUSED), reach.ClassRefused, "connection refused", "Connection refused"},
		{"no route", circumstances{stage: reach.StageTCP}, dialError(syscall.EHOSTUNREACH), reach.ClassNoRoute, "no route to the host", ""},
		{"no network", circumstances{stage: reach.StageTCP}, dialError(syscall.ENETUNREACH), reach.ClassNoRoute, "no route to the host", ""},
		{"kernel's timeout", circumstances{stage: reach.StageTCP, took: 4 * time.Second}, dialError(syscall.ETIMEDOUT), reach.ClassTimeout, "no answer after 4s", "scontrol show node n1"},
		{"our timeout", circumstances{stage: reach.StageTCP, took: 5 * time.Second}, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, reach.ClassTimeout, "no answer after 5s", ""},
		{"files", circumstances{stage: reach.StageTCP}, dialError(syscall.EMFILE), reach.ClassLocal, "too many open files or connections here", ""},
		{"frozen", circumstances{stage: reach.StageSSH, took: 5 * time.Second, broken: timeout}, fmt.Errorf("ssh: handshake failed: %w", timeout), reach.ClassFrozen, "sshd says nothing after 5s", ""},
		{"MaxStartups", circumstances{stage: reach.StageSSH, peer: "10.0.0.1:22"}, fmt.Errorf("ssh: handshake failed: %w", io.EOF), reach.ClassClosed, "sshd closes the connection", "MaxStartups"},
		{"adopt", circumstances{stage: reach.StageLogin, words: adopt, peer: "10.0.0.1:22"}, &loginError{err: io.EOF, proven: "id", methods: []string{"publickey"}, tried: 1}, reach.ClassAdopt, "login refused (pam_slurm_adopt)", "running step of yours"},
		{"adopt behind a legal notice", circumstances{stage: reach.StageLogin, words: strings.Repeat("Unauthorised use is prohibited. ", 500) + adopt}, &loginError{err: io.EOF, proven: "id", methods: []string{"publickey"}, tried: 1}, reach.ClassAdopt, "login refused (pam_slurm_adopt)", "no active jobs on this node"},
		{"adopt by reset", circumstances{stage: reach.StageLogin, words: adopt}, &loginError{err: syscall.ECONNRESET, proven: "id", methods: []string{"publickey"}, tried: 1}, reach.ClassAdopt, "login refused (pam_slurm_adopt)", ""},
		{"nologin", circumstances{stage: reach.StageLogin, words: "System is going down", peer: "10.0.0.1:22"}, &loginError{err: io.EOF, proven: "id", methods: []string{"publickey"}, tried: 1}, reach.ClassDenied, "login refused after the key was accepted", "going down"},
		{"no key", circumstances{stage: reach.StageLogin, words: "a banner that explains pam_slurm_adopt"}, &loginError{err: errors.New("ssh: handshake failed: ssh: unable to authenticate, attempted methods [none]"), methods: []string{"publickey", "hostbased"}, skipped: []string{"x has a passphrase"}}, reach.ClassAuth, "permission denied (publickey,hostbased)", "No key could be offered: x has a passphrase."},
		{"too many keys", circumstances{stage: reach.StageLogin}, &loginError{err: errors.New(`ssh: disconnect, reason 2: "Too many authentication failures"`), tried: 6, methods: []string{"publickey"}}, reach.ClassAuth, "permission denied (publickey)", "IdentitiesOnly"},
		{"two factors", circumstances{stage: reach.StageLogin}, &loginError{err: errors.New("ssh: unable to authenticate"), proven: "id", tried: 1, methods: []string{"keyboard-interactive"}}, reach.ClassAuth, "login refused (a key is not enough)", "something more"},
		{"login takes too long", circumstances{stage: reach.StageLogin, took: 10 * time.Second, broken: timeout}, &loginError{err: timeout, proven: "id", methods: []string{"publickey"}, tried: 1}, reach.ClassTimeout, "login not finished after 10s", ""},
		{"silent", circumstances{broken: timeout}, &probeError{read: io.EOF, finished: true, exit: io.EOF}, reach.ClassSilent, "silent: the connection died", ""},
		{"garbage", circumstances{}, &probeError{read: errors.New(`not a message: "x"`)}, reach.ClassGarbage, "what came is not the probe's protocol", `"x"`},
		{"too long", circumstances{}, &probeError{read: wire.ErrLineTooLong}, reach.ClassTooMuch, "a line longer than the protocol allows", ""},
		{"reset", circumstances{broken: syscall.ECONNRESET, peer: "10.0.0.1:22"}, &probeError{read: io.EOF}, reach.ClassClosed, "connection closed", "Connection closed by 10.0.0.1 port 22"},
		{"anything", circumstances{stage: reach.StageSSH}, errors.New("ssh: no common algorithm"), reach.ClassOther, "failed: ssh: no common algorithm", "no common algorithm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.at.node, c.at.user = "n1", "alice"
			f := classify(c.at, c.err).failure
			if f.Class != c.class || f.Summary != c.summary || f.Stage != c.at.stage {
				t.Errorf("got %s, want %s %q", describe(f), c.class, c.summary)
			}
			if all := describe(f); !strings.Contains(all, c.says) || strings.Contains(all, "NODE") {
				t.Errorf("%q is not said in %s", c.says, all)
			}
		})
	}
}

func TestWordsAreCapped(t *testing.T) {
	f := classify(circumstances{words: strings.Repeat("w", maxCapture)}, errors.New(strings.Repeat("e", 999))).failure
	if len(f.Words) != maxWords || len(f.Summary) > 100 {
		t.Errorf("%d bytes of words, %d of summary", len(f.Words), len(f.Summary))
	}
}

package advice

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

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func dialError(errno syscall.Errno) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno)}
}

func TestClassify(t *testing.T) {
	timeout := &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
	adopt := "Access denied by pam_slurm_adopt: you have no active jobs on this node\n"
	for _, c := range []struct {
		name    string
		c       remote.Case
		at      Circumstances
		err     error
		class   reach.Class
		summary string
		says    string // somewhere in words, meaning or hints
	}{
		{"dns", remote.Case{Stage: StageName}, Circumstances{}, &net.DNSError{Err: "no such host", Name: "n",
			IsNotFound: true}, reach.ClassUnknownHost, "unknown host", "getent hosts n1"},
		{"dns is down", remote.Case{Stage: StageName}, Circumstances{},
			&net.DNSError{Err: "Temporary failure in name resolution", Name: "n", IsTemporary: true},
			reach.ClassUnknownHost, "unknown host", "Temporary failure"},
		{"dns is slow", remote.Case{Stage: StageName, Took: 5 * time.Second}, Circumstances{},
			fmt.Errorf("lookup: %w", context.DeadlineExceeded), reach.ClassUnknownHost, "name not resolved after 5s",
			""},
		{"refused", remote.Case{Stage: StageTCP}, Circumstances{}, dialError(syscall.ECONNREFUSED), reach.ClassRefused,
			"connection refused", "Connection refused"},
		{"no route", remote.Case{Stage: StageTCP}, Circumstances{}, dialError(syscall.EHOSTUNREACH), reach.ClassNoRoute,
			"no route to host", ""},
		{"no network", remote.Case{Stage: StageTCP}, Circumstances{}, dialError(syscall.ENETUNREACH),
			reach.ClassNoRoute, "no route to host", ""},
		{"kernel's timeout", remote.Case{Stage: StageTCP, Took: 4 * time.Second}, Circumstances{},
			dialError(syscall.ETIMEDOUT), reach.ClassTimeout, "no response after 4s", "scontrol show node n1"},
		{"our timeout", remote.Case{Stage: StageTCP, Took: 5 * time.Second}, Circumstances{},
			&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, reach.ClassTimeout, "no response after 5s", ""},
		{"files", remote.Case{Stage: StageTCP}, Circumstances{}, dialError(syscall.EMFILE), reach.ClassLocal,
			"too many open files or connections on this host", ""},
		{"frozen", remote.Case{Stage: StageSSH, Took: 5 * time.Second}, Circumstances{Broken: timeout},
			fmt.Errorf("ssh: handshake failed: %w", timeout), reach.ClassFrozen, "sshd not responding after 5s",
			"sshd is stopped"},
		{"MaxStartups", remote.Case{Stage: StageSSH}, Circumstances{Peer: "10.0.0.1:22"},
			fmt.Errorf("ssh: handshake failed: %w", io.EOF), reach.ClassClosed, "sshd closed the connection",
			"MaxStartups"},
		{"adopt", remote.Case{Stage: StageLogin, Words: adopt}, Circumstances{Peer: "10.0.0.1:22"},
			&LoginError{Err: io.EOF, Proven: "id", Methods: []string{"publickey"}, Tried: 1}, reach.ClassAdopt,
			"login refused (pam_slurm_adopt)", "job step of yours"},
		{"adopt behind a legal notice", remote.Case{Stage: StageLogin,
			Words: strings.Repeat("Unauthorised use is prohibited. ", 500) + adopt}, Circumstances{},
			&LoginError{Err: io.EOF, Proven: "id", Methods: []string{"publickey"}, Tried: 1}, reach.ClassAdopt,
			"login refused (pam_slurm_adopt)", "no active jobs on this node"},
		{"adopt by reset", remote.Case{Stage: StageLogin, Words: adopt}, Circumstances{},
			&LoginError{Err: syscall.ECONNRESET, Proven: "id", Methods: []string{"publickey"}, Tried: 1},
			reach.ClassAdopt, "login refused (pam_slurm_adopt)", ""},
		{"nologin", remote.Case{Stage: StageLogin, Words: "System is going down"}, Circumstances{Peer: "10.0.0.1:22"},
			&LoginError{Err: io.EOF, Proven: "id", Methods: []string{"publickey"}, Tried: 1}, reach.ClassDenied,
			"login refused although the key was accepted", "going down"},
		{"no key", remote.Case{Stage: StageLogin, Words: "a banner that explains pam_slurm_adopt"}, Circumstances{},
			&LoginError{Err: errors.New("ssh: handshake failed: ssh: unable to authenticate, attempted methods [none]"),
				Methods: []string{"publickey", "hostbased"}, Skipped: []string{"x needs a passphrase"}},
			reach.ClassAuth, "permission denied (publickey,hostbased)",
			"No key could be offered: x needs a passphrase."},
		{"too many keys", remote.Case{Stage: StageLogin}, Circumstances{},
			&LoginError{Err: errors.New(`ssh: disconnect, reason 2: "Too many authentication failures"`), Tried: 6,
				Methods: []string{"publickey"}}, reach.ClassAuth, "permission denied (publickey)", "IdentitiesOnly"},
		{"two factors", remote.Case{Stage: StageLogin}, Circumstances{},
			&LoginError{Err: errors.New("ssh: unable to authenticate"), Proven: "id", Tried: 1,
				Methods: []string{"keyboard-interactive"}}, reach.ClassAuth, "login refused (key alone not sufficient)",
			"asks for more"},
		{"two factors, the way out", remote.Case{Stage: StageLogin}, Circumstances{},
			&LoginError{Err: errors.New("ssh: unable to authenticate"), Proven: "id", Tried: 1,
				Methods: []string{"keyboard-interactive"}}, reach.ClassAuth, "login refused (key alone not sufficient)",
			"ssh -fNM n1"},
		{"only questions", remote.Case{Stage: StageLogin}, Circumstances{},
			&LoginError{Err: errors.New("ssh: unable to authenticate"), Methods: []string{"keyboard-interactive"}},
			reach.ClassAuth, "permission denied (keyboard-interactive)", "ssh -fNM n1"},
		{"login takes too long", remote.Case{Stage: StageLogin, Took: 10 * time.Second}, Circumstances{Broken: timeout},
			&LoginError{Err: timeout, Proven: "id", Methods: []string{"publickey"}, Tried: 1}, reach.ClassLoginHangs,
			"login timed out after 10s", "LDAP"},
		{"silent", remote.Case{}, Circumstances{Broken: timeout}, &link.EndError{Read: io.EOF}, reach.ClassSilent,
			"connection lost: no data received", "Neither the probe nor sshd"},
		{"garbage", remote.Case{}, Circumstances{}, &link.EndError{Read: errors.New(`not a message: "x"`)},
			reach.ClassGarbage, "unexpected output in place of the probe's", `"x"`},
		{"too long", remote.Case{}, Circumstances{}, &link.EndError{Read: wire.ErrLineTooLong}, reach.ClassTooMuch,
			"too much data from the node: line too long", ""},
		{"reset", remote.Case{}, Circumstances{Broken: syscall.ECONNRESET, Peer: "10.0.0.1:22"},
			&link.EndError{Read: io.EOF}, reach.ClassClosed, "connection closed",
			"Connection closed by 10.0.0.1 port 22"},
		{"no key is known there", remote.Case{Stage: StageLogin}, Circumstances{},
			&LoginError{Err: errors.New("ssh: unable to authenticate"), Tried: 2, Methods: []string{"publickey"}},
			reach.ClassAuth, "permission denied (publickey)",
			"authorized_keys on n1\n  sshd ignores that file where others may write"},
		{"no command runs", remote.Case{Stage: remote.StageProbe, Took: 15 * time.Second}, Circumstances{},
			&link.EndError{Read: context.DeadlineExceeded}, reach.ClassProbeLate, "probe not started after 15s",
			"a login script"},
		{"the driver hangs", remote.Case{Stage: remote.StageDriver, Took: 30 * time.Second}, Circumstances{},
			&link.EndError{Read: context.DeadlineExceeded}, reach.ClassDriverHangs, "driver not responding after 30s",
			"nvidia-smi on n1"},
		{"anything", remote.Case{Stage: StageSSH}, Circumstances{}, errors.New("ssh: no common algorithm"),
			reach.ClassOther, "unexpected error: ssh: no common algorithm", "no common algorithm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.c.Node, c.at.User = "n1", "alice"
			stage := c.c.Stage
			f := c.c.Settle(c.err, c.at.Explain)
			all := fmt.Sprintf("%s at %q: %s\nwords: %s\nmeaning: %s\nhints: %s", f.Class, f.Stage, f.Summary(),
				f.Words,
				f.Meaning, strings.Join(f.Hints, "\n  "))
			if f.Class != c.class || f.Summary() != c.summary || f.Stage != stage {
				t.Errorf("got %s, want %s %q", all, c.class, c.summary)
			}
			if !strings.Contains(all, c.says) || strings.Contains(all, "NODE") {
				t.Errorf("%q is not said in %s", c.says, all)
			} else if strings.Contains(all, "scontrol") && f.Class == reach.ClassDriverHangs ||
				strings.Contains(all, "driver") != (f.Class == reach.ClassDriverHangs) {
				t.Errorf("the wrong one is suspected: %s", all)
			}
		})
	}
}

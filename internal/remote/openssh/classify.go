package openssh

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// loginError is an ssh that ended, or had to be ended, before its login was done.
type loginError struct {
	err      error // from reading its output
	words    string
	noise    bool   // the node printed something
	admitted bool   // the login is done
	status   int    // of ssh, if it ended by itself
	signal   string // that ended it; empty: none
	limit    time.Duration
}

func (e *loginError) Error() string { return "ssh: " + e.err.Error() }
func (e *loginError) Unwrap() error { return e.err }

// Explain implements remote.Shell.
func (s *shell) Explain(c *remote.Case, err error) { explainError(c, err) }

// explainError classifies an error by ssh's messages about it, and adds hints.
func explainError(c *remote.Case, err error) {
	if c.Failure.Class == "" {
		if e, ok := errors.AsType[*loginError](err); ok {
			c.Stage = StageSSH // even if a second login, for a copy, failed
			if e.admitted {
				c.Stage = StageShell
			}
			explainLogin(c, e)
		} else {
			explainEnd(c, err)
		}
	}
	advice.Advise(c)
	adviseHostKey(&c.Failure, c.Words)
	if c.Failure.Class == reach.ClassAuth {
		c.Failure.Meaning = "The node accepts none of the logins that OpenSSH can make without asking you."
		c.Failure.Hints = append(c.Failure.Hints, "see what is tried: ssh -v NODE true")
	}
}

func explainLogin(c *remote.Case, e *loginError) {
	c.Say(e.words)
	switch {
	case e.admitted && refused.MatchString(e.words):
		c.Is(reach.ClassDenied, "session refused after login")
	case ruleWords(c, e.words):
	case remote.TimedOut(e.err) && (e.noise || e.admitted):
		c.Took = e.limit
		c.Is(reach.ClassProbeLate, "login accepted, but no command runs"+c.After())
	case remote.TimedOut(e.err):
		c.Took = e.limit
		c.Is(reach.ClassLoginHangs, "login timed out"+c.After())
	case errors.Is(e.err, errNoise):
		c.Is(reach.ClassGarbage, "unexpected output of the login")
	case e.signal != "":
		c.Is(reach.ClassLocal, "ssh was ended by signal "+e.signal)
	case strings.Contains(e.words, "This account is currently not available"): // nologin prints this
		c.Is(reach.ClassDenied, "account not allowed to run commands")
	case e.status == lost:
		lines := strings.Split(e.words, "\n")
		c.Is(reach.ClassOther, "ssh failed")
		c.Failure.Cause = text.Cut(lines[len(lines)-1], 60)
	default:
		advice.NoCommandRuns(c)
	}
}

// explainEnd classifies the end of a session. ssh reports what happened to the connection; if it reports nothing, a
// signal ended the program.
func explainEnd(c *remote.Case, err error) {
	_, ended := errors.AsType[*link.EndError](err)
	switch {
	case remote.TimedOut(err):
		if !c.Late() {
			c.Silent()
		}
	case ruleWords(c, c.Words):
	case strings.Contains(c.Words, "ssh on this host was ended by signal"):
		c.Is(reach.ClassClosed, "ssh was ended on this host")
	case c.NotBegun(err):
	case ended:
		c.Is(reach.ClassProbeKilled, "probe was killed")
	default:
		c.Unknown(err)
	}
}

// refused matches ssh's messages about a session that sshd does not open, as with MaxSessions 0.
var refused = mustCompile(`(?m)^channel \d+: open failed|request failed on channel \d+`)

// rule says what a line of ssh means.
type rule struct {
	line   *regexp.Regexp
	class  reach.Class
	short  string
	detail int // the group of line that holds the detail; 0: none
}

// rules are searched in order: the first message of ssh is often the reason for its last.
var rules = []rule{
	{mustCompile(`REVOKED HOST KEY DETECTED|[Hh]ost key .*(is marked as revoked|revoked by file)`),
		reach.ClassHostKeyChanged,
		"host key revoked", 0},
	{mustCompile(`REMOTE HOST IDENTIFICATION HAS CHANGED`), reach.ClassHostKeyChanged, "host key changed", 0},
	{mustCompile(`[Nn]o .*host key is known for|Certificate invalid|Host key verification failed`),
		reach.ClassHostKeyUnknown,
		"host key unknown", 0},
	{mustCompile(`[Dd]enied by pam_slurm_adopt|no active jobs on this node`), reach.ClassAdopt, "login refused", 0},
	{mustCompile(`Too many authentication failures`), reach.ClassAuth, "permission denied", 0},
	{mustCompile(`Permission denied \(([^)\n]*)\)`), reach.ClassAuth, "permission denied", 1},
	{mustCompile(`Could not resolve hostname`), reach.ClassUnknownHost, "unknown host", 0},
	{mustCompile(`timed out during banner exchange`), reach.ClassFrozen, "sshd not responding", 0},
	{mustCompile(`connect to .*: Connection refused`), reach.ClassRefused, "connection refused", 0},
	{mustCompile(`connect to .*: (No route to host|Network is unreachable|Host is down)`), reach.ClassNoRoute,
		"no route to host", 0},
	{mustCompile(`connect to .*: .*timed out`), reach.ClassTimeout, "no response", 0},
	{mustCompile(`Unable to negotiate with|no matching .* found`), reach.ClassOther, "no common algorithm", 0},
	{mustCompile(`[Bb]ad configuration option|Bad owner or permissions|no argument after keyword|unknown key type`),
		reach.ClassLocal, "ssh configuration", 0},
	{mustCompile(`Timeout, server .* not responding`), reach.ClassSilent, "connection lost", 0},
	{mustCompile(`(kex|ssh)_exchange_identification|banner exchange|UNKNOWN port`), reach.ClassClosed,
		"sshd closed the connection", 0},
	{mustCompile(`Connection to .* closed by remote host|client_loop: send disconnect|Connection (closed|reset) by|` +
		`[Bb]roken pipe`), reach.ClassClosed, "connection closed", 0},
}

func mustCompile(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// ruleWords classifies by ssh's messages. It returns false if none of them is known.
func ruleWords(c *remote.Case, words string) bool {
	for _, r := range rules {
		m := r.line.FindStringSubmatch(words)
		if m == nil {
			continue
		}
		c.Is(r.class, r.short)
		if r.detail > 0 {
			c.Failure.Detail = m[r.detail]
		}
		switch {
		case r.class == reach.ClassAdopt:
			c.Failure.Detail = "pam_slurm_adopt"
		case r.class == reach.ClassLocal || r.class == reach.ClassOther:
			c.Failure.Cause = firstMatch(r.line, words)
		case r.short == "connection closed" && (c.Stage == StageSSH || c.Stage == StageShell):
			// The key exchange was done: only PAM is left.
			c.Is(reach.ClassDenied, "connection closed during the login")
		}
		return true
	}
	return false
}

// firstMatch returns the first line that matches, cut to what fits on a screen.
func firstMatch(line *regexp.Regexp, words string) string {
	for l := range strings.Lines(words) {
		if line.MatchString(l) {
			return strings.TrimSpace(text.Cut(l, 60))
		}
	}
	return ""
}

var offending = mustCompile(`Offending .*key in (\S+):(\d+)`)

// adviseHostKey names the line of known_hosts that ssh found.
func adviseHostKey(f *reach.Failure, words string) {
	if f.Class != reach.ClassHostKeyChanged {
		return
	}
	f.Meaning = "The host key has changed. The host was reinstalled, or something else is answering (possible " +
		"man-in-the-middle)."
	if strings.Contains(f.Short, "revoked") {
		f.Meaning = "The host's key is marked as revoked: do not trust this host."
	}
	where := ""
	if m := offending.FindStringSubmatch(words); m != nil {
		where = fmt.Sprintf(" (known: %s:%s)", m[1], m[2])
	}
	f.Hints = append(f.Hints, "ask your admins whether NODE's key was changed"+where)
}

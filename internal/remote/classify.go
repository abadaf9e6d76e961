package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// circumstances are what is known beside an error.
type circumstances struct {
	node    string
	stage   reach.Stage   // empty: the session streamed
	took    time.Duration // in the stage
	user    string
	port    string
	peer    string   // "10.12.0.14:22"; empty: there was no connection
	broken  error    // what the TCP connection came to
	words   string   // the node's
	ignored []string // parts of the SSH configuration
}

// verdict is a failure, and the few words for the stage in which it happened.
type verdict struct {
	failure *reach.Failure
	step    string
}

// classify says what an error means. It is a pure function: the first rule that knows the error wins, from what is most particular
// to what is most general.
func classify(c circumstances, err error) verdict {
	f := &reach.Failure{Stage: c.stage}
	for _, rule := range rules {
		if rule(&c, err, f) {
			break
		}
	}
	if f.Class == "" {
		f.Class, f.Summary = reach.ClassOther, "failed: "+clip(err.Error(), 60)
		c.say(err.Error())
	}
	f.Words = capWords(c.words)
	step := f.Summary
	advise(&c, f, err)
	var l *loginError
	if errors.As(err, &l) {
		step = l.step(f.Class, step)
	}
	return verdict{failure: f, step: step}
}

// rules are tried in this order.
var rules = []func(*circumstances, error, *reach.Failure) bool{
	ruleLocal, ruleHostKey, ruleProbe, ruleDeploy, ruleTimeout, ruleLogin, ruleNetwork, ruleClosed,
}

// say adds to the node's words.
func (c *circumstances) say(words string) { c.words = joinWords(c.words, words) }

// timedOut reports whether a deadline of ours ended it.
func (c *circumstances) timedOut(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(c.broken, os.ErrDeadlineExceeded) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, syscall.ETIMEDOUT) || errors.Is(c.broken, syscall.ETIMEDOUT)
}

func set(f *reach.Failure, class reach.Class, summary string) bool {
	f.Class, f.Summary = class, summary
	return true
}

func ruleLocal(c *circumstances, err error, f *reach.Failure) bool {
	var l *localError
	if !errors.As(err, &l) {
		return false
	}
	c.say(l.Error())
	f.Hints = l.hints
	return set(f, reach.ClassLocal, clip(l.Error(), 60))
}

func ruleHostKey(c *circumstances, err error, f *reach.Failure) bool {
	var e *hostKeyError
	if !errors.As(err, &e) {
		return false
	}
	c.say("The host offers the " + e.offered + " key " + e.fingerprint + ".")
	switch {
	case e.revoked:
		return set(f, reach.ClassHostKeyChanged, "host key is revoked")
	case e.changed:
		return set(f, reach.ClassHostKeyChanged, "host key has changed")
	default:
		if !strings.Contains(e.Error(), "key is unknown") {
			c.say(e.Error())
		}
		return set(f, reach.ClassHostKeyUnknown, "host key is not known")
	}
}

// ruleDeploy knows what keeps the probe from being put somewhere.
func ruleDeploy(c *circumstances, err error, f *reach.Failure) bool {
	var place *noPlaceError
	var platform *platformError
	var session *sessionError
	switch {
	case errors.As(err, &platform):
		c.say(platform.Error())
		return set(f, reach.ClassPlatform, "no probe for "+platform.machine)
	case errors.As(err, &session) && c.broken == nil && !isClosed(session.err):
		c.say(session.err.Error())
		return set(f, reach.ClassDenied, "no session allowed after the login")
	case !errors.As(err, &place):
		return false
	}
	c.say(place.words)
	f.Hints = append(f.Hints, "Tried: "+place.list()+".")
	lower := strings.ToLower(place.words)
	switch {
	case strings.Contains(lower, "no space left") || strings.Contains(lower, "quota exceeded"):
		return set(f, reach.ClassNoSpace, "no room for the probe")
	case strings.Contains(place.Error(), ":noexec"):
		return set(f, reach.ClassNoExec, "the probe may not be executed")
	case strings.Contains(place.Error(), ":damaged"):
		return set(f, reach.ClassOther, "the probe's copy arrives damaged")
	default:
		return set(f, reach.ClassNoSpace, "no place for the probe")
	}
}

// ruleProbe knows how a process ends that is, or should have been, a probe.
func ruleProbe(c *circumstances, err error, f *reach.Failure) bool {
	var e *probeError
	if !errors.As(err, &e) {
		return false
	}
	c.say(withoutNeed(e.stderr))
	c.say(e.noise)
	status, exited := e.status()
	switch {
	case errors.Is(e.read, wire.ErrLineTooLong):
		return set(f, reach.ClassTooMuch, "a line longer than the protocol allows")
	case strings.Contains(e.stderr, "symbol lookup error"):
		return set(f, reach.ClassOldDriver, "the driver is too old for the probe")
	case strings.Contains(e.stderr, "GLIBC_") && strings.Contains(e.stderr, "not found"), strings.Contains(e.stderr, "Exec format error"):
		return set(f, reach.ClassPlatform, "the probe does not run on this system")
	case e.signal() != "":
		return set(f, reach.ClassProbeKilled, "probe killed (signal "+e.signal()+")")
	case exited && status == 126:
		return set(f, reach.ClassNoExec, "the probe may not be executed")
	case e.isEnd() && exited && isLoginRefusal(c.words):
		return set(f, reach.ClassDenied, "no command allowed after the login")
	case e.isEnd() && exited && c.stage == reach.StageProbe && status == 0:
		return set(f, reach.ClassGarbage, "no probe answered")
	case e.isEnd() && exited:
		return set(f, reach.ClassProbeFailed, "probe ended with status "+strconv.Itoa(status))
	case e.isEnd():
		return false // the connection went, or a deadline ended it
	case c.timedOut(nil):
		return false
	default:
		if bad, ok := errors.AsType[*wire.MalformedError](e.read); ok {
			c.say(bad.Line)
		} else {
			c.say(e.read.Error())
		}
		return set(f, reach.ClassGarbage, "what came is not the probe's protocol")
	}
}

// isEnd reports whether the output just ended, as opposed to being unreadable.
func (e *probeError) isEnd() bool {
	return errors.Is(e.read, io.EOF) || errors.Is(e.read, io.ErrUnexpectedEOF)
}

// isLoginRefusal knows the shells of accounts that may not run commands.
func isLoginRefusal(words string) bool {
	return strings.Contains(words, "This account is currently not available")
}

func ruleTimeout(c *circumstances, err error, f *reach.Failure) bool {
	if !c.timedOut(err) {
		return false
	}
	after := " after " + seconds(c.took)
	switch c.stage {
	case reach.StageName:
		return set(f, reach.ClassUnknownHost, "name not resolved"+after)
	case reach.StageTCP:
		return set(f, reach.ClassTimeout, "no answer"+after)
	case reach.StageSSH, reach.StageHostKey:
		return set(f, reach.ClassFrozen, "sshd says nothing"+after)
	case reach.StageLogin:
		return set(f, reach.ClassTimeout, "login not finished"+after)
	case reach.StageProbe:
		return set(f, reach.ClassTimeout, "probe not started"+after)
	case reach.StageDriver:
		return set(f, reach.ClassTimeout, "driver does not answer"+after)
	default:
		return set(f, reach.ClassSilent, "silent: the connection died")
	}
}

func ruleLogin(c *circumstances, err error, f *reach.Failure) bool {
	var e *loginError
	if !errors.As(err, &e) {
		return false
	}
	switch {
	case e.proven != "" && isAdopt(c.words):
		c.sayClosed()
		return set(f, reach.ClassAdopt, "login refused (pam_slurm_adopt)")
	case e.proven != "" && !e.rejected():
		c.sayClosed()
		return set(f, reach.ClassDenied, "login refused after the key was accepted")
	case e.proven != "":
		c.say("The node takes: " + strings.Join(e.methods, ", ") + ".")
		return set(f, reach.ClassAuth, "login refused (a key is not enough)")
	case e.rejected():
		if strings.Contains(e.Error(), "ssh: disconnect") {
			c.say(e.Error())
		}
		c.say("Permission denied (" + strings.Join(e.methods, ",") + ").")
		return set(f, reach.ClassAuth, "permission denied ("+strings.Join(e.methods, ",")+")")
	default:
		return false
	}
}

// isAdopt knows the words of pam_slurm_adopt and of its forerunner pam_slurm. A banner that merely names the module is none of them.
func isAdopt(words string) bool {
	return strings.Contains(words, "denied by pam_slurm_adopt") || strings.Contains(words, "no active jobs on this node")
}

func (c *circumstances) sayClosed() {
	if host, port, err := net.SplitHostPort(c.peer); err == nil {
		c.say("Connection closed by " + host + " port " + port)
	}
}

func ruleNetwork(c *circumstances, err error, f *reach.Failure) bool {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		c.say(dns.Error())
		return set(f, reach.ClassUnknownHost, "unknown host")
	case errors.Is(err, syscall.ECONNREFUSED):
		c.say("Connection refused")
		return set(f, reach.ClassRefused, "connection refused")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTDOWN):
		c.say("No route to host")
		return set(f, reach.ClassNoRoute, "no route to the host")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.EADDRNOTAVAIL):
		c.say(err.Error())
		return set(f, reach.ClassLocal, "too many open files or connections here")
	default:
		return false
	}
}

func ruleClosed(c *circumstances, err error, f *reach.Failure) bool {
	var e *probeError
	if !isClosed(err) && c.broken == nil && !errors.As(err, &e) {
		return false
	}
	if c.broken != nil && !errors.Is(c.broken, io.EOF) && !errors.Is(c.broken, net.ErrClosed) {
		c.say(c.broken.Error())
	}
	c.sayClosed()
	switch {
	case c.stage == reach.StageSSH:
		return set(f, reach.ClassClosed, "sshd closes the connection")
	case c.stage == reach.StageProbe && isAdopt(c.words):
		return set(f, reach.ClassAdopt, "login refused (pam_slurm_adopt)")
	}
	return set(f, reach.ClassClosed, "connection closed")
}

func isClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

// step is what the stage login shows of a login that failed.
func (e *loginError) step(class reach.Class, summary string) string {
	switch {
	case class == reach.ClassAdopt:
		return "publickey accepted, then closed by PAM"
	case class == reach.ClassDenied:
		return "publickey accepted, then closed"
	case class == reach.ClassAuth && e.proven == "" && e.tried == 0:
		return "no key to offer"
	case class == reach.ClassAuth && e.proven == "":
		return "no key accepted (" + count(e.tried, "key") + " tried)"
	default:
		return summary
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func seconds(d time.Duration) string {
	return strconv.Itoa(int(d.Round(time.Second)/time.Second)) + "s"
}

func clip(s string, n int) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
